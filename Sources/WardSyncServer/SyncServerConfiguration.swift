package import HTTPTypes
package import NIOCore

/// The settings of a sync server.
package struct SyncServerConfiguration: Sendable {
    /// The address of a client, in a form in which all requests of one client are equal; `nil` if it is not known.
    package typealias AddressOfRequest = @Sendable (HTTPFields, SocketAddress?) -> String?

    /// The server as devices reach it: a name or an address, and the port if it is not the usual one.
    ///
    /// Devices sign it, so nobody can use what they sign at another server. It never comes from a request.
    package var host: String
    package var limits: SyncLimits
    /// The accounts whose owners bring vaults, beside people with an invitation.
    package var accounts: SyncAccounts?
    /// Without it nothing is limited by address.
    package var address: AddressOfRequest?

    package init(
        host: String,
        limits: SyncLimits = .standard,
        accounts: SyncAccounts? = nil,
        address: AddressOfRequest? = nil
    ) {
        self.host = host
        self.limits = limits
        self.accounts = accounts
        self.address = address
    }
}
