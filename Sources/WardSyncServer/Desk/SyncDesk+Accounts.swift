import WardLog
import WardSyncRecords

extension SyncDesk {
    /// Deletes a vault, and wakes the devices that wait for news of it.
    ///
    /// - Returns: Whether it existed.
    func delete(_ vault: VaultID) async throws -> Bool {
        guard try await store.delete(vault) else { return false }
        news.tell(vault)
        return true
    }

    /// How many accounts one step looks at.
    private static let step = 500

    /// Deletes the vaults of accounts that were deleted.
    ///
    /// Every way to delete an account is noticed, also a command of the operator in another process.
    func deleteVaultsOfDeletedAccounts() async throws {
        guard let owners else { return }
        var last = ""
        while true {
            let names = try await store.accounts(after: last, limit: Self.step)
            guard let end = names.last else { return }
            for name in try await owners.deleted(names) {
                for vault in try await store.vaults(of: name) { _ = try await delete(vault.id) }
            }
            last = end
        }
    }
}
