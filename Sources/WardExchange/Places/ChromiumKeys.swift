internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import WardVault

/// The keys that the passwords of Chromium's browsers on Linux are encrypted with.
struct ChromiumKeys {
    /// Why a password cannot be decrypted.
    struct Refusal: Error {
        let text: String
    }

    private static let salt = Array("saltysalt".utf8)
    private static let iv = [UInt8](repeating: 0x20, count: 16)

    /// The key of `v10`, which is the same everywhere.
    private let common = key(of: Array("peanuts".utf8))
    /// The keys of `v11`: one for each secret, and the one of an empty secret, which some versions wrote by mistake.
    private let own: [SymmetricKey]

    /// Whether a value is encrypted with a key from the keyring.
    static func isOwn(_ sealed: [UInt8]) -> Bool { sealed.starts(with: "v11".utf8) }

    init(_ secrets: [SecretText]) {
        own = secrets.map { Self.key(of: Array($0.revealed.utf8)) } + [Self.key(of: [])]
    }

    /// Decrypts a value.
    ///
    /// An older browser stored the text itself.
    func open(_ sealed: [UInt8]) -> Result<String, Refusal> {
        let body = Array(sealed.dropFirst(3))
        switch String(decoding: sealed.prefix(3), as: UTF8.self) {
        case _ where sealed.isEmpty: return .success("")
        case "v10":
            // The common key decrypts what has no keyring, and what was written while the keyring was not available.
            for key in [common] + own { if let text = Self.open(body, key) { return .success(text) } }
            return .failure(Refusal(text: "the login is left out: its password is damaged"))
        case "v11":
            for key in own { if let text = Self.open(body, key) { return .success(text) } }
            return .failure(
                Refusal(
                    text: "the login is left out: the keyring of the desktop has no key for its password. Unlock the "
                        + "keyring, or export a CSV file in the browser"
                )
            )
        case let version where version.first == "v" && version.dropFirst().allSatisfy(\.isNumber):
            return .failure(
                Refusal(
                    text: "the login is left out: Ward does not know this encryption (\(version)). Export a CSV file "
                        + "in the browser"
                )
            )
        default:
            guard let text = String(validating: sealed, as: UTF8.self) else {
                return .failure(Refusal(text: "the login is left out: its password is damaged"))
            }
            return .success(text)
        }
    }

    private static func open(_ body: [UInt8], _ key: SymmetricKey?) -> String? {
        guard let key, !body.isEmpty, body.count.isMultiple(of: 16), let nonce = try? AES._CBC.IV(ivBytes: iv),
            let plain = try? AES._CBC.decrypt(body, using: key, iv: nonce)
        else { return nil }
        return String(validating: plain, as: UTF8.self)
    }

    private static func key(of secret: [UInt8]) -> SymmetricKey {
        let derived = try? KDF.Insecure.PBKDF2.deriveKey(
            from: secret,
            salt: salt,
            using: .insecureSHA1,
            outputByteCount: 16,
            unsafeUncheckedRounds: 1
        )
        // The derivation fails only for parameters that are wrong, and these are fixed.
        return derived ?? SymmetricKey(size: .bits128)
    }
}
