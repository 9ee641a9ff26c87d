import WardLog
import WardVault

/// Scenes about servers that lie.
extension Simulation {
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
        // What a third machine writes now does not rest on it.
        if present.count > 2, dice.hits(60) {
            for _ in 0...dice.below(2) { try await touch(present[2], of: items[2], &dice) }
            try await sync(present[2], server: number)
        }
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

    /// A server shows a machine what another wrote, and hides what it had shown that one before, without the data.
    func playHiding(_ present: [Machine], _ dice: inout Dice) async throws {
        guard let three = try await three(of: present) else { return }
        hasLied = true
        let number = dice.below(servers.count)
        let (reader, writer, hidden) = (three[0], three[1], three[2])
        for machine in [writer, hidden, reader, writer, hidden, reader] { try await sync(machine, server: number) }
        servers[number].remember()
        for _ in 0...dice.below(3) { try await touch(hidden, of: items[1], &dice) }
        try await sync(hidden, server: number)
        servers[number].withholdBlobs(true)
        try await sync(writer, server: number)
        for _ in 0...dice.below(2) { try await touch(writer, of: items[2], &dice) }
        let last = try await Self.entries(writer).last
        try await sync(writer, server: number)
        servers[number].withholdBlobs(false)
        let vault = try writer.open().id
        guard let last, try await servers[number].hide(hidden.device(), of: vault, from: reader.number) else { return }
        note("the server hides from machine \(reader.number) what machine \(hidden.number) wrote")
        for _ in 0..<4 {
            try await sync(reader, server: number)
            try await touch(reader, &dice)
        }
        for _ in 0..<2 { try await sync(reader, server: number) }
        let reached = try await servers[number].head(of: vault, for: reader.number)
        let isReached = last.entry.positions.contains { Int64(clamping: $0.number) <= reached }
        if isReached, servers[number].breaks == 1 {
            try await checkTwoOrders([reader], number, last.hash)
        }
        servers[number].endForks()
        for machine in present.shuffled(using: &dice) { try await sync(machine, server: number) }
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
