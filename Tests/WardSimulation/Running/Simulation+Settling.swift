import WardLog
import WardSync
import WardVault

/// The end of a schedule: everything that was withheld arrives, and what people must do is done.
extension Simulation {
    /// All machines sync until nothing is new.
    func meet() async throws {
        for round in 0..<12 {
            var isNew = false
            for machine in machines where machine.vault != nil {
                for number in servers.indices {
                    if try await sync(machine, server: number) { isNew = true }
                    if machine.serverErrors[number]?.code == .unreachable { isNew = true }
                }
                if plan.hasFolder {
                    carryAll(to: machine)
                    if try await syncFolder(machine) { isNew = true }
                }
            }
            if !isNew { return }
            if round == 11 { find("the machines do not come to rest") }
        }
    }

    /// The machines that take themselves for members, and that others take for members.
    func members() async throws -> [Machine] {
        var found: [(machine: Machine, id: DeviceID)] = []
        var removed: Set<DeviceID> = []
        var known: [DeviceID: Set<DeviceID>] = [:]
        for machine in machines where !machine.isGivenUp && machine.vault != nil && isHeard(machine) {
            guard let circle = try await machine.circle(), circle.isMember, !circle.isIncomplete else {
                continue
            }
            let id = try await machine.device()
            found.append((machine, id))
            known[id] = Set(circle.devices.filter { $0.status != .removed }.map(\.id))
            if !circle.isFrozen { removed.formUnion(circle.devices.filter { $0.status == .removed }.map(\.id)) }
        }
        let agreed = found.filter { _, id in
            // A removed device gets nothing that came later, so it may still see a question that others have answered. A new
            // device may be known to nobody but the one that admitted it, if that one is out.
            let others = known.filter { $0.key != id && !removed.contains($0.key) }
            return !removed.contains(id) && (others.isEmpty || others.values.contains { $0.contains(id) })
        }
        guard agreed.isEmpty, found.count > 1 else { return agreed.map(\.machine) }
        // A device that is out because of what is not for it takes itself for a member, and the others for removed. All of them together
        // know who is in.
        guard let members = try await everything(of: found.map(\.machine))?.circleState?.members else { return [] }
        return found.filter { members.contains($0.id) }.map(\.machine)
    }

    /// A machine that takes itself for outside.
    private func outsider() async throws -> Machine? {
        for machine in machines where !machine.isGivenUp && machine.vault != nil {
            if try await machine.circle()?.isMember == false { return machine }
        }
        return nil
    }

    /// What some machines have together.
    func everything(of machines: [Machine]) async throws -> LogGraph? {
        guard let vault = try machines.first?.open() else { return nil }
        var entries: [[UInt8]: SignedEntry] = [:]
        for machine in machines {
            for entry in try await Self.entries(machine) { entries[entry.hash] = entry }
        }
        let sorted = entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        return try Self.graph(sorted, vault.id, try await vault.circleRoot())
    }

    /// Whether a machine can tell others something. A server gives a removed device nothing, and takes nothing from it.
    func isHeard(_ machine: Machine) -> Bool {
        plan.hasFolder
            || servers.indices.contains { number in
                let code = machine.serverErrors[number]?.code
                return code != .deviceRemoved && code != .sessionRefused
            }
    }

    /// A member for which a removed device has the newest key, because of what it keeps to itself until it makes another one.
    private func unclean(_ members: [Machine]) async throws -> Machine? {
        for machine in members {
            if let circle = try await machine.circle(), !circle.isFrozen, !circle.isKeyClean { return machine }
        }
        return nil
    }

