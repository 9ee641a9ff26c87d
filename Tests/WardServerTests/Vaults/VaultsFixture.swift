import Synchronization
import WardServer

/// The vaults of a sync server, in memory.
final class VaultsFixture: Sendable {
    private struct State {
        var vaults: [(account: String, vault: AccountVaults.Vault)] = []
        var isDown = false
    }

    private let state = Mutex(State())

    /// The IDs of all vaults.
    var ids: [String] { state.withLock { $0.vaults.map(\.vault.id) } }

    /// Whether the sync server cannot answer.
    var isDown: Bool {
        get { state.withLock(\.isDown) }
        set { state.withLock { $0.isDown = newValue } }
    }

    /// Brings a vault with an ID of one repeated digit.
    @discardableResult
    func bring(_ digit: Character, by account: String, lastUsedAt: Int64? = nil) -> String {
        let id = String(repeating: digit, count: 64)
        let vault = AccountVaults.Vault(id: id, broughtAt: 60, lastUsedAt: lastUsedAt, devices: 2, bytes: 5_000)
        state.withLock { $0.vaults.append((account, vault)) }
        return id
    }

    /// A service beside this sync server.
    var configuration: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.vaults = AccountVaults(mostVaults: 5, mostBytes: 1_000_000) { account in
            try self.whileUp { state in state.vaults.filter { $0.account == account }.map(\.vault) }
        } delete: { id, account in
            try self.whileUp { state in
                let count = state.vaults.count
                state.vaults.removeAll { $0.account == account && $0.vault.id == id }
                return state.vaults.count < count
            }
        }
        return configuration
    }

    private func whileUp<T: Sendable>(_ body: (inout sending State) -> sending T) throws -> T {
        try state.withLock { state in
            guard !state.isDown else { throw APIError(.unavailable, "The sync server cannot answer now.") }
            return body(&state)
        }
    }
}
