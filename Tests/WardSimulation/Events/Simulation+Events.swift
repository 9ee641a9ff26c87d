import WardTesting
import WardVault

/// What happens in one step.
extension Simulation {
    /// One step, with dice of its own.
    func step(_ number: Int) async throws {
        var dice = Dice(plan.seed, UInt64(1_000 + number))
        if let scene = plan.scene(at: number) { try await play(scene, &dice) } else { try await step(&dice) }
        if findings.isEmpty { try await checkHeld() }
    }

    private func step(_ dice: inout Dice) async throws {
        let living = machines.filter { $0.vault != nil }
        guard let machine = dice.one(of: living) else { return }
        pass(&dice)
        if plan.hasFailures, dice.hits(15) { return try await losePower(machine, &dice) }
        let isFull = plan.hasFailures && dice.hits(6)
        if isFull { machine.faults.refuse(after: dice.below(8)) }
        defer { if isFull { machine.faults.refuse(after: nil) } }
        if plan.hasLies, dice.hits(14) { return try await lie(machine, &dice) }
        if plan.hasCopies, dice.hits(5) { return try await copyFiles(of: machine) }
        if plan.isCrowded, dice.hits(20) { return try await changeApart(&dice) }
        if plan.isCrowded, dice.hits(12) { return try await changeInParts(&dice) }
        if plan.isCrowded, dice.hits(4) { return try await purgeBesideRemoval(&dice) }
        let circle = plan.isAboutCircle ? 25 : 8
        if dice.hits(circle) { return try await changeCircle(machine, &dice) }
        try await eventOfOne(machine, &dice)
    }

    /// Time passes, on every clock the same.
    private func pass(_ dice: inout Dice) {
        var seconds = Int64(dice.below(200))
        if dice.hits(15) { seconds += Int64(dice.below(86_400)) }
        if plan.isLong { seconds += Int64(dice.below(6 * 86_400)) }
        for machine in machines { machine.effects.advance(by: seconds) }
        for server in servers { server.effects.advance(by: seconds) }
    }

    /// Something that one machine does without the help of another.
    func eventOfOne(_ machine: Machine, _ dice: inout Dice) async throws {
        switch dice.below(100) {
        case 0..<38: try await changeItem(machine, &dice)
        case 38..<78: try await exchange(machine, &dice)
        case 78..<86: try await restart(machine)
        case 86..<90: try await changePassphrase(machine)
        case 90..<94: try await makeKey(machine)
        case 94..<96: try await replaceRecoveryKey(machine)
        case 96..<98: try await backUp(machine)
        default: try await goBack(machine, &dice)
        }
    }

    /// Something about the circle.
    private func changeCircle(_ machine: Machine, _ dice: inout Dice) async throws {
        switch dice.below(12) {
        case 0...2: try await remove(by: machine, &dice)
        case 3, 4: try await removeEachOther(machine, &dice)
        case 5, 6:
            guard machines.count < plan.mostMachines else { return try await makeKey(machine) }
            _ = try await join(by: machine)
        case 7: try await changePassphrase(machine)
        case 8: try await makeKey(machine)
        case 9: try await replaceRecoveryKey(machine)
        case 10: try await rename(machine, &dice)
        default: try await recover(machine)
        }
    }

    /// The vault is closed and opened again, and shows the same.
    func restart(_ machine: Machine) async throws {
        let before = try await shown(machine)
        let isReading = try await machine.open().status().unreadable.isEmpty
        note("\(machine.number) restarts")
        try await machine.reopen(words)
        let after = try await shown(machine)
        let (gone, new) = (Set(before).subtracting(after).sorted(), Set(after).subtracting(before).sorted())
        // A passphrase opens other headers, and those may have more keys. They may also have fewer while there is a question, and on a
        // removed device: a key that met a removal is made anew for the members alone.
        let circle = try await machine.circle()
        let hasQuestion = circle.map { $0.isFrozen || !$0.isMember } ?? false
        let unreadable = try await machine.open().status().unreadable.map { "\($0)" }
        let isHidden = hasQuestion && gone.allSatisfy { item in unreadable.contains { item.hasPrefix($0) } }
        if !gone.isEmpty && !isHidden || isReading && !new.isEmpty {
            find(
                "machine \(machine.number) shows something else after a restart: \(new), and not \(gone); unreadable: "
                    + "\(unreadable), a member: \(circle?.isMember ?? false), incomplete: \(circle?.isIncomplete ?? false)"
            )
        }
    }

