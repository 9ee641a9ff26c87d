import WardLog
import WardSync
import WardVault

/// Scenes about folders and servers.
extension Simulation {
    func playRestoration(_ present: [Machine], _ dice: inout Dice) async throws {
        let machine = present[0]
        let image = dice.hits(40) ? try await image(of: machine, &dice) : nil
        if image == nil { try await backUp(machine) }
        for round in 0...dice.below(3) {
            try await touch(machine, &dice)
            try await exchange(machine, &dice)
            let other = present[1 + round % (present.count - 1)]
            try await touch(other, of: dice.one(of: items), &dice)
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
            // Without what it remembered, it hears with its first sync that it went back, so that one must not fail.
            if !isVaultAlone { try await syncOnce(machine) }
        } else {
            try await goBack(machine, &dice)
        }
        if !servers.isEmpty, dice.hits(50) { try await syncInParts(machine, &dice) }
        for _ in 0..<2 + dice.below(3) {
            try await exchange(machine, &dice)
            try await touch(machine, &dice)
        }
    }

    private func syncOnce(_ machine: Machine) async throws {
        for number in servers.indices { try await sync(machine, server: number) }
        if plan.hasFolder { try await syncFolder(machine) }
    }

    /// A machine loses its connection to a server in the middle, and writes whenever it may; the server may keep data back at first.
    private func syncInParts(_ machine: Machine, _ dice: inout Dice) async throws {
        let number = dice.below(servers.count)
        servers[number].usePages(of: 1 + dice.below(3))
        machine.serverSyncs[number] = nil
        defer { servers[number].usePages(of: plan.pageEntries) }
        try await withholding(dice.hits(plan.hasLies ? 70 : 30)) { try await self.sync(machine, server: number) }
        for _ in 0..<6 {
            servers[number].fail(after: dice.below(4), losingAnswer: false, isGone: true)
            try await sync(machine, server: number)
            servers[number].fail(after: nil, losingAnswer: false)
            try await touch(machine, &dice)
        }
    }

    /// A machine goes back to an image of its disk, and a server shows what the machine wrote since then, entry by entry.
    func playRegaining(_ present: [Machine], _ dice: inout Dice) async throws {
        let (machine, other) = (present[0], present[1])
        guard let image = try await image(of: machine, &dice) else { return }
        for _ in 0...1 + dice.below(3) {
            try await touch(machine, &dice)
            if dice.hits(30) { try await bring(from: other, to: machine, &dice) }
        }
        try await exchange(machine, &dice)
        guard try await !machine.isHoldingNews(), machine.serverErrors.isEmpty else { return }
        note("\(machine.number) goes back to an image of its disk, and regains what it wrote")
        try await machine.goBack(to: image, words, keepsState: false)
        try await noteLostKeys(of: machine)
        // It does not know that it went back, so it must hear it before it writes.
        try await withholding(true) { try await self.syncOnce(machine) }
        servers[0].usePages(of: 1)
        machine.serverSyncs[0] = nil
        defer { servers[0].usePages(of: plan.pageEntries) }
        let device = try await machine.device()
        let there = try await servers[0].entries(of: machine.open().id)
        let lacking = try await machine.open().unknown(Set(there.map(\.hash)))
        for (index, entry) in there.enumerated() where entry.entry.device == device && lacking.contains(entry.hash) {
            servers[0].loseConnection(after: Int64(index) + 1)
            try await sync(machine, server: 0)
            servers[0].loseConnection(after: nil)
            try await touch(machine, &dice)
        }
        for _ in 0..<2 {
            try await exchange(machine, &dice)
            try await touch(machine, &dice)
        }
    }

    /// Something happens while all servers keep data back, or show it.
    private func withholding(_ isWithholding: Bool, during event: () async throws -> Void) async throws {
        if isWithholding, !servers.isEmpty {
            hasLied = true
            note("servers keep data back")
            for server in servers { server.withholdBlobs(true) }
        }
        try await event()
        for server in servers { server.withholdBlobs(false) }
    }

    /// The vault's files, if the machine goes back to all of them: then it does not know that it did.
    ///
    /// It hears of what it wrote with the first sync, so there must be one place alone for syncing.
    private func image(of machine: Machine, _ dice: inout Dice) async throws -> [String: [UInt8]]? {
        guard plan.hasFolder == servers.isEmpty, servers.count < 2 else { return nil }
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
        // The machine compares everything in the first sync.
        let isFirst = dice.hits(50)
        if !isFirst { try await sync(one, server: number) }
        servers[number].refuse(true)
        note("server \(number) goes back, and refuses an entry")
        try await touch(one, &dice)
        try await sync(one, server: number)
        servers[number].refuse(false)
        for machine in [other, one] { try await sync(machine, server: number) }
        if dice.hits(50) { try await touch(one, &dice) }
    }
}
