public import WardLog
internal import WardText

/// A vault at a server.
public struct SyncVault: Hashable, Sendable {
    /// The hash of the first entry of its log.
    public var id: VaultID
    /// The name of the server's order of entries, 16 random bytes.
    ///
    /// A server that lost entries begins another order.
    public var order: [UInt8]
    /// When the vault was brought, in seconds since 1970.
    public var createdAt: Int64
    /// The invitation with which the vault is brought; `nil` once a device has brought something in a session.
    public var invitation: TokenHash?
    /// The account of the operator's service that has the vault, by a name that never changes.
    ///
    /// It is `nil` for a vault that was brought with an invitation of the operator.
    public var account: String?
    /// The hash of the entry that begins the circle of devices, as its first uploader says.
    ///
    /// The server cannot verify it.
    public var circleRoot: [UInt8]?
    /// The number of the last entry: entries are numbered from 1, in the order in which they arrived.
    public var head: Int64
    /// The length of all entries and blobs.
    public var bytes: Int64

    /// A vault.
    public init(
        id: VaultID,
        order: [UInt8],
        createdAt: Int64,
        invitation: TokenHash?,
        account: String? = nil,
        circleRoot: [UInt8]? = nil,
        head: Int64 = 0,
        bytes: Int64 = 0
    ) {
        self.id = id
        self.order = order
        self.createdAt = createdAt
        self.invitation = invitation
        self.account = account
        self.circleRoot = circleRoot
        self.head = head
        self.bytes = bytes
    }

    /// The length of the name of an order, in bytes.
    public static let orderLength = 16

    /// The ID in 64 hexadecimal digits.
    public var name: String { Hex.encode(id.bytes) }
}

/// How much of a vault one device wrote.
public struct SyncShare: Hashable, Sendable {
    /// The device.
    public var device: DeviceID
    /// The number of its entries.
    public var entries: Int64
    /// The length of these entries and their blobs.
    public var bytes: Int64

    /// The share of a device.
    public init(device: DeviceID, entries: Int64, bytes: Int64) {
        self.device = device
        self.entries = entries
        self.bytes = bytes
    }
}

/// The permission to bring one vault: of the operator, or of an account whose owner agreed.
public struct SyncInvitation: Hashable, Sendable {
    /// What a store knows of the token.
    public var token: TokenHash
    /// When it was made, in seconds since 1970.
    public var createdAt: Int64
    /// When it ends, in seconds since 1970.
    public var expiresAt: Int64
    /// The account that gets the vault; `nil` for an invitation of the operator.
    public var account: String?

    /// How an operator names the invitation: 16 hexadecimal digits, from which nobody makes the token.
    public var id: String { Hex.encode(token.bytes.prefix(8)) }

    /// An invitation.
    public init(token: TokenHash, createdAt: Int64, expiresAt: Int64, account: String? = nil) {
        self.token = token
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.account = account
    }
}
