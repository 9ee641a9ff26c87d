import WardLog
import WardSync
import WardVault

/// What must hold after a sync that ended well.
extension Simulation {
    /// A machine and a server lack nothing of each other.
    func checkExchanged(_ machine: Machine, _ number: Int, _ report: SyncReport) async throws {
        let server = servers[number]
        guard report.troubles.isEmpty, report.serverTroubles.isEmpty, deadline == nil,
            server.isOpen(to: machine.number),
            machines.allSatisfy({ !$0.isGivenUp }), let circle = try await machine.circle(), circle.isMember
        else { return }
        let vault = try machine.open()
        let there = Set(try await server.entries(of: vault.id).map(\.hash))
        let lacking = try await vault.unknown(there)
        if !lacking.isEmpty {
            find("machine \(machine.number) lacks \(lacking.count) entries of server \(number) after a sync")
        }
        guard !circle.isIncomplete else { return }
        let own = Set(try await vault.records(after: 0, limit: .max).map(\.entry.hash))
        if !own.isSubset(of: there) {
            find(
                "server \(number) lacks \(own.subtracting(there).count) entries of machine \(machine.number) after a sync"
            )
        }
    }
}
