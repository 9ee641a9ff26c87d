import WardTesting
import WardVault

/// Scenes about items.
extension Simulation {
    /// Changes an item, usually the one that most changes are about; adds it if it is not there.
    func touch(_ machine: Machine, of id: ItemID? = nil, mostly kinds: [Int] = [], _ dice: inout Dice) async throws {
        let id = id ?? items[0]
        do {
            if let before = try await item(id, in: machine.open()) {
                try await edit(before, on: machine, mostly: kinds, &dice)
            } else {
                try await add(id, on: machine, &dice)
            }
        } catch let error as VaultError where Self.answers.contains(error.code) {
            note("\(machine.number) changes nothing: \(error.code.name)")
        }
        try await machine.acknowledge()
    }

    func playTrash(_ present: [Machine], _ dice: inout Dice) async throws {
        let (one, other) = (present[0], present[1])
        try await touch(one, &dice)
        try await bring(from: one, to: other, &dice)
        let isFirst = dice.hits(50)
        if isFirst { try await touch(other, mostly: ItemChange.single, &dice) }
        for machine in machines { machine.effects.advance(by: 1 + Int64(dice.below(100))) }
        _ = try await change(one) { before in try await self.moveToTrash(before, on: one) }
        for machine in machines { machine.effects.advance(by: 1 + Int64(dice.below(100))) }
        if !isFirst { try await touch(other, mostly: ItemChange.single, &dice) }
        try await exchange(one, &dice)
    }

    func playSection(_ present: [Machine], _ dice: inout Dice) async throws {
        let (one, other) = (present[0], present[1])
        for _ in 0...dice.below(2) { try await touch(one, mostly: ItemChange.section.fill, &dice) }
        try await bring(from: one, to: other, &dice)
        try await touch(one, mostly: ItemChange.section.remove, &dice)
        try await touch(other, mostly: ItemChange.section.fill, &dice)
        if dice.hits(30) { try await touch(other, mostly: ItemChange.section.fill, &dice) }
        try await exchange(other, &dice)
    }

    /// A machine removes an item for good while another removes the machine; neither has heard of it, and others change the item.
    func playPurge(_ present: [Machine], _ dice: inout Dice) async throws {
        guard let four = try await some(4, of: present) else { return }
        for _ in 0..<3 { try await touch(four[0], mostly: ItemChange.additions, &dice) }
        for other in four[1...] { try await bring(from: four[0], to: other, &dice) }
        for machine in four[1...] {
            for _ in 0...dice.below(2) {
                try await touch(machine, mostly: ItemChange.removals + ItemChange.single, &dice)
            }
        }
        _ = try await change(four[0]) { before in try await self.purge(before.id, on: four[0]) }
        try await exchange(four[0], &dice)
        try await remove(four[0], by: four[1], isSigned: dice.hits(30), keepsSecretKey: true)
    }

    /// Two machines with one device's files, of which others hear in different orders.
    func playCopies(_ present: [Machine], _ dice: inout Dice) async throws {
        guard machines.allSatisfy({ !$0.isGivenUp }), let three = try await three(of: present) else { return }
        let machine = three[0]
        if dice.hits(60) { try await changeLittle(machine, &dice) }
        for one in three { try await sync(one, server: 0) }
        try await copyFiles(of: machine)
        guard let copy = machines.last, copy.isGivenUp else { return }
        for one in [copy, machine] {
            for _ in 0...dice.below(2) {
                if dice.hits(40) { try await changeLittle(one, &dice) } else { try await touch(one, &dice) }
            }
        }
        for (one, listener) in zip([copy, machine], three[1...]) {
            let number = one === copy ? servers.count - 1 : 0
            for other in [one, listener] { try await sync(other, server: number) }
            try await touch(listener, &dice)
        }
        for one in three[1...] {
            try await touch(one, &dice)
            try await sync(one, server: dice.below(servers.count))
        }
    }

    /// Something about the circle that leaves all members where they are.
    private func changeLittle(_ machine: Machine, _ dice: inout Dice) async throws {
        switch dice.below(3) {
        case 0: try await makeKey(machine)
        case 1: try await changePassphrase(machine)
        default: try await rename(machine, &dice)
        }
    }

    /// Three machines; others join if there are fewer.
    func three(of present: [Machine]) async throws -> [Machine]? { try await some(3, of: present) }

    /// So many machines; others join if there are fewer.
    func some(_ count: Int, of present: [Machine]) async throws -> [Machine]? {
        var found = present
        while found.count < count {
            guard try await join(by: found[0]), let new = machines.last else { return nil }
            found.append(new)
        }
        return Array(found.prefix(count))
    }
}
