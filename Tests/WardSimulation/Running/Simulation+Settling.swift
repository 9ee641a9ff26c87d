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
            guard let circle = try await machine.open().circle(), circle.isMember, !circle.isIncomplete else {
                continue
            }
            let id = try await machine.open().thisDevice()
            found.append((machine, id))
            known[id] = Set(circle.devices.filter { $0.status != .removed }.map(\.id))
            if !circle.isFrozen { removed.formUnion(circle.devices.filter { $0.status == .removed }.map(\.id)) }
        }
        return found.filter { _, id in
            // A removed device gets nothing that came later, so it may still see a question that others have answered. A new
            // device may be known to nobody but the one that admitted it, if that one is out.
            let others = known.filter { $0.key != id && !removed.contains($0.key) }
            return !removed.contains(id) && (others.isEmpty || others.values.contains { $0.contains(id) })
        }.map(\.machine)
    }

    /// Whether a machine can tell others something. A server gives a removed device nothing, and takes nothing from it.
    private func isHeard(_ machine: Machine) -> Bool {
        plan.hasFolder
            || servers.indices.contains { number in
                let code = machine.serverErrors[number]?.code
                return code != .deviceRemoved && code != .sessionRefused
            }
    }

    /// Everybody syncs, and a member makes a new key where one is needed.
    func settle() async throws {
        hasSettled = true
        for server in servers {
            server.fail(after: nil, losingAnswer: false)
            server.endForks()
        }
        for machine in machines where machine.vault != nil { machine.faults.refuse(after: nil) }
        for _ in 0..<4 {
            try await meet()
            guard findings.isEmpty else { return }
            let members = try await members()
            guard let first = members.first, let circle = try await first.open().circle() else { return }
            let lacking = Set(circle.devices.filter(\.lacksKey).map(\.id))
            if !circle.isFrozen, circle.isKeyClean, lacking.isEmpty { return }
            for machine in members {
                let own = try await machine.open().thisDevice()
                let isDisputed = circle.devices.contains { $0.id == own && $0.status == .disputed }
                guard !lacking.contains(own), !isDisputed else {
                    note("\(machine.number) cannot make a key: lacks \(lacking.contains(own)), disputed \(isDisputed)")
                    continue
                }
                try await unite(machine)
                break
            }
        }
    }

    /// Machines may have changed the passphrase at the same time; a recovery key opens all headers.
    private func unite(_ machine: Machine) async throws {
        for key in recoveryKeys {
            do {
                let new = "settled \(words.count)"
                try await machine.open().recover(with: key, newPassphrase: Passphrase(new))
                words.insert(new, at: 0)
                break
            } catch let error as VaultError
                where error.code == .wrongRecoveryKey || Self.answers.contains(error.code)
            {
                note("\(machine.number) is not recovered at the end: \(error)")
            }
        }
        let isDone = try await owner("\(machine.number) makes a key at the end") {
            try await machine.open().rekeyCircle($0)
        }
        if !isDone { isStuck = true }
        try await machine.acknowledge()
    }
}
