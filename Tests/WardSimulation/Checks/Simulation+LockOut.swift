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
        let device = try await machine.device()
        let mayJoin = try await mayJoin(vault, device, graph)
        guard mayJoin || graph.circleState?.mayWrite(device) ?? false else { return }
        find("server \(number) turns machine \(machine.number) away, which may write by what the server has")
    }

    /// Whether a device that the server does not know came back with a recovery key that is in force there.
    private func mayJoin(_ vault: Vault, _ device: DeviceID, _ graph: LogGraph) async throws -> Bool {
        guard graph.authors[device] == nil, let entry = try await vault.recoveryEntry(),
            let recovered = RecoveredDevice(entry)
        else { return false }
        return graph.recoveryKeys.contains(recovered.recoveryKey)
    }
}
