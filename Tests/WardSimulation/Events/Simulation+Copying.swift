/// Machines whose files somebody copied.
extension Simulation {
    /// Somebody copies the files of a machine and uses the copy: from now on, two machines are one device.
    ///
    /// Nothing is expected of either of them. All others must go on, and must see the same.
    func copyFiles(of machine: Machine) async throws {
        guard machines.allSatisfy({ !$0.isGivenUp }), machines.count > 2 else { return }
        try await machine.close()
        let copy = try newMachine()
        for folder in ["/data", "/state"] {
            let tree = Files.tree(machine.folder + folder)
            for path in tree.folders.sorted() {
                try Files.makeFolder(copy.folder + path.dropFirst(machine.folder.count))
            }
            for (path, bytes) in tree.files.sorted(by: { $0.key < $1.key }) {
                try copy.receive(bytes, as: copy.folder + path.dropFirst(machine.folder.count))
            }
        }
        try await machine.reopen(words)
        try await copy.reopen(words)
        copy.ownFolders = machine.ownFolders
        (machine.isGivenUp, copy.isGivenUp) = (true, true)
        machines.append(copy)
        note("\(copy.number) is a copy of \(machine.number)")
    }
}
