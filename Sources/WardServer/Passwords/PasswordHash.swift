import CSodium
import Foundation

/// What a password is checked against: Argon2id with its salt and settings, in the PHC string format that libsodium writes.
///
/// Making and comparing take a thread for as long as the settings say: see ``PasswordQueue``.
package struct PasswordHash: Sendable {
    /// `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`, both in base64 without padding.
    package let text: String

    /// Takes what was stored.
    package init(stored text: String) {
        self.text = text
    }

    /// Hashes a password with a fresh salt.
    ///
    /// - Throws: ``APIError`` with `unavailable` when there is no memory for it.
    package init(of password: [UInt8], effort: PasswordEffort) throws(APIError) {
        guard Self.isReady else { throw .noHashing }
        var text = [CChar](repeating: 0, count: crypto_pwhash_strbytes())
        let characters = password.map { CChar(bitPattern: $0) }
        let result = unsafe crypto_pwhash_str_alg(
            &text,
            characters,
            UInt64(characters.count),
            UInt64(effort.passes),
            effort.memory * 1024,
            crypto_pwhash_ALG_ARGON2ID13
        )
        guard result == 0 else { throw .noHashing }
        self.text = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A hash that no password is known for: comparing with it takes the work that comparing with a real one takes.
    package init(decoyWith effort: PasswordEffort, randomBytes: (Int) -> [UInt8]) {
        let (salt, hash) = (Self.base64(randomBytes(16)), Self.base64(randomBytes(32)))
        text = "$argon2id$v=19$m=\(effort.memory),t=\(effort.passes),p=1$\(salt)$\(hash)"
    }

    /// Whether a password is the one; takes the same time whatever differs.
    ///
    /// - Throws: ``APIError`` with `unavailable` when that cannot be found out: no memory, or no hash that libsodium knows.
    package func matches(_ password: [UInt8]) throws(APIError) -> Bool {
        let length = crypto_pwhash_strbytes()
        guard Self.isReady, text.hasPrefix("$argon2id$"), text.utf8.count < length else { throw .noHashing }
        var stored = text.utf8.map { CChar(bitPattern: $0) }
        stored += [CChar](repeating: 0, count: length - stored.count)
        let characters = password.map { CChar(bitPattern: $0) }
        errno = 0
        if unsafe crypto_pwhash_str_verify(stored, characters, UInt64(characters.count)) == 0 { return true }
        // A mismatch is EINVAL; out of memory, or a hash that is cut, is anything else and says nothing about the password.
        guard errno == EINVAL else { throw .noHashing }
        return false
    }

    /// Whether it was made with less than is asked for now.
    package func isWeaker(than effort: PasswordEffort) -> Bool {
        let parts = text.split(separator: "$")
        guard parts.count == 5, parts[0] == "argon2id" else { return true }
        func number(_ name: String) -> Int? {
            parts[2].split(separator: ",").first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) }
        }
        return (number("m=") ?? 0) < effort.memory || (number("t=") ?? 0) < effort.passes
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("=", with: "")
    }

    /// Whether libsodium is ready, which is asked once.
    private static let isReady = sodium_init() >= 0
}

extension APIError {
    fileprivate static let noHashing = APIError(.unavailable, "The service cannot check passwords now.")
}
