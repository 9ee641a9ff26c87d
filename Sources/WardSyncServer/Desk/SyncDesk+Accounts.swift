import WardSyncRecords

extension SyncDesk {
    /// How many accounts one step looks at.
    private static let step = 500

    /// Deletes the vaults of accounts that were deleted.
    ///
    /// Every way to delete an account is noticed, also a command of the operator in another process.
    func deleteVaultsOfDeletedAccounts() async throws {
        guard let accounts else { return }
        var last = ""
        while true {
            let names = try await store.accounts(after: last, limit: Self.step)
            guard let end = names.last else { return }
            for name in try await accounts.deleted(names) {
                for vault in try await store.vaults(of: name) where try await store.delete(vault.id) {
                    news.tell(vault.id)
                }
            }
            last = end
        }
    }
}
