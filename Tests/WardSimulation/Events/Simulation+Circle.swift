import WardLog
import WardVault

/// Changes of the circle.
extension Simulation {
    func changePassphrase(_ machine: Machine) async throws {
        counter += 1
        let new = "words \(counter)"
        // It may be in force although the machine loses its power before it says so.
        let old = words
        words.insert(new, at: 0)
        var isDone = false
        for one in old where !isDone {
            do {
                try await machine.open().changePassphrase(from: Passphrase(one), to: Passphrase(new))
                release(machine)
                note("\(machine.number) changes the passphrase")
                isDone = true
                try await checkGeneration(of: machine)
            } catch let error as VaultError {
                if error.code == .wrongPassphrase { continue }
                guard Self.answers.contains(error.code) || error.code == .secretKeyMissing else {
                    throw error
                }
                note("\(machine.number) does not change the passphrase: \(error.code.name)")
                if error.code == .conflict { try await checkConflict(on: machine, "the passphrase") }
                break
            }
        }
        try await machine.acknowledge()
    }

    func makeKey(_ machine: Machine) async throws {
        release(machine)
        let hadQuestion = try await machine.circle()?.isFrozen ?? false
        let isDone = try await owner("\(machine.number) makes a key") {
            try await machine.open().rekeyCircle($0)
        }
        try await machine.acknowledge()
        guard isDone else { return }
        // Who is a member only because of the answer gets the next key.
        if !hadQuestion { try await checkHandedOver(by: machine) }
        try await checkGeneration(of: machine)
    }

    func replaceRecoveryKey(_ machine: Machine) async throws {
        release(machine)
        _ = try await owner("\(machine.number) replaces the recovery key") {
            recoveryKeys.insert(try await machine.open().replaceRecoveryKey($0), at: 0)
        }
        try await machine.acknowledge()
    }

    func rename(_ machine: Machine, _ dice: inout Dice) async throws {
        counter += 1
        do {
            try await machine.open().renameDevice("device \(counter)")
            release(machine)
            note("\(machine.number) has another name")
        } catch let error as VaultError where Self.answers.contains(error.code) {
            note("\(machine.number) keeps its name: \(error.code.name)")
        }
        try await machine.acknowledge()
    }

    func remove(by machine: Machine, _ dice: inout Dice) async throws {
        let others = machines.filter { $0 !== machine && $0.vault != nil }.shuffled(using: &dice)
        guard let first = others.first else { return }
        let also = dice.hits(15) ? others.dropFirst().first : nil
        try await remove(first, also, by: machine, isSigned: dice.hits(30), keepsSecretKey: dice.hits(50))
    }

    func remove(
        _ other: Machine,
        _ second: Machine? = nil,
        by machine: Machine,
        isSigned: Bool,
        keepsSecretKey: Bool
    ) async throws {
        release(machine)
        var targets: Set<DeviceID> = [try await other.device()]
        if let second { targets.insert(try await second.device()) }
        var key: RecoveryKey?
        if isSigned {
            for one in recoveryKeys where try await machine.open().isRecoveryKey(one) {
                key = one
                break
            }
        }
        let isDone = try await owner(
            "\(machine.number) removes \(other.number)\(second.map { " and \($0.number)" } ?? "")"
                + (key == nil ? "" : " with a recovery key")
        ) {
            try await machine.open().removeDevices(
                targets,
                $0,
                recoveryKey: key,
                keepsSecretKey: keepsSecretKey
            )
        }
        try await machine.acknowledge()
        guard isDone, let circle = try await machine.circle() else { return }
        for device in circle.devices where targets.contains(device.id) && device.status == .member {
            find("machine \(machine.number) removed device \(device.id), and it is a member")
        }
    }

    /// Two machines remove each other, and neither has heard of it.
    func removeEachOther(_ machine: Machine, _ dice: inout Dice) async throws {
        guard let other = dice.one(of: machines.filter { $0 !== machine && $0.vault != nil }) else {
            return
        }
        if dice.hits(50) {
            for one in [machine, other, machine] { try await exchange(one, &dice) }
        }
        try await remove(other, by: machine, isSigned: dice.hits(20), keepsSecretKey: true)
        try await remove(machine, by: other, isSigned: dice.hits(20), keepsSecretKey: true)
    }

    /// A new machine pairs with a member.
    ///
    /// - Returns: Whether it joined.
    func join(by member: Machine) async throws -> Bool {
        let machine = try newMachine()
        var dice = Dice(plan.seed, UInt64(500 + machine.number))
        let pending = try PendingDevice(
            name: "machine \(machine.number)",
            system: "simulation",
            machine.environment
        )
        for one in words {
            do {
                let bytes = try await member.open().admit(pending.request, Passphrase(one))
                let position = try await member.open().position()
                let records = try await member.open().records(
                    at: 1...max(1, position),
                    upTo: .max,
                    bytes: .max
                )
                let before = machine.steps
                let vault = try await Vault.join(
                    pending,
                    PairingReply(bytes, for: pending),
                    Passphrase(one),
                    records: records,
                    at: machine.location,
                    environment: machine.environment
                )
                machine.use(vault)
                machines.append(machine)
                member.hasAdmitted = true
                release(member)
                try await member.acknowledge()
                try await checkPowerCuts(on: machine, since: before, mayLackVault: true, &dice)
                try await checkJoined(machine, by: member)
                try await machine.acknowledge()
                note("\(member.number) admits \(machine.number)")
                return true
            } catch let error as VaultError {
                if error.code == .wrongPassphrase { continue }
                guard Self.answers.contains(error.code) else { throw error }
                try await member.acknowledge()
                note("\(member.number) admits nobody: \(error.code.name)")
                return false
            }
        }
        throw SimulationError("no passphrase is right for admitting a machine")
    }

    /// Somebody types a recovery key: a machine outside the circle comes back, and each gets a new passphrase.
    func recover(_ machine: Machine) async throws {
        counter += 1
        let new = "recovered \(counter)"
        words.insert(new, at: 0)
        hasRecovered = true
        let isGivenUp = machine.isGivenUp
        for key in recoveryKeys {
            do {
                try await machine.open().recover(with: key, newPassphrase: Passphrase(new))
                release(machine)
                note("\(machine.number) is recovered")
                if !isGivenUp { try await machine.acknowledge() }
                // It may be another device now.
                machine.use(try machine.open())
                return
            } catch let error as VaultError {
                // A key that another machine made beside the replacement is not sealed to a new recovery key, see `formats/sync.md`.
                if error.code == .wrongRecoveryKey || error.code == .damaged && recoveryKeys.count > 1 { continue }
                guard Self.answers.contains(error.code) else { throw error }
                note("\(machine.number) is not recovered: \(error)")
                // What the recovery key opened is shown until then.
                return try await machine.reopen(words)
            }
        }
        note("\(machine.number) is not recovered: no recovery key is right")
    }
}
