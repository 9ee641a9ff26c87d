import WardServer
import WardSyncRecords
import WardSyncServer
import WardSyncStoreSQLite

extension AccountVaults {
    /// The vaults of a sync server, for the account page of the service.
    init(_ sync: SyncServer, _ store: SQLiteSyncStore, _ limits: SyncLimits) {
        self.init(mostVaults: limits.vaultsOfAccount, mostBytes: limits.accountBytes) { account in
            try await Self.refusing { try await store.overviews(of: account).map(Vault.init) }
        } delete: { vault, account in
            try await Self.refusing { try await sync.delete(vault, of: account) }
        }
    }

    /// Says the failures of the sync server's store in the words of the service.
    private static func refusing<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as SyncStoreError where error.code == .busy {
            throw APIError(.unavailable, "The sync server has too much to do. Try again in a moment.", retryAfter: 2)
        } catch is SyncStoreError {
            throw APIError(.unavailable, "The sync server cannot answer now.")
        }
    }
}

extension AccountVaults.Vault {
    fileprivate init(_ overview: SyncVaultOverview) {
        self.init(
            id: overview.id,
            broughtAt: overview.vault.createdAt,
            lastUsedAt: overview.seenAt,
            devices: overview.devices,
            bytes: overview.vault.bytes
        )
    }
}
