import WardVault

/// What machines must keep to themselves for now.
extension Simulation {
    /// Notes a change of an item, if nobody may get it yet: the circle has a question, or a removed device has the newest key.
    func noteHeld(_ entry: [UInt8], on machine: Machine) async throws {
        guard !machine.isGivenUp, let circle = try await machine.circle() else { return }
        if circle.isFrozen || !circle.isKeyClean { held.append((entry, machine.number)) }
    }

    /// An operation on the circle passes with everything before it.
    func release(_ machine: Machine) { held.removeAll { $0.machine == machine.number } }

    /// Nobody has what another machine still keeps to itself.
    func checkHeld() async throws {
        guard !held.isEmpty else { return }
        for machine in machines where held.contains(where: { $0.machine == machine.number }) {
            guard !machine.isGivenUp, machine.vault != nil, let circle = try await machine.circle(),
                circle.isFrozen || !circle.isKeyClean
            else {
                release(machine)
                continue
            }
        }
        for machine in machines where machine.vault != nil {
            let vault = try machine.open()
            for one in held where one.machine != machine.number {
                guard try await vault.has(one.entry) else { continue }
                find("machine \(machine.number) has what machine \(one.machine) had to keep to itself")
                return
            }
        }
    }
}