    /// Everybody syncs, and a member makes a new key where one is needed.
    func settle() async throws {
        hasSettled = true
        for server in servers {
            server.fail(after: nil, losingAnswer: false)
            server.endForks()
        }
        for machine in machines where machine.vault != nil { machine.faults.refuse(after: nil) }
        for round in 0..<8 {
            try await meet()
            guard findings.isEmpty else { return }
            let members = try await members()
            guard let first = members.first, let circle = try await first.circle() else {
                // All machines are outside, such as one with keys from after its copy. A person types the recovery key.
                guard let outside = try await outsider() else { return }
                try await recover(outside)
                continue
            }
            var lacking = Set(circle.devices.filter(\.lacksKey).map(\.id))
            // Nobody asks for a key that only removed devices have, but items can be sealed with it. A recovery key opens it.
            for machine in members where try await !machine.unreadable().isEmpty {
                lacking.insert(try await machine.device())
            }
            if !circle.isFrozen, circle.isKeyClean, !circle.recoveryLacksKey, lacking.isEmpty {
                guard let holding = try await unclean(members) else { return }
                _ = try await unite(holding)
                continue
            }
            let disputed = Set(circle.devices.filter { $0.status == .disputed }.map(\.id))
            // Somebody who has the key makes the next one; if nobody has it, a recovery key has.
            var able: [Machine] = []
            var lackingKey: [Machine] = []
            for machine in members {
                let own = try await machine.device()
                if disputed.contains(own) { continue }
                if lacking.contains(own) { lackingKey.append(machine) } else { able.append(machine) }
            }
            // If each lacks something that another one has, each makes a key, and hands over with it what it has.
            let turn = lackingKey.isEmpty ? nil : lackingKey[round % lackingKey.count]
            guard let machine = able.first ?? turn else { continue }
            await noteCircle(of: machine)
            if !circle.isFrozen, !lacking.isEmpty { try await removeLostDevices(circle, by: machine, round) }
            let isDone = try await unite(machine)
            guard !isDone, !circle.isFrozen else { continue }
            // Two recovery keys and two passphrases at the same time: nobody can give more than one of each, see `formats/sync.md`.
            if recoveryKeys.count > 1, words.count > 1 { return isStuck = true }
            find("machine \(machine.number) cannot make a key, and nobody else can")
        }
        try await meet()
    }

    /// A machine that was recovered is a new device. What it was before is lost with its keys, and somebody must remove it.
    ///
    /// The same goes for a device that takes itself for removed, because of something that the others leave out, and for one that waits
    /// for what it had before its copy when nothing comes any more.
    private func removeLostDevices(_ circle: CircleOverview, by machine: Machine, _ round: Int) async throws {
        var present: Set<DeviceID> = []
        for machine in machines where machine.vault != nil {
            guard let own = try await machine.circle(), own.isIncomplete ? round < 2 : own.isMember else { continue }
            present.insert(try await machine.device())
        }
        let lost = circle.devices.filter { $0.status == .member && !present.contains($0.id) }.map(\.id)
        guard !lost.isEmpty else { return }
        _ = try await owner("\(machine.number) removes devices that are lost") {
            try await machine.open().removeDevices(Set(lost), $0, recoveryKey: nil, keepsSecretKey: true)
        }
        try await machine.acknowledge()
    }

    /// Machines may have changed the passphrase at the same time; a recovery key opens all headers.
    ///
    /// - Returns: Whether the machine made a new key.
    private func unite(_ machine: Machine) async throws -> Bool {
        for key in recoveryKeys {
            do {
                let new = "settled \(words.count)"
                try await machine.open().recover(with: key, newPassphrase: Passphrase(new))
                words.insert(new, at: 0)
                break
            } catch let error as VaultError
                where error.code == .wrongRecoveryKey || Self.answers.contains(error.code)
                || error.code == .damaged && recoveryKeys.count > 1
            {
                note("\(machine.number) is not recovered at the end: \(error)")
            }
        }
        var isDone = try await owner("\(machine.number) makes a key at the end") {
            try await machine.open().rekeyCircle($0)
        }
        // If one machine replaced the recovery key while another changed the passphrase and the circle, both are needed together.
        for key in recoveryKeys where !isDone {
            isDone = try await owner("\(machine.number) makes a key with a recovery key") {
                try await machine.open().rekeyCircle($0, recoveryKey: key)
            }
        }
        try await machine.acknowledge()
        return isDone
    }
}
