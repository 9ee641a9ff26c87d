/// A count of attempts, such as the wrong passwords for one name; see ``AccountTransaction/attempts(_:)``.
///
/// Times are seconds since 1970.
public struct AttemptCount: Hashable, Sendable {
    /// The length of ``key``, in bytes.
    public static let keyLength = 32

    /// A digest of the name or address that is counted, 32 bytes.
    ///
    /// So typed names and addresses are not stored.
    public var key: [UInt8]
    /// The number of attempts.
    public var count: Int64
    /// The time of the last attempt.
    public var lastAt: Int64
    /// The time from which the count no longer has an effect.
    public var expiresAt: Int64

    /// Creates a record.
    public init(key: [UInt8], count: Int64, lastAt: Int64, expiresAt: Int64) {
        self.key = key
        self.count = count
        self.lastAt = lastAt
        self.expiresAt = expiresAt
    }
}
