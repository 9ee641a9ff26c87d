package import WardLog
internal import WardText

/// A vault at a server.
package struct SyncVault: Hashable, Sendable {
    /// Who let the vault in.
    package enum Admission: Hashable, Sendable {
        /// An invitation of the operator, which can be used once.
        case invitation(TokenHash)
        /// An account of the operator's service, by its name there.
        case account(String)
    }

    package var id: VaultID
    /// The name of the server's order of entries, 16 random bytes.
    ///
    /// A server that lost entries begins another order.
    package var order: [UInt8]
    package var createdAt: Int64
    package var admission: Admission
    /// The hash of the entry that begins the circle of devices, as its first uploader says.
    ///
    /// The server cannot verify it.
    package var circleRoot: [UInt8]?
    /// The number of the last entry: entries are numbered from 1, in the order in which they arrived.
    package var head: Int64
    /// The length of all entries and blobs.
    package var bytes: Int64

    package init(
        id: VaultID,
        order: [UInt8],
        createdAt: Int64,
        admission: Admission,
        circleRoot: [UInt8]? = nil,
        head: Int64 = 0,
        bytes: Int64 = 0
    ) {
        self.id = id
        self.order = order
        self.createdAt = createdAt
        self.admission = admission
        self.circleRoot = circleRoot
        self.head = head
        self.bytes = bytes
    }

    package static let orderLength = 16

    /// The ID in 64 hexadecimal digits.
    package var name: String { Hex.encode(id.bytes) }
}

/// How much of a vault one device wrote.
package struct SyncShare: Hashable, Sendable {
    package var device: DeviceID
    package var entries: Int64
    /// The length of these entries and their blobs.
    package var bytes: Int64

    package init(device: DeviceID, entries: Int64, bytes: Int64) {
        self.device = device
        self.entries = entries
        self.bytes = bytes
    }
}

/// The permission of the operator to bring one vault.
package struct SyncInvitation: Hashable, Sendable {
    package var token: TokenHash
    package var createdAt: Int64
    package var expiresAt: Int64

    /// How an operator names the invitation: 16 hexadecimal digits, from which nobody makes the token.
    package var id: String { Hex.encode(token.bytes.prefix(8)) }

    package init(token: TokenHash, createdAt: Int64, expiresAt: Int64) {
        self.token = token
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
