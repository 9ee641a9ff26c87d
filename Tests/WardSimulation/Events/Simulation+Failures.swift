import WardVault

/// Power cuts and lies.
extension Simulation {
    /// A machine loses its power while something happens on it.
    func losePower(_ machine: Machine, _ dice: inout Dice) async throws {
        let limit = machine.steps + 1 + dice.below(dice.hits(50) ? 16 : 80)
        try await losePower(machine, after: limit, &dice) { dice in try await self.eventOfOne(machine, &dice) }
    }

    /// A machine loses its power after a number of steps of the disks, if the event comes as far.
    func losePower(
        _ machine: Machine,
        after limit: Int,
        _ dice: inout Dice,
        during event: (inout Dice) async throws -> Void
    ) async throws {
        deadline = (machine.number, limit)
        machine.serverSyncs = [:]
        isGoingBack = false
        do {
            try await event(&dice)
        } catch {
            note("\(machine.number) is interrupted: \(error)")
        }
        deadline = nil
        let last = min(limit, machine.steps)
        note("\(machine.number) loses its power after step \(last) of its disk")
        // What happened before is safe, if the vault said so.
        let safe = machine.acknowledged.last { $0.steps <= last }?.entry
        try await machine.cutPower(after: last, &dice)
        do {
            try await machine.reopen(words)
        } catch let error as VaultError where isGoingBack && [.rolledBack, .unknownDevice].contains(error.code) {
            // A restored copy may have to be trusted once more, as another device if its keys do not open the file of this one.
            try await machine.reopen(words, trusting: .thisFile)
        } catch {
            return find("machine \(machine.number) does not open after it lost its power: \(error)")
        }
        let vault = try machine.open()
        let circle = try await vault.circle()
        let isIncomplete = circle.map { $0.isIncomplete || hasLostKeys && !$0.isMember } ?? false
        if let safe, !isIncomplete, try await !vault.has(safe) {
            find("machine \(machine.number) lost entries with its power that were on the disk")
        }
        var lost: Set<[UInt8]> = []
        let own = try await machine.device()
        for deed in deeds.all where deed.machine == machine.number {
            guard try await !vault.has(deed.entry) else { continue }
            if deed.steps <= last {
                // A device that went back to an older copy and came back as another one may lack what the earlier one wrote.
                if !isIncomplete, deed.device ?? own == own {
                    find("machine \(machine.number) lost \(deed.words) with its power")
                }
            } else {
                lost.insert(deed.entry)
            }
        }
        deeds.forget(lost)
        if let backup = machine.backup, Files.read(backup.path) == nil {
            if backup.steps <= last { find("machine \(machine.number) lost its copy with its power") }
            machine.backup = nil
        }
    }

    /// Something that is not as it should be on the way between machines.
    func lie(_ machine: Machine, _ dice: inout Dice) async throws {
        hasLied = true
        if !servers.isEmpty, dice.hits(70) {
            let server = servers[dice.below(servers.count)]
            switch dice.below(6) {
            case 0:
                server.remember()
                note("the server is copied")
            case 1, 2: if server.goBack(endingConnectionsOf: machines.count) { note("the server goes back") }
            case 3:
                server.restart()
                note("the server starts anew")
            case 4:
                server.fork(for: machine.number)
                note("the server shows machine \(machine.number) something else")
            default:
                server.fail(after: dice.below(5), losingAnswer: true)
                try await sync(machine, server: dice.below(servers.count))
            }
            return
        }
        guard plan.hasFolder else { return }
        // A file that a program for syncing brings in part, or changed, or not any more.
        let tree = Files.tree(machine.syncFolder).files.keys.sorted().filter { path in
            !machine.ownFolders.contains { path.contains("/\($0)/") }
        }
        guard let path = dice.one(of: tree), let bytes = Files.read(path), !bytes.isEmpty else {
            return
        }
        switch dice.below(3) {
        case 0: machine.lose(path)
        case 1: try machine.receive(Array(bytes.prefix(dice.below(bytes.count))), as: path)
        default:
            var changed = bytes
            changed[dice.below(bytes.count)] ^= 1 << UInt8(dice.below(8))
            try machine.receive(changed, as: path)
        }
        note("a file of machine \(machine.number) is lost or damaged")
        try await syncFolder(machine)
    }
}
