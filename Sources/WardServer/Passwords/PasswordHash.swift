import CSodium
import Foundation
import WardText

/// The stored hash of a password: Argon2id with salt and settings, in the PHC string format of libsodium, or the hash of another
/// system until its owner signs in.
///
/// Creating and comparing a hash uses a thread for the time that the settings require: see ``PasswordQueue``.
package struct PasswordHash: Sendable {
    /// The form of the text: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`, with salt and hash in base64 without padding.
    package let text: String
    /// The hash of another system; `nil` for the service's own form.
    let imported: ImportedPasswordHash?

    /// Wraps a stored hash.
    package init(stored text: String) {
        self.text = text
        imported = Self.isOwn(text) ? nil : ImportedPasswordHash(text)
    }

    /// Whether a text is a hash that can be compared.
    ///
    /// The limits of imported hashes hold for Argon2id with one lane too.
    static func isKnown(_ text: String) -> Bool { ImportedPasswordHash(text) != nil }

    /// Whether a comparison does the same work as one with another hash.
    func hasCost(of other: PasswordHash) -> Bool {
        guard imported == nil, other.imported == nil else { return false }
        return text.split(separator: "$").dropFirst(2).first == other.text.split(separator: "$").dropFirst(2).first
    }

    /// Whether libsodium reads the hash: Argon2id with one lane.
    private static func isOwn(_ text: String) -> Bool {
        text.hasPrefix("$argon2id$v=19$") && text.contains(",p=1$") && text.utf8.count < crypto_pwhash_strbytes()
    }

    /// Hashes a password with a new salt.
    ///
    /// - Throws: ``APIError`` with `unavailable` if there is not enough memory.
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
        imported = nil
    }

    /// A hash whose password is unknown.
    ///
    /// A comparison with it takes as long as a comparison with a real hash.
    package init(decoyWith effort: PasswordEffort, randomBytes: (Int) -> [UInt8]) {
        let (salt, hash) = (
            Base64.encode(randomBytes(16), padding: false), Base64.encode(randomBytes(32), padding: false)
        )
        text = "$argon2id$v=19$m=\(effort.memory),t=\(effort.passes),p=1$\(salt)$\(hash)"
        imported = nil
    }

    /// Whether the password is right.
    ///
    /// The time of the comparison does not depend on the password. Another system compared the password as it was typed, so the
    /// hash of one is compared with that, and with the prepared password if they differ.
    ///
    /// - Parameters:
    ///   - password: The prepared password.
    ///   - typed: The password as the person typed it; `nil` if it is the same.
    /// - Returns: Whether it is.
    /// - Throws: ``APIError`` with `unavailable` if this cannot be checked: no memory, or not a hash of libsodium.
    package func matches(_ password: [UInt8], typed: [UInt8]? = nil) throws(APIError) -> Bool {
        if let imported {
            if let typed, typed != password, try imported.matches(typed) { return true }
            return try imported.matches(password)
        }
        let length = crypto_pwhash_strbytes()
        guard Self.isReady, Self.isOwn(text) else { throw .noHashing }
        var stored = text.utf8.map { CChar(bitPattern: $0) }
        stored += [CChar](repeating: 0, count: length - stored.count)
        let characters = password.map { CChar(bitPattern: $0) }
        errno = 0
        if unsafe crypto_pwhash_str_verify(stored, characters, UInt64(characters.count)) == 0 { return true }
        // A mismatch is EINVAL. Any other error (no memory, a truncated hash) says nothing about the password.
        guard errno == EINVAL else { throw .noHashing }
        return false
    }

    /// Whether the hash was made with a lower cost than the current setting.
    package func isWeaker(than effort: PasswordEffort) -> Bool {
        let parts = text.split(separator: "$")
        guard imported == nil, parts.count == 5, parts[0] == "argon2id" else { return true }
        func number(_ name: String) -> Int? {
            parts[2].split(separator: ",").first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) }
        }
        return (number("m=") ?? 0) < effort.memory || (number("t=") ?? 0) < effort.passes
    }

    /// Whether libsodium is initialised.
    ///
    /// This is checked once.
    private static let isReady = sodium_init() >= 0
}

extension APIError {
    /// Passwords cannot be compared: there is no memory, or the hash is in no known form.
    static let noHashing = APIError(
        .unavailable,
        "The service cannot check passwords at the moment. Try again later."
    )
}
