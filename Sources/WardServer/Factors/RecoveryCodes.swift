import Crypto
import WardAccounts
import WardText

/// Recovery codes: an account's owner keeps ten of them on paper, and each works once.
///
/// A code has 80 random bits (NIST SP 800-63B-4 calls it a look-up secret, and wants 20 at least). The store has only hashes, and
/// with so many bits one round of SHA-256 is enough.
enum RecoveryCodes {
    /// The number of codes.
    static let count = 10
    /// The length of a code, in bytes.
    private static let length = 10

    /// Makes new codes of an account.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - now: Seconds since 1970.
    ///   - randomBytes: Where randomness comes from.
    /// - Returns: The texts for the owner, and the records.
    static func new(
        of account: AccountID,
        at now: Int64,
        randomBytes: (_ count: Int) -> [UInt8]
    ) -> (texts: [String], records: [FactorRecord]) {
        let codes = (0..<count).map { _ in randomBytes(length) }
        let records = codes.map { code in
            FactorRecord(
                accountID: account,
                kind: .recoveryCode,
                key: key(of: code, account),
                payload: [],
                createdAt: now,
                confirmedAt: now
            )
        }
        return (codes.map(text), records)
    }

    /// What finds the record of a typed code, or `nil` if the text cannot be a code.
    ///
    /// Upper and lower case, spaces and hyphens do not matter, and the digits 0, 1 and 8 count as the letters O, L and B.
    static func key(of typed: String, _ account: AccountID) -> [UInt8]? {
        guard typed.utf8.count <= 64, let code = Base32.decode(typed), code.count == length else { return nil }
        return key(of: code, account)
    }

    /// The text of a code: four groups of four letters and digits.
    private static func text(_ code: [UInt8]) -> String {
        let letters = Array(Base32.encode(code).lowercased())
        return stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<min($0 + 4, letters.count)]) }
            .joined(separator: "-")
    }

    /// The account is hashed too, so that a code of one account finds nothing in another.
    private static func key(of code: [UInt8], _ account: AccountID) -> [UInt8] {
        Array(SHA256.hash(data: account.bytes + code))
    }
}
