internal import WardText
internal import WardVault

extension ExportFormat {
    /// Bitwarden and Vaultwarden: the export with a passphrase of its own.
    static let bitwardenJSON = ExportFormat(
        id: ImportFormat.bitwardenJSON.id,
        title: ImportFormat.bitwardenJSON.title,
        isSealed: true,
        limits: ExportLimits(
            held: [
                .kind, .sites, .apps, .match, .username, .password, .history, .codes, .passkeys, .furtherPasskeys,
                .passkeyNames, .notes, .fields, .fieldGroups, .tags, .favorite, .times, .unknown,
            ],
            changed: [
                .furtherCodes: "further codes become hidden fields",
                .counterCodes: "counter-based codes become hidden fields",
            ],
            check: { item in BitwardenItemWriting(item, folder: nil).notices }
        ),
        write: { source, seal throws(ImportError) in
            guard case .passphrase(let passphrase) = seal else { throw ImportError(.passphraseNeeded) }
            return try BitwardenSealing.seal(BitwardenExport(source).document, passphrase: passphrase).serialized
        }
    )
}

/// The plain document inside of an export.
struct BitwardenExport {
    private let source: ExportSource

    init(_ source: ExportSource) { self.source = source }

    var document: JSONValue {
        var folders: [String: ItemID] = [:]
        var list: [JSONValue] = []
        var items: [JSONValue] = []
        for item in source.items {
            if let name = item.tags.first, folders[name] == nil {
                let id = ItemID()
                folders[name] = id
                list.append(["id": .string(Self.guid(id.bytes)), "name": .string(name)])
            }
            let folder = item.tags.first.flatMap { folders[$0] }.map { Self.guid($0.bytes) }
            items.append(BitwardenItemWriting(item, folder: folder).json)
        }
        return ["encrypted": false, "folders": .array(list), "items": .array(items)]
    }

    /// Sixteen bytes as `01234567-89ab-…`.
    static func guid(_ bytes: [UInt8]) -> String {
        var text = Hex.encode(bytes)
        for place in [8, 13, 18, 23] { text.insert("-", at: text.index(text.startIndex, offsetBy: place)) }
        return text
    }
}
