internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import WardText
internal import WardVault

extension ImportFormat {
    /// The backup of the authenticator app 2FAS, plain or encrypted.
    static let twoFAS = ImportFormat(id: "2fas", title: "2FAS") { source in
        let names = ImportedJSON.memberNames(source.bytes)
        return names.contains("schemaVersion") && !names.isDisjoint(with: ["services", "servicesEncrypted"])
    } read: { (source) throws(ImportError) in
        let document = try ImportedJSON.document(source.bytes)
        var services = document["services"] ?? .null
        if let sealed = document["servicesEncrypted"]?.stringValue, !sealed.isEmpty {
            guard let passphrase = source.passphrase else {
                throw ImportError(.passphraseNeeded, "the file has a passphrase")
            }
            services = try ImportedJSON.document(
                try openTwoFAS(sealed, passphrase: passphrase),
                name: "the decrypted file"
            )
        }
        guard let services = services.arrayValue else {
            throw ImportError(.malformed, "the file has no list of services")
        }
        let groups = GroupNames(document["groups"], id: "id")
        return ImportedFile(services) { (service, index) in
            let otp = service["otp"] ?? .null
            let name = service["name"]?.shownText
            var draft = CodeDraft(
                issuer: otp["issuer"]?.shownText ?? "",
                account: otp["account"]?.stringValue ?? "",
                index: index,
                now: source.now
            )
            if let name { draft.item.title = ItemTitle.clean(name) }
            draft.item.tags = [service["groupId"].flatMap { groups[$0] }].compactMap(\.self)
            draft.addCode(
                kind: otp["tokenType"]?.stringValue ?? "TOTP",
                secret: service["secret"]?.stringValue ?? "",
                algorithm: otp["algorithm"]?.stringValue,
                digits: otp["digits"]?.wholeNumber,
                period: otp["period"]?.wholeNumber,
                counter: otp["counter"]?.wholeNumber
            )
            return draft.item
        }
    }

    /// Decrypts `DATA:SALT:NONCE`: PBKDF2 with 10,000 rounds of SHA-256, and AES-GCM.
    private static func openTwoFAS(_ text: String, passphrase: SecretText) throws(ImportError) -> [UInt8] {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map {
            Base64.decode(lenient: String($0))
        }
        guard parts.count == 3, let data = parts[0], let salt = parts[1], let nonce = parts[2], data.count >= 16,
            salt.count <= 4096, let nonce = try? AES.GCM.Nonce(data: nonce),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: data.dropLast(16), tag: data.suffix(16)),
            let key = try? KDF.Insecure.PBKDF2.deriveKey(
                from: Array(passphrase.revealed.utf8),
                salt: salt,
                using: .sha256,
                outputByteCount: 32,
                unsafeUncheckedRounds: 10_000
            )
        else { throw ImportError(.malformed, "the encrypted data of the file has an unknown form") }
        guard let plain = try? AES.GCM.open(box, using: key) else {
            throw ImportError(.wrongPassphrase, "the passphrase does not open the file")
        }
        return [UInt8](plain)
    }
}
