package import WardLog
package import WardVault

/// Signs what opens a session of a server.
///
/// The key stays where it is: in a vault, or with a device that has not joined yet.
package struct SessionSigner: Sendable {
    /// Signs the statement for a host, a challenge of 32 bytes and the time that the server gave.
    package typealias Sign =
        @Sendable (_ host: String, _ challenge: [UInt8], _ time: UInt64) async throws -> SignedServerStatement

    let sign: Sign

    package init(_ sign: @escaping Sign) { self.sign = sign }

    /// Signs with the key of this device in an open vault.
    package init(_ vault: Vault) {
        sign = { host, challenge, time in
            try await vault.signSession(host: host, challenge: challenge, time: time)
        }
    }
}
