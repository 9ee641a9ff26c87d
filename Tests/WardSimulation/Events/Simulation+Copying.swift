import WardVault

/// Machines whose files somebody copied.
extension Simulation {
    /// Somebody copies the files of a machine and uses the copy: from now on, two machines are one device.
    ///
    /// Nothing is expected of either of them. All others must go on, and must see the same.
    func copyFiles(of machine: Machine) async throws {
        guard machines.allSatisfy({ !$0.isGivenUp }), machines.count > 2 else { return }
        try await machine.close()
        let copy = try newMachine()
        try copy.take(Files.tree(machine.location.directory).files, of: machine)
        try copy.take(Files.tree(machine.location.stateDirectory).files, of: machine)
        try await machine.reopen(words)
        try await copy.reopen(words)
        copy.ownFolders = machine.ownFolders
        (machine.isGivenUp, copy.isGivenUp) = (true, true)
        machines.append(copy)
        note("\(copy.number) is a copy of \(machine.number)")
    }
}
