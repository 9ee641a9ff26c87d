internal import WardVault

/// A format that Ward writes.
public struct ExportFormat: Sendable, Identifiable {
    /// The word for the format on the command line; a format that Ward reads too has the same word there.
    public let id: String
    /// The name that people know.
    public let title: String
    /// Whether the file is encrypted.
    public let isSealed: Bool
    /// Whether the file can be encrypted to public keys, and not only with a passphrase.
    public var takesRecipients = false
    /// What the format can hold.
    let limits: ExportLimits
    /// Writes the items that the limits let through.
    let write: @Sendable (ExportSource, ExportSeal?) throws(ImportError) -> [UInt8]

    /// Every format.
    public static let all: [ExportFormat] = [.cxf, .cxfAge, .kdbx, .bitwardenJSON, .appleCSV, .chromeCSV]

    /// The format with a word, or `nil`.
    public static func named(_ id: String) -> ExportFormat? { all.first { $0.id == id } }

    /// What a file in this format lacks, or has in another form.
    ///
    /// - Parameter source: The items.
    /// - Returns: The notices, in the order of the items.
    public func notices(for source: ExportSource) -> [ExportNotice] {
        source.items.flatMap { limits.notices(for: $0, source) }
    }

    /// Writes a file.
    ///
    /// - Parameters:
    ///   - source: The items and the contents of their attachments.
    ///   - seal: What opens a sealed file.
    /// - Returns: The file.
    /// - Throws: ``ImportError`` with `passphraseNeeded` if nothing would open the file, or `tooLarge` if there is no memory.
    public func file(_ source: ExportSource, seal: ExportSeal? = nil) throws(ImportError) -> [UInt8] {
        guard !isSealed || isUsable(seal) else { throw ImportError(.passphraseNeeded) }
        var source = source
        source.items.removeAll { !limits.takes($0) }
        return try write(source, seal)
    }

    private func isUsable(_ seal: ExportSeal?) -> Bool {
        switch seal {
        case nil: false
        case .passphrase(let passphrase): !passphrase.isEmpty
        case .recipients(let recipients): takesRecipients && !recipients.isEmpty
        }
    }
}

/// What a format can hold.
struct ExportLimits: Sendable {
    /// The kinds of items that are written; `nil` for all.
    var kinds: Set<ItemKind>?
    /// The parts that are written as they are.
    var held: Set<ExportPart>
    /// The parts that are written in another form, with the sentence about it.
    var changed: [ExportPart: String] = [:]
    /// Further notices about an item.
    var check: @Sendable (Item) -> [(ExportPart, ExportNotice.Outcome, String)] = { _ in [] }

    func takes(_ item: Item) -> Bool { kinds?.contains(item.kind) ?? true }

    func notices(for item: Item, _ source: ExportSource) -> [ExportNotice] {
        func notice(_ part: ExportPart, _ outcome: ExportNotice.Outcome, _ text: String) -> ExportNotice {
            ExportNotice(item: item.title, part, outcome, text)
        }
        guard takes(item) else {
            return [notice(.item, .skipped, "the format has no items of this kind (\(item.kind))")]
        }
        var notices: [ExportNotice] = []
        for part in ExportPart.allCases where part.isPresent(in: item) && !held.contains(part) {
            guard part.wholes.allSatisfy({ held.contains($0) || changed[$0] != nil }) else { continue }
            if let text = changed[part] {
                notices.append(notice(part, .changed, text))
            } else {
                notices.append(notice(part, .skipped, part.skipped))
            }
        }
        if held.contains(.attachments) {
            for attachment in item.attachments where source.contents[attachment.id] == nil {
                let text = "the attached file \(ItemTitle.clean(attachment.name)) cannot be read in the vault"
                notices.append(notice(.attachments, .skipped, text))
            }
        }
        return notices + check(item).map(notice)
    }
}
