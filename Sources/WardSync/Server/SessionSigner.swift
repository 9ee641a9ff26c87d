package import WardLog
package import WardVault

/// Signs what opens a session of a server.
///
/// The key stays where it is: in a vault, or with a device that has not joined yet.
package struct SessionSigner: Sendable {
    /// Signs the statement for a host, a challenge of 32 bytes and the time that the server gave.
    package typealias Sign =
        @Sendable (_ host: String, _ challenge: [UInt8], _ time: UInt64) async throws -> SignedServerStatement

    /// The first entry of a device that came back with a recovery key; `nil` for every other device.
    package typealias Introduction = @Sendable () async throws -> [UInt8]?

    let sign: Sign
    let introduction: Introduction

    package init(_ sign: @escaping Sign, introduction: @escaping Introduction = { nil }) {
        self.sign = sign
        self.introduction = introduction
    }

    /// Signs with the key of this device in an open vault.
    package init(_ vault: Vault) {
        introduction = { try await vault.recoveryEntry()?.encoded }
        sign = { host, challenge, time in
            try await vault.signSession(host: host, challenge: challenge, time: time)
        }
    }
}
