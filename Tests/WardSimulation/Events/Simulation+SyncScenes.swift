import WardSync
import WardVault

/// Scenes about folders and servers.
extension Simulation {
    func playRestoration(_ present: [Machine], _ dice: inout Dice) async throws {
        let (machine, other) = (present[0], present[1])
        let image = try await image(of: machine, &dice)
        if image == nil { try await backUp(machine) }
        for _ in 0...dice.below(3) {
            try await touch(machine, &dice)
            try await exchange(machine, &dice)
            try await touch(other, &dice)
            try await bring(from: other, to: machine, &dice)
        }
        let isInParts = dice.hits(60)
        for path in Files.tree(machine.syncFolder).files.keys.sorted() where isInParts && dice.hits(60) {
            // What others wrote comes again later.
            if !machine.ownFolders.contains(where: { path.contains("/\($0)/") }) { machine.lose(path) }
        }
        if let image {
            // What never left the machine would be lost.
            try await exchange(machine, &dice)
            guard try await !machine.isHoldingNews(), machine.serverErrors.isEmpty else { return }
            let isVaultAlone = dice.hits(50)
            note("\(machine.number) goes back to an image of its \(isVaultAlone ? "vault" : "disk")")
            try await machine.goBack(to: image, words, keepsState: isVaultAlone)
            try await noteLostKeys(of: machine)
        } else {
            try await goBack(machine, &dice)
        }
        for _ in 0..<2 + dice.below(3) {
            try await exchange(machine, &dice)
            try await touch(machine, &dice)
        }
    }

    /// The vault's files, if the machine goes back to all of them: then it does not know that it did.
    ///
    /// It hears of what it wrote with the first sync, so there must be one place alone for syncing.
    private func image(of machine: Machine, _ dice: inout Dice) async throws -> [String: [UInt8]]? {
        guard plan.hasFolder == servers.isEmpty, servers.count < 2, dice.hits(40) else { return nil }
        try await exchange(machine, &dice)
        try await machine.close()
        let (data, state) = (machine.location.directory, machine.location.stateDirectory)
        let files = Files.tree(data).files.merging(Files.tree(state).files) { one, _ in one }
        try await machine.reopen(words)
        return files
    }

    func playRestarts(_ machine: Machine, _ dice: inout Dice) async throws {
        let number = dice.below(servers.count)
        for _ in 0..<5 {
            try await restart(machine)
            try await touch(machine, &dice)
            try await sync(machine, server: number)
        }
    }

    func playSmallFiles(_ machine: Machine, _ dice: inout Dice) async throws {
        for _ in 0..<20 where findings.isEmpty {
            try await touch(machine, &dice)
            let (start, before) = (machine.steps, Files.tree(machine.syncFolder).files)
            try await syncFolder(machine)
            guard Files.tree(machine.syncFolder).files.count < before.count else { continue }
            note("\(machine.number) puts its files together")
            let safe = try await ownEntries(of: machine, in: before)
            for files in machine.possibleDisks(from: start, atMost: 8, &dice) {
                if try await !safe.isSubset(of: ownEntries(of: machine, in: files)) {
                    return find(
                        "the folder of machine \(machine.number) would have lost entries if its power had failed"
                    )
                }
            }
            return
        }
    }

    /// A machine brings something after another has read, and before it brings something.
    func playRace(_ present: [Machine], _ dice: inout Dice) async throws {
        let number = dice.below(servers.count)
        let (one, other) = (present[0], present[1])
        for machine in [one, other] { try await sync(machine, server: number) }
        for _ in 0...dice.below(2) {
            try await touch(one, &dice)
            for _ in 0...dice.below(2) { try await touch(other, &dice) }
            guard let sync = other.serverSyncs[number] else { return }
            servers[number].meanwhile { _ = try? await sync.run() }
            try await self.sync(one, server: number)
            servers[number].meanwhile(nil)
        }
        for machine in present.shuffled(using: &dice) { try await sync(machine, server: number) }
        try await touch(one, &dice)
    }

