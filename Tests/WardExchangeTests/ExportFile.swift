import Foundation
import WardCOSE
import WardExchange
import WardText
import WardVault
import WardWebAuthn

/// A file under `Tests/TestVectors/exchange`, which a Python program there wrote.
struct ExportFile {
    let name: String
    var bytes: [UInt8]

    init(_ name: String) throws {
        self.name = name
        bytes = Array(try Data(contentsOf: Self.folder.appending(path: name)))
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "TestVectors/exchange")

    /// Reads the file in the format that recognizes it.
    func read(passphrase: String? = nil) throws -> (format: String, file: ImportedFile) {
        let source = ImportSource(
            name: name,
            bytes: bytes,
            passphrase: passphrase.map { SecretText($0) },
            now: 1_790_000_000
        )
        let format = try ImportFormat.of(source)
        return (format.id, try format.contents(of: source))
    }

    /// What the Python program says about a file.
    static func contents(_ name: String) throws -> [ListedItem] {
        try JSONDecoder().decode([ListedItem].self, from: Data(contentsOf: folder.appending(path: name)))
    }
}

/// The sites, the user, the secrets, the codes and the passkeys of an item.
struct ListedItem: Codable, Hashable {
    struct Passkey: Codable, Hashable {
        var id: String
        var rp: String
        var user: String
        var key: String
    }

    var title: String
    var sites: [String]
    var user: String
    var secrets: [String]
    var codes: [String]
    var passkeys: [Passkey]

    init(_ item: Item) throws {
        title = item.title
        sites = item.sites.map(\.text).sorted()
        user = item.username
        let fields = item.sections.flatMap(\.fields).filter(\.isConcealed).compactMap(\.value.text)
        let passwords = [item.password?.value].compactMap(\.self) + (item.password?.history.map(\.value) ?? [])
        secrets = (passwords.map(\.revealed) + fields + [item.notes.revealed]).filter { !$0.isEmpty }.sorted()
        codes = item.codes.map { code in
            let kind =
                switch code.kind {
                case .totp: "totp"
                case .hotp: "hotp"
                case .steam: "steam"
                }
            return "\(kind):\(Hex.encode(code.secret.revealed))"
        }.sorted()
        passkeys = try item.passkeys.map { passkey in
            Passkey(
                id: Hex.encode(passkey.credentialID.bytes),
                rp: passkey.rpID,
                user: Hex.encode(passkey.userHandle.bytes),
                key: Hex.encode(try passkey.signingKey().rawRepresentation)
            )
        }.sorted { $0.id < $1.id }
    }
}
