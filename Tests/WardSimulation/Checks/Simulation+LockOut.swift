import WardLog
import WardSync
import WardVault

extension Simulation {
    /// An honest server turns away only devices that are out by what it has.
    func checkLockOut(of machine: Machine, by number: Int, _ error: ServerError) async throws {
        guard !hasLied, [.deviceRemoved, .sessionRefused].contains(error.code),
            let circle = try await machine.circle(), circle.isMember
        else { return }
        let vault = try machine.open()
        let entries = try await servers[number].entries(of: vault.id)
        let graph = try Self.graph(entries, vault.id, try await vault.circleRoot())
        guard let state = graph.circleState, state.mayWrite(try await machine.device()) else { return }
        find("server \(number) turns machine \(machine.number) away, which may write by what the server has")
    }
}
