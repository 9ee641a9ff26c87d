internal import WardCBOR

/// What a device signs for a server: that it opens a session, or deletes the vault there.
///
/// The first byte is that of a CBOR array, so no signature of an entry or of an owner key on an entry fits. The host is part of it, so
/// another server can do nothing with it. `Documentation/formats/sync.md`, "Server".
package struct ServerStatement: Hashable, Sendable {
    package enum Purpose: String, Sendable {
        case session
        case delete
    }

    package var purpose: Purpose
    /// The server, as the device reaches it: a name or an address, and the port if it is not the usual one.
    package var host: String
    package var vault: VaultID
    /// The ID of the device (16 bytes), or the Ed25519 key of a recovery key (32 bytes).
    package var subject: [UInt8]
    /// What the server gave, which it accepts once.
    package var challenge: [UInt8]
    /// The time that the server gave with it, in seconds since 1970.
    package var time: UInt64

    package init(
        _ purpose: Purpose,
        host: String,
        vault: VaultID,
        subject: [UInt8],
        challenge: [UInt8],
        time: UInt64
    ) {
        self.purpose = purpose
        self.host = host
        self.vault = vault
        self.subject = subject
        self.challenge = challenge
        self.time = time
    }

    /// The bytes that are signed.
    package var message: [UInt8] {
        let value: CBORValue = [
            .text("ward"), .unsigned(1), .text(purpose.rawValue), .text(host), .bytes(vault.bytes), .bytes(subject),
            .bytes(challenge), .unsigned(time),
        ]
        return value.encoded()
    }
}
