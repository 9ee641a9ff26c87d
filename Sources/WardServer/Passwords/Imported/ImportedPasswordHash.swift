internal import CArgon2
internal import CCrypt
internal import Crypto
internal import CryptoExtras
internal import CSodium
internal import Foundation

/// A password hash that another system made, in one of the usual forms.
///
/// It can only be compared. After the next sign-in the service has a hash of its own.
///
/// | form | made by |
/// |---|---|
/// | `$2a$`, `$2b$`, `$2y$` | bcrypt of any library; the first 72 bytes of the password count |
/// | `$5$`, `$6$` | crypt with SHA-256 and SHA-512 |
/// | `$argon2id$`, `$argon2i$`, `$argon2d$` | Argon2 with any number of lanes (PHC string format) |
/// | `$pbkdf2$`, `$pbkdf2-sha256$`, `$pbkdf2-sha512$`, `$scrypt$` | passlib |
/// | `pbkdf2_sha1$`, `pbkdf2_sha256$`, `bcrypt$`, `bcrypt_sha256$`, `scrypt$`, `argon2$` | Django |
/// | `pbkdf2:…$`, `scrypt:…$` | Werkzeug (Flask) |
package struct ImportedPasswordHash: Sendable {
    /// How a hash is compared.
    enum Method: Sendable {
        case crypt(String)
        case argon2(String, kind: Argon2Kind)
        case pbkdf2(KDF.Insecure.PBKDF2.HashFunction, rounds: Int, salt: [UInt8], hash: [UInt8])
        case scrypt(cost: UInt64, blockSize: UInt32, lanes: UInt32, salt: [UInt8], hash: [UInt8])
    }

    /// A variant of Argon2.
    enum Argon2Kind: String, Sendable { case argon2id, argon2i, argon2d }

    /// The maximum length of a hash in bytes.
    static let maximumLength = 512

    let method: Method
    /// Whether the password is replaced by the hexadecimal digits of its SHA-256 hash first.
    let isHashedFirst: Bool

    /// Reads a hash.
    ///
    /// The result is `nil` if the form is unknown, or if a comparison would need more than 1 GiB of memory or far more time than
    /// usual settings.
    ///
    /// - Parameter text: The hash as the other system stored it.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let (method, isHashedFirst) = Self.read(text)
        else { return nil }
        (self.method, self.isHashedFirst) = (method, isHashedFirst)
    }

    /// Whether the password is right.
    ///
    /// The time depends on the settings of the hash, and not on the password.
    ///
    /// - Parameter password: The password as the person typed it, in UTF-8.
    /// - Returns: Whether it is.
    /// - Throws: ``APIError`` with `unavailable` if there is not enough memory.
    package func matches(_ password: [UInt8]) throws(APIError) -> Bool {
        var password = password
        if isHashedFirst { password = Array(Data(SHA256.hash(data: password)).flatMap { Self.digits($0) }) }
        defer { unsafe sodium_memzero(&password, password.count) }
        switch method {
        case .crypt(let stored): return try Self.crypt(password, stored)
        case .argon2(let stored, let kind): return try Self.argon2(password, stored, kind)
        case .pbkdf2(let function, let rounds, let salt, let hash):
            let key = try? KDF.Insecure.PBKDF2.deriveKey(
                from: password,
                salt: salt,
                using: function,
                outputByteCount: hash.count,
                unsafeUncheckedRounds: rounds
            )
            guard let key else { throw .noHashing }
            return unsafe key.withUnsafeBytes { unsafe Self.isEqual(Array($0), hash) }
        case .scrypt(let cost, let blockSize, let lanes, let salt, let hash):
            var key = [UInt8](repeating: 0, count: hash.count)
            let result = unsafe crypto_pwhash_scryptsalsa208sha256_ll(
                password,
                password.count,
                salt,
                salt.count,
                cost,
                blockSize,
                lanes,
                &key,
                key.count
            )
            guard result == 0 else { throw .noHashing }
            return Self.isEqual(key, hash)
        }
    }

    private static func crypt(_ password: [UInt8], _ stored: String) throws(APIError) -> Bool {
        // A C text ends at its first zero, so a password with one would be compared only in part.
        guard !password.contains(0) else { return false }
        var output = [CChar](repeating: 0, count: Int(CRYPT_OUTPUT_SIZE))
        let phrase = password.map { CChar(bitPattern: $0) } + [0]
        guard unsafe ward_crypt(phrase, stored, &output) == 0 else { throw .noHashing }
        let made = output.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        // 2a, 2b and 2y name the same function. The library keeps the letters.
        return isEqual(made, Array(stored.utf8))
    }

    private static func argon2(_ password: [UInt8], _ stored: String, _ kind: Argon2Kind) throws(APIError) -> Bool {
        let type: argon2_type =
            switch kind {
            case .argon2id: Argon2_id
            case .argon2i: Argon2_i
            case .argon2d: Argon2_d
            }
        let result = unsafe argon2_verify(stored, password, password.count, type)
        if result == ARGON2_OK.rawValue { return true }
        guard result == ARGON2_VERIFY_MISMATCH.rawValue else { throw .noHashing }
        return false
    }

    /// Compares in a time that depends only on the lengths.
    private static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        unsafe one.count == other.count && sodium_memcmp(one, other, one.count) == 0
    }

    private static func digits(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
