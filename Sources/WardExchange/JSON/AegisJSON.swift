internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import WardText
internal import WardVault

extension ImportFormat {
    /// The vault of the authenticator app Aegis, plain or encrypted.
    static let aegis = ImportFormat(id: "aegis", title: "Aegis") { source in
        ImportedJSON.memberNames(source.bytes).isSuperset(of: ["header", "db"])
    } read: { (source) throws(ImportError) in
        let document = try ImportedJSON.document(source.bytes)
        var database = document["db"] ?? .null
        if let text = database.stringValue {
            guard let sealed = Base64.decode(text) else {
                throw ImportError(.malformed, "the encrypted data of the file is not base64")
            }
            guard let passphrase = source.passphrase else {
                throw ImportError(.passphraseNeeded, "the file has a passphrase")
            }
            let sealing = AegisSealing(document["header"] ?? .null)
            database = try ImportedJSON.document(
                try sealing.open(sealed, passphrase: passphrase),
                name: "the decrypted file"
            )
        }
        guard let entries = database["entries"]?.arrayValue else {
            throw ImportError(.malformed, "the file has no list of entries")
        }
        let groups = GroupNames(database["groups"], id: "uuid")
        return ImportedFile(entries) { (entry, index) in
            let info = entry["info"] ?? .null
            var draft = CodeDraft(
                issuer: entry["issuer"]?.stringValue ?? "",
                account: entry["name"]?.stringValue ?? "",
                index: index,
                now: source.now
            )
            draft.item.notes = entry["note"]?.stringValue ?? ""
            draft.item.isFavorite = entry["favorite"]?.boolValue ?? false
            let groupIDs = entry["groups"]?.elements ?? []
            draft.item.tags = groupIDs.compactMap { groups[$0] } + [entry["group"]?.stringValue].compactMap(\.self)
            draft.addCode(
                kind: entry["type"]?.stringValue ?? "",
                secret: info["secret"]?.stringValue ?? "",
                algorithm: info["algo"]?.stringValue,
                digits: info["digits"]?.wholeNumber,
                period: info["period"]?.wholeNumber,
                counter: info["counter"]?.wholeNumber
            )
            return draft.item
        }
    }
}

/// How Aegis encrypts: each slot has the same master key, and one kind of slot has a passphrase.
private struct AegisSealing {
    /// The maximum memory of scrypt, in bytes: 128 times N times r.
    static let maximumMemory = 1 << 28
    static let maximumSlots = 32

    private let header: JSONValue

    init(_ header: JSONValue) { self.header = header }

    func open(_ sealed: [UInt8], passphrase: SecretText) throws(ImportError) -> [UInt8] {
        let slots = (header["slots"]?.elements ?? []).filter { $0["type"]?.wholeNumber == 1 }
        guard !slots.isEmpty else {
            throw ImportError(
                .unsupported,
                "only the phone can open this file; set a password in Aegis and export again"
            )
        }
        guard slots.count <= Self.maximumSlots else {
            throw ImportError(.tooLarge, "the file has more than \(Self.maximumSlots) passwords")
        }
        for slot in slots {
            let key = try Self.key(slot, passphrase)
            guard let wrapped = slot["key"]?.stringValue.flatMap({ Hex.decode($0) }),
                let master = try Self.open(wrapped, slot["key_params"], key)
            else { continue }
            guard let plain = try Self.open(sealed, header["params"], SymmetricKey(data: master)) else {
                throw ImportError(.malformed, "the encrypted data of the file is damaged")
            }
            return plain
        }
        throw ImportError(.wrongPassphrase, "the passphrase does not open the file")
    }

    private static func key(_ slot: JSONValue, _ passphrase: SecretText) throws(ImportError) -> SymmetricKey {
        guard let rounds = slot["n"]?.wholeNumber, let size = slot["r"]?.wholeNumber,
            let lanes = slot["p"]?.wholeNumber,
            let salt = slot["salt"]?.stringValue.flatMap({ Hex.decode($0) }), salt.count <= 1024,
            rounds > 1, rounds & (rounds - 1) == 0, size > 0, lanes > 0
        else { throw ImportError(.malformed, "the parameters of scrypt are incomplete") }
        guard rounds <= 1 << 24, size <= 1 << 10, rounds * size * 128 <= maximumMemory, lanes <= 16 else {
            throw ImportError(
                .tooLarge,
                "the file asks for more than \(maximumMemory >> 20) MiB of memory for scrypt, or for more than 16 lanes"
            )
        }
        do {
            return try KDF.Scrypt.deriveKey(
                from: Array(passphrase.revealed.utf8),
                salt: salt,
                outputByteCount: 32,
                rounds: Int(rounds),
                blockSize: Int(size),
                parallelism: Int(lanes)
            )
        } catch {
            throw ImportError(.malformed, "the key of the file cannot be derived")
        }
    }

    /// Decrypts with AES-GCM; `nil` for another key.
    private static func open(
        _ sealed: [UInt8],
        _ parameters: JSONValue?,
        _ key: SymmetricKey
    ) throws(ImportError) -> [UInt8]? {
        guard let nonce = parameters?["nonce"]?.stringValue.flatMap({ Hex.decode($0) }),
            let tag = parameters?["tag"]?.stringValue.flatMap({ Hex.decode($0) }),
            let nonce = try? AES.GCM.Nonce(data: nonce),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: sealed, tag: tag)
        else { throw ImportError(.malformed, "the parameters of the file's encryption are incomplete") }
        return (try? AES.GCM.open(box, using: key)).map { [UInt8]($0) }
    }
}
