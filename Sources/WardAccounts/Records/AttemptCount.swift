/// How often something was tried, such as the password of one name; see ``AccountTransaction/attempts(_:)``.
///
/// Times are seconds since 1970.
public struct AttemptCount: Hashable, Sendable {
    /// The length of ``key``, in bytes.
    public static let keyLength = 32

    /// A digest of what is counted, 32 bytes, so that typed names and addresses are not stored.
    public var key: [UInt8]
    /// The number of tries.
    public var count: Int64
    /// When the last one was.
    public var lastAt: Int64
    /// From when on the count means nothing.
    public var expiresAt: Int64

    /// Creates a record.
    public init(key: [UInt8], count: Int64, lastAt: Int64, expiresAt: Int64) {
        self.key = key
        self.count = count
        self.lastAt = lastAt
        self.expiresAt = expiresAt
    }
}
