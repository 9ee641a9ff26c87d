/// What a machine has that just joined.
extension Simulation {
    /// A new machine reads what the machine reads that admitted it.
    func checkJoined(_ machine: Machine, by member: Machine) async throws {
        let (new, old) = (Set(try await shown(machine)), Set(try await shown(member)))
        if let missing = old.subtracting(new).min() {
            find("machine \(machine.number) has joined and does not show \(missing)")
        }
    }
}
