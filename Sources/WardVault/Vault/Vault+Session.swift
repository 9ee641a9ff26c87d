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

    /// The first entry of this device, if a recovery key let it join the circle; otherwise `nil`.
    ///
    /// A server that has it not yet opens a session to the device all the same. The whole log is read.
    ///
    /// - Throws: ``VaultError`` with `locked`, `damaged` or `unavailable`.
    package func recoveryEntry() throws(VaultError) -> SignedEntry? {
        let open = try open()
        guard open.chain.circle != nil,
            let entry = try CircleHistory(open.graph(), database).admission(of: open.device.device)
        else { return nil }
        return RecoveredDevice(entry) == nil ? nil : entry
    }
}
