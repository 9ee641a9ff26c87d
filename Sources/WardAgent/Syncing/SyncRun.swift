internal import WardSync
internal import WardVault

/// What syncs a vault with a folder or a server; the same value is used for as long as the vault is open.
struct SyncRun: Sendable {
    /// Syncs once.
    var sync: Syncer.Run
    /// Waits until the other side has something new; `nil` if it cannot tell.
    var waitForNews: (@Sendable () async throws -> Void)?
    /// What proves that the server showed two orders, also if the last sync failed.
    var twoOrders: (@Sendable () async -> OrderWitness?)?
    /// Whether something passed in the last sync, also if it failed.
    var hasPassed: (@Sendable () async -> Bool)?
    /// Says goodbye to the other side.
    var end: (@Sendable () async -> Void)?

    /// Makes what syncs an open vault.
    typealias Making = @Sendable (Vault, SyncSetting.Place, ServerBeginning, @escaping SyncProgress.Report) -> SyncRun
}

extension SyncRun {
    /// Syncs with a server.
    static func server(
        _ vault: Vault,
        _ address: ServerAddress,
        _ beginning: ServerBeginning,
        progress: @escaping SyncProgress.Report
    ) -> SyncRun {
        let connection = ServerConnection(address, vault: vault.id, signer: SessionSigner(vault))
        let sync = ServerSync(vault, with: connection, beginning: beginning, progress: progress)
        return SyncRun(
            sync: { try await sync.run() },
            waitForNews: { try await sync.waitForNews() },
            twoOrders: { await sync.twoOrders },
            hasPassed: { await sync.hasPassed },
            end: { await connection.close() }
        )
    }
}
