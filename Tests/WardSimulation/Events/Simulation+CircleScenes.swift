import WardLog
import WardVault

/// Scenes about the circle and its keys.
extension Simulation {
    func playJoining(_ present: [Machine], _ dice: inout Dice) async throws {
        let (one, other) = (present[0], present[1])
        if dice.hits(50) { try await bring(from: other, to: one, &dice) }
        try await touch(one, &dice)
        if dice.hits(50) { try await bring(from: one, to: other, &dice) }
        let isAboutHeaders = dice.hits(40)
        // The header of the key is in force beside them, and is of an earlier generation.
        if isAboutHeaders { for _ in 0..<2 { try await changePassphrase(one) } }
        try await makeKey(other)
        // The second key of one machine is in force beside the first one of the other.
        if !isAboutHeaders { for _ in 0..<dice.below(3) { try await makeKey(one) } }
        try await touch(other, &dice)
        if dice.hits(40) { try await bring(from: other, to: one, &dice) }
        guard try await join(by: one), let new = machines.last else { return }
        try await bring(from: other, to: one, &dice)
        if dice.hits(50) { try await touch(other, &dice) }
        try await bring(from: other, to: new, &dice)
        if dice.hits(80) {
            let machine = dice.hits(70) ? one : other
            // The new machine lacks keys, and its header may be in force beside the one with all keys.
            if dice.hits(60) { try await changePassphrase(new) }
            let last = try await machine.open().lastOwnSequence()
            try await changePassphrase(machine)
            let isChanged = try await machine.open().lastOwnSequence() > last
            let known = try await machine.open().position()
            try await bring(from: machine, to: new, &dice)
            // A key that came to it after that is not in its header.
            let hasGivenAll = try await machine.open().position() == known
            let before = try await new.open().lastOwnSequence()
            try await touch(new, of: items[2], &dice)
            let hasWritten = try await new.open().lastOwnSequence() > before
            if isChanged, hasGivenAll, hasWritten { try await checkReading(new, as: machine) }
        }
        try await restart(new)
    }

    /// Who has the newest key, as each that writes, and took a header that somebody wrote who knows it and all changes of the circle that it
    /// knows, and reads everything, reads everything.
    private func checkReading(_ machine: Machine, as other: Machine) async throws {
        let (vault, whole) = (try machine.open(), try other.open())
        guard try await whole.status().unreadable.isEmpty, try await vault.has(whole.newestEntry()),
            let circle = try await machine.circle(), circle.isMember, !circle.isFrozen,
            let known = try await other.circle(), try await known.isKnown(machine.device())
        else { return }
        // It may have heard from a server of a change of the circle that the other one does not know, such as a key beside its own.
        let (device, given) = (try await machine.device(), Set(try await Self.entries(other).map(\.hash)))
        let heard = try await Self.entries(machine).contains { entry in
            guard case .circle = entry.entry.operation, entry.entry.device != device else { return false }
            return !given.contains(entry.hash)
        }
        guard !heard else { return }
        if let item = try await vault.status().unreadable.first {
            find("machine \(machine.number) cannot read item \(item), although it was given a header with all keys")
        }
    }

    /// A removal with a new Secret Key, on machines whose power may fail.
    func playRemoval(_ present: [Machine], _ dice: inout Dice) async throws {
        guard let three = try await three(of: present) else { return }
        let (one, other, victim) = (three[0], three[1], three[2])
        if plan.hasFailures, dice.hits(40) {
            try await losePower(one, after: one.steps + 1 + dice.below(40), &dice) { dice in
                try await self.remove(victim, by: one, isSigned: dice.hits(30), keepsSecretKey: false)
            }
            guard findings.isEmpty else { return }
            // The removal may have been cut off, and the header changes in another way.
            try await changePassphrase(other)
            try await bring(from: other, to: one, &dice)
            return try await restart(one)
        }
        var start = one.steps
        try await remove(victim, by: one, isSigned: dice.hits(30), keepsSecretKey: false)
        // Several files change one after the other, so more moments are looked at than elsewhere.
        try await checkPowerCuts(on: one, since: start, count: 16, &dice)
        start = other.steps
        try await bring(from: one, to: other, &dice)
        try await checkPowerCuts(on: other, since: start, count: 16, &dice)
    }

    /// The server knows the earlier device, and hears of the new one from a member, or from the device itself.
    func playComingBack(_ present: [Machine], _ dice: inout Dice) async throws {
        let (one, other) = (present[0], present[1])
        let number = dice.below(servers.count)
        for _ in 0...dice.below(3) { try await touch(other, &dice) }
        for machine in [other, one] { try await sync(machine, server: number) }
        try await remove(other, by: one, isSigned: dice.hits(30), keepsSecretKey: dice.hits(50))
        if dice.hits(50) { try await sync(one, server: number) }
        try await bring(from: one, to: other, &dice)
        if dice.hits(30) { try await sync(other, server: number) }
        try await recover(other)
        for _ in 0..<dice.below(3) { try await touch(other, &dice) }
        if dice.hits(50) {
            try await bring(from: other, to: one, &dice)
            try await sync(one, server: number)
        }
        if dice.hits(30) { try await restart(other) }
        try await sync(other, server: number)
        for machine in [other, one] {
            try await touch(machine, &dice)
            try await sync(machine, server: number)
        }
    }

    func playQuestion(_ present: [Machine], _ dice: inout Dice) async throws {
        if dice.hits(50) {
            try await removeEachOther(present[0], &dice)
        } else {
            guard let four = try await some(4, of: present) else { return }
            for machine in four { try await exchange(machine, &dice) }
            try await remove(four[2], by: four[0], isSigned: false, keepsSecretKey: true)
            try await remove(four[3], by: four[1], isSigned: false, keepsSecretKey: true)
            try await bring(from: four[0], to: four[1], &dice)
            try await bring(from: four[1], to: four[0], &dice)
            // Each removed device has the key of the other removal.
            try await touch(four[0], &dice)
            try await bring(from: four[0], to: four[1], &dice)
        }
        for _ in 0..<4 {
            guard let machine = dice.one(of: machines.filter({ $0.vault != nil })) else { return }
            try await touch(machine, &dice)
            if dice.hits(30) { try await changeMeanwhile(machine, &dice) }
            try await exchange(machine, &dice)
        }
    }

    /// What a person may try while there is a question.
    private func changeMeanwhile(_ machine: Machine, _ dice: inout Dice) async throws {
        switch dice.below(5) {
        case 0: try await changePassphrase(machine)
        case 1: try await replaceRecoveryKey(machine)
        case 2: try await remove(by: machine, &dice)
        case 3: try await makeKey(machine)
        default: _ = try await join(by: machine)
        }
    }
}

extension CircleOverview {
    /// Whether a device is in the circle.
    fileprivate func isKnown(_ device: DeviceID) -> Bool { devices.contains { $0.id == device } }
}
