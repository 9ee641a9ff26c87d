public import WardLog
internal import WardText

/// Who opens sessions: a device, or a recovery key.
public struct SyncSubject: Hashable, Sendable, CustomStringConvertible {
    /// The ID of a device (16 bytes), or the Ed25519 key of a recovery key (32 bytes).
    public let bytes: [UInt8]

    /// Reads a subject that was stored, or returns `nil` if the length is wrong.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == DeviceID.length || bytes.count == LogEntry.publicKeyLength else { return nil }
        self.bytes = bytes
    }

    /// A device as a subject.
    public init(_ device: DeviceID) { bytes = device.bytes }

    /// The ID or the key in hexadecimal digits.
    public var name: String { Hex.encode(bytes) }

    /// The device; `nil` for a recovery key.
    public var device: DeviceID? { DeviceID(bytes) }

    /// The beginning of the ID of a device, or what else it is: enough for a log.
    public var description: String { device?.description ?? "recovery key" }
}

/// A key with which sessions of a vault are opened.
public struct SyncKey: Hashable, Sendable {
    /// Whose key it is.
    public var subject: SyncSubject
    /// An Ed25519 key, 32 bytes.
    public var publicKey: [UInt8]
    /// Whether sessions can be opened with it.
    ///
    /// The key of a removed device stays, so that the device can learn that it was removed.
    public var isAllowed: Bool

    /// A key of a subject.
    public init(subject: SyncSubject, publicKey: [UInt8], isAllowed: Bool) {
        self.subject = subject
        self.publicKey = publicKey
        self.isAllowed = isAllowed
    }
}

/// A session of a device or a recovery key.
public struct SyncSession: Hashable, Sendable {
    /// What a store knows of the token.
    public var token: TokenHash
    /// The vault.
    public var vault: VaultID
    /// Who opened the session.
    public var subject: SyncSubject
    /// When it was opened, in seconds since 1970.
    public var createdAt: Int64
    /// When it ends, in seconds since 1970.
    public var expiresAt: Int64

    /// A session.
    public init(token: TokenHash, vault: VaultID, subject: SyncSubject, createdAt: Int64, expiresAt: Int64) {
        self.token = token
        self.vault = vault
        self.subject = subject
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// A session and its vault, at one moment.
public struct SyncVisit: Hashable, Sendable {
    /// The session.
    public var session: SyncSession
    /// Its vault.
    public var vault: SyncVault

    /// A session and its vault.
    public init(session: SyncSession, vault: SyncVault) {
        self.session = session
        self.vault = vault
    }
}
