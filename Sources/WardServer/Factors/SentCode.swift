import Crypto
import WardAccounts

/// A code in a message: six random digits, for one account, for ten minutes, once.
///
/// The store has only a message authentication code of it, with a secret of the service: there are only a million codes.
enum SentCode {
    /// The number of digits.
    static let digits = 6
    private static let secretName = "sent-codes"
    private static let secretLength = 32

    /// A random code.
    static func new(_ randomBytes: (_ count: Int) -> [UInt8]) -> String {
        // The remainder favours some codes by less than one in 10^13.
        let number = randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let text = String(number)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// What the store has of a code.
    ///
    /// - Parameters:
    ///   - code: The digits as ASCII.
    ///   - account: The account.
    ///   - randomBytes: For the secret, which is made at the first code.
    ///   - tx: A transaction that may write.
    /// - Returns: 32 bytes.
    /// - Throws: The store's errors.
    static func hash(
        of code: [UInt8],
        _ account: AccountID,
        _ randomBytes: (_ count: Int) -> [UInt8],
        in tx: some AccountTransaction
    ) async throws -> [UInt8] {
        let secret = try await tx.insertSecret(named: secretName, randomBytes(secretLength))
        let key = SymmetricKey(data: secret)
        return Array(HMAC<SHA256>.authenticationCode(for: account.bytes + code, using: key))
    }
}
