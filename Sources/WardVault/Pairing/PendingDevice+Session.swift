package import WardLog

extension PendingDevice {
    /// Signs, with the key of this new device, the statement that opens a session of a sync server.
    ///
    /// A server knows the device once a member has admitted it. Nothing else can be signed in this way.
    ///
    /// - Parameters:
    ///   - host: The server as this device reaches it.
    ///   - vault: The vault in the reply of the member.
    ///   - challenge: What the server gave, 32 bytes.
    ///   - time: The time that the server gave with it.
    /// - Returns: The statement with its signature.
    /// - Throws: ``VaultError`` with `unavailable`.
    package func signSession(
        host: String,
        vault: VaultID,
        challenge: [UInt8],
        time: UInt64
    ) throws(VaultError) -> SignedServerStatement {
        let statement = ServerStatement(
            .session,
            host: host,
            vault: vault,
            subject: request.device.id.bytes,
            challenge: challenge,
            time: time
        )
        return SignedServerStatement(statement, signature: try key.sign(statement.message))
    }
}
