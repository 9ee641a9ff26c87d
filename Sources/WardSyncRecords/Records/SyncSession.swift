package import WardLog
internal import WardText

/// Who opens sessions: a device, or a recovery key.
package struct SyncSubject: Hashable, Sendable, CustomStringConvertible {
    /// The ID of a device (16 bytes), or the Ed25519 key of a recovery key (32 bytes).
    package let bytes: [UInt8]

    package init?(_ bytes: [UInt8]) {
        guard bytes.count == DeviceID.length || bytes.count == LogEntry.publicKeyLength else { return nil }
        self.bytes = bytes
    }

    package init(_ device: DeviceID) { bytes = device.bytes }

    /// The ID or the key in hexadecimal digits.
    package var name: String { Hex.encode(bytes) }

    /// The device; `nil` for a recovery key.
    package var device: DeviceID? { DeviceID(bytes) }

    package var description: String { device?.description ?? "recovery key" }
}

/// A key with which sessions of a vault are opened.
package struct SyncKey: Hashable, Sendable {
    package var subject: SyncSubject
    /// An Ed25519 key, 32 bytes.
    package var publicKey: [UInt8]
    /// Whether sessions can be opened with it.
    ///
    /// The key of a removed device stays, so that the device can learn that it was removed.
    package var isAllowed: Bool

    package init(subject: SyncSubject, publicKey: [UInt8], isAllowed: Bool) {
        self.subject = subject
        self.publicKey = publicKey
        self.isAllowed = isAllowed
    }
}

/// A session of a device or a recovery key.
package struct SyncSession: Hashable, Sendable {
    package var token: TokenHash
    package var vault: VaultID
    package var subject: SyncSubject
    package var createdAt: Int64
    package var expiresAt: Int64

    package init(token: TokenHash, vault: VaultID, subject: SyncSubject, createdAt: Int64, expiresAt: Int64) {
        self.token = token
        self.vault = vault
        self.subject = subject
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// A session and its vault, at one moment.
package struct SyncVisit: Hashable, Sendable {
    package var session: SyncSession
    package var vault: SyncVault

    package init(session: SyncSession, vault: SyncVault) {
        self.session = session
        self.vault = vault
    }
}
