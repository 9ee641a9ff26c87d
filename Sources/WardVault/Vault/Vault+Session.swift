package import WardLog

extension Vault {
    /// Signs, with the key of this device, the statement that opens a session of a sync server.
    ///
    /// Nothing else can be signed in this way: the purpose, the vault and the device are fixed.
    ///
    /// - Parameters:
    ///   - host: The server as this device reaches it.
    ///   - challenge: What the server gave, 32 bytes.
    ///   - time: The time that the server gave with it.
    /// - Returns: The statement with the signature of this device.
    /// - Throws: ``VaultError`` with `locked`, `closed` or `unavailable`.
    package func signSession(
        host: String,
        challenge: [UInt8],
        time: UInt64
    ) throws(VaultError) -> SignedServerStatement {
        let device = try open().device
        let statement = ServerStatement(
            .session,
            host: host,
            vault: id,
            subject: device.device.bytes,
            challenge: challenge,
            time: time
        )
        return SignedServerStatement(statement, signature: try device.key.sign(statement.message))
    }
}