    /// What the lists of a machine show.
    func shown(_ machine: Machine) async throws -> [String] {
        let vault = try machine.open()
        let lists = try await vault.summaries() + vault.summaries(inTrash: true)
        return lists.map { "\($0.id) \($0.title) \($0.username) \($0.tags) \($0.isInTrash)" }.sorted()
    }

    // MARK: Copies

    func backUp(_ machine: Machine) async throws {
        let path = machine.copyFolder + "/backup.db"
        do {
            _ = try await machine.open().backUp(BackupRequest(path: path))
            machine.backup = (path, machine.backup?.steps ?? machine.steps)
            note("\(machine.number) makes a copy")
        } catch let error as VaultError where Self.answers.contains(error.code) {
            note("\(machine.number) makes no copy: \(error.code.name)")
        } catch let error as VaultError where error.code == .damaged {
            // No copy is made of a vault with an item that cannot be read.
            guard try await machine.open().status().unreadable.isEmpty else {
                return note("\(machine.number) makes no copy, because an item cannot be read")
            }
            throw error
        }
    }

    /// The vault is restored from an older copy. The machine writes again when it has everything that it had.
    func goBack(_ machine: Machine, _ dice: inout Dice) async throws {
        guard let path = machine.backup?.path, !machine.isGivenUp, !machine.hasAdmitted else {
            return try await exchange(machine, &dice)
        }
        try await machine.close()
        note("\(machine.number) goes back to its copy")
        // What it had sent meanwhile may be what its copy would keep to itself.
        release(machine)
        isGoingBack = true
        do {
            guard let vault = try await restored(from: path, on: machine) else {
                return try await machine.reopen(words)
            }
            machine.use(vault)
            try await noteLostKeys(of: machine)
            try await machine.acknowledge()
        } catch let error as VaultError where error.code == .diskFull {
            note("\(machine.number) has a full disk")
            do {
                try await machine.reopen(words)
            } catch let error as VaultError where error.code == .rolledBack {
                // The disk was full when the copy was in place already.
                try await machine.reopen(words, trusting: .thisFile)
            }
        }
    }

    /// The vault of a copy, in place; `nil` if no passphrase opens the copy.
    private func restored(from path: String, on machine: Machine) async throws -> Vault? {
        let restoration = try VaultRestoration(
            from: path,
            at: machine.location,
            secretKey: nil,
            needsSecretKey: false,
            environment: machine.environment
        )
        defer { restoration.discard() }
        for one in words {
            guard let error = await unlocking(restoration.vault, one) else {
                return try await restoration.place(replacing: true).vault
            }
            // With a copy from before a new Secret Key, only a recovery key would do.
            if [.secretKeyMissing, .wrongSecretKey].contains(error.code) { return nil }
            guard error.code == .wrongPassphrase else { throw error }
        }
        return nil
    }

    /// What keeps a passphrase from unlocking a copy; `nil` if nothing does.
    private func unlocking(_ copy: Vault, _ words: String) async -> VaultError? {
        do {
            try await copy.unlock(with: Passphrase(words), trusting: .thisFile)
            return nil
        } catch {
            return error
        }
    }

    /// With keys from after its copy, a device is outside, and nobody may have what is sealed with them.
    func noteLostKeys(of machine: Machine) async throws {
        guard let circle = try await machine.circle(), !circle.isMember, !circle.isIncomplete else { return }
        hasLostKeys = true
    }
}