    /// A server goes back to a copy, and takes back all but an entry of a machine.
    func playRefusal(_ present: [Machine], _ dice: inout Dice) async throws {
        let number = dice.below(servers.count)
        let (one, other) = (present[0], present[1])
        for machine in [one, other] { try await sync(machine, server: number) }
        servers[number].remember()
        for _ in 0...dice.below(2) { try await touch(one, &dice) }
        try await sync(one, server: number)
        guard servers[number].goBack(endingConnectionsOf: machines.count) else { return }
        // It ends the connection first.
        try await sync(one, server: number)
        servers[number].refuse(true)
        note("server \(number) goes back, and refuses an entry")
        try await touch(one, &dice)
        try await sync(one, server: number)
        servers[number].refuse(false)
        for machine in [other, one] { try await sync(machine, server: number) }
        if dice.hits(50) { try await touch(one, &dice) }
    }

    /// A server loses entries and gets as many others in their places, before a machine that had read them looks again.
    func playRollback(_ present: [Machine], _ dice: inout Dice) async throws {
        guard let three = try await three(of: present) else { return }
        hasLied = true
        let number = dice.below(servers.count)
        let (one, reader, other) = (three[0], three[1], three[2])
        for machine in [one, other, reader, one] { try await sync(machine, server: number) }
        servers[number].remember()
        let count = 1 + dice.below(2)
        for _ in 0..<count { try await touch(one, &dice) }
        for machine in [one, reader] { try await sync(machine, server: number) }
        guard servers[number].goBack(endingConnectionsOf: machines.count) else { return }
        note("server \(number) goes back")
        for _ in 0..<count { try await touch(other, &dice) }
        for _ in 0..<2 { try await sync(other, server: number) }
        try await restart(reader)
        for _ in 0..<2 { try await sync(reader, server: number) }
    }

    /// A server has entries whose data it shows only later.
    func playWithheld(_ present: [Machine], _ dice: inout Dice) async throws {
        hasLied = true
        let number = dice.below(servers.count)
        let (one, other) = (present[0], present[1])
        for _ in 0...dice.below(2) {
            try await touch(other, &dice)
            if dice.hits(25) { try await changePassphrase(other) }
            if dice.hits(25) { try await makeKey(other) }
        }
        try await sync(other, server: number)
        servers[number].withholdBlobs(true)
        note("server \(number) keeps data back")
        try await sync(one, server: number)
        if dice.hits(70) { try await restart(one) }
        if dice.hits(50) { try await sync(one, server: number) }
        servers[number].withholdBlobs(false)
        try await sync(one, server: number)
        if dice.hits(50) { try await touch(one, &dice) }
    }

    /// A machine is shown a copy of the server, both go on, and then they are one again.
    func playFork(_ present: [Machine], _ dice: inout Dice) async throws {
        hasLied = true
        let number = dice.below(servers.count)
        for machine in present { try await sync(machine, server: number) }
        servers[number].fork(for: present[0].number)
        note("the server shows machine \(present[0].number) something else")
        var written: [[UInt8]] = []
        var hasOthers = false
        for machine in present {
            for _ in 0...dice.below(3) {
                let before = try await machine.open().lastOwnSequence()
                try await touch(machine, &dice)
                let hasWritten = try await machine.open().lastOwnSequence() > before
                let newest = try await machine.open().newestEntry()
                guard try await sync(machine, server: number), hasWritten else { continue }
                if machine === present[0] { written.append(newest) } else { hasOthers = true }
            }
        }
        servers[number].endForks()
        for _ in 0..<2 {
            for machine in present.shuffled(using: &dice) {
                try await sync(machine, server: number)
                try await touch(machine, &dice)
            }
        }
        // What came after the first sync tells how far the machine had read where the others were shown something else.
        guard hasOthers, servers[number].breaks == 1 else { return }
        for entry in written.dropFirst() { try await checkTwoOrders(present.dropFirst(), number, entry) }
    }

    /// Who has an entry that was written after another order was read knows of both orders.
    private func checkTwoOrders(_ machines: ArraySlice<Machine>, _ number: Int, _ entry: [UInt8]) async throws {
        for machine in machines where machine.serverErrors[number] == nil && !machine.twoOrders.contains(number) {
            guard try await has(entry, machine), try await !machine.isHoldingNews() else { continue }
            find("machine \(machine.number) does not see that server \(number) showed two orders")
        }
    }

    @inline(never)
    private func has(_ entry: [UInt8], _ machine: Machine) async throws -> Bool { try await machine.open().has(entry) }
}
