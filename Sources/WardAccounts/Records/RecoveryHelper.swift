/// A person whom the owner of an account named to help with its recovery.
///
/// It is a wish until the other person accepts it. Times are seconds since 1970.
public struct RecoveryHelper: Hashable, Sendable {
    /// The length of an ID, in bytes.
    public static let idLength = 16

    /// The record's ID: 16 random bytes; never changes.
    public var id: [UInt8]
    /// The account whose recovery the other person helps with; never changes.
    public var ownerID: AccountID
    /// The user name that the owner typed; never changes.
    public var name: String
    /// The account of the other person.
    ///
    /// It is `nil` if no account had the name, and becomes `nil` when the account is deleted.
    public var helperID: AccountID?
    /// The time when the owner named the other person.
    public var createdAt: Int64
    /// The time when the other person accepted; `nil` while they have not.
    public var acceptedAt: Int64?

    /// Creates a record.
    public init(
        id: [UInt8],
        ownerID: AccountID,
        name: String,
        helperID: AccountID?,
        createdAt: Int64,
        acceptedAt: Int64? = nil
    ) {
        self.id = id
        self.ownerID = ownerID
        self.name = name
        self.helperID = helperID
        self.createdAt = createdAt
        self.acceptedAt = acceptedAt
    }
}
