/// The vaults that accounts keep at the sync server beside the service.
///
/// The sync server knows everything about vaults. The service knows who is signed in, and hands over the ID of the account alone.
package struct AccountVaults: Sendable {
    /// A vault as its owner sees it.
    ///
    /// The sync server has no name of a vault, and cannot read what is in it.
    package struct Vault: Hashable, Sendable {
        /// The ID, in 64 hexadecimal digits.
        package var id: String
        /// When the vault was brought, in seconds since 1970.
        package var broughtAt: Int64
        /// When a device was last there, in seconds since 1970; `nil` if none was since the vault was brought.
        package var lastUsedAt: Int64?
        /// The number of devices that may write.
        package var devices: Int
        /// The length of everything that is stored of the vault.
        package var bytes: Int64

        package init(id: String, broughtAt: Int64, lastUsedAt: Int64?, devices: Int, bytes: Int64) {
            self.id = id
            self.broughtAt = broughtAt
            self.lastUsedAt = lastUsedAt
            self.devices = devices
            self.bytes = bytes
        }
    }

    /// The maximum number of vaults of one account.
    package var mostVaults: Int
    /// The maximum length of all vaults of one account together.
    package var mostBytes: Int64
    /// The vaults of an account, in the order in which they were brought.
    ///
    /// It throws ``APIError`` if the sync server cannot answer.
    package var list: @Sendable (_ account: String) async throws -> [Vault]
    /// Deletes a vault of an account, and says whether the account had it.
    ///
    /// It throws ``APIError`` if the sync server cannot answer.
    package var delete: @Sendable (_ vault: String, _ account: String) async throws -> Bool

    package init(
        mostVaults: Int,
        mostBytes: Int64,
        list: @escaping @Sendable (_ account: String) async throws -> [Vault],
        delete: @escaping @Sendable (_ vault: String, _ account: String) async throws -> Bool
    ) {
        self.mostVaults = mostVaults
        self.mostBytes = mostBytes
        self.list = list
        self.delete = delete
    }
}
