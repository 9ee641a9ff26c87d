import WardLog
import WardSync
import WardVault

/// What must hold after a sync that ended well.
extension Simulation {
    /// A machine and a server lack nothing of each other.
    func checkExchanged(_ machine: Machine, _ number: Int, _ report: SyncReport) async throws {
        let server = servers[number]
        guard report.troubles.isEmpty, report.serverTroubles.isEmpty, deadline == nil,
            server.isOpen(to: machine.number),
            machines.allSatisfy({ !$0.isGivenUp }), let circle = try await machine.circle(), circle.isMember,
            // What decides a dispute against a device comes after its removal, and is not for it.
            !circle.devices.contains(where: { $0.isThisDevice && $0.status == .disputed })
        else { return }
        let vault = try machine.open()
        let there = Set(try await server.entries(of: vault.id).map(\.hash))
        let lacking = try await vault.unknown(there)
        if !lacking.isEmpty {
            find("machine \(machine.number) lacks \(lacking.count) entries of server \(number) after a sync")
        }
        guard !circle.isIncomplete else { return }
        let own = Set(try await vault.records(after: 0, limit: .max).map(\.entry.hash))
        if !own.isSubset(of: there) {
            find(
                "server \(number) lacks \(own.subtracting(there).count) entries of machine \(machine.number) after a sync"
            )
        }
    }

    /// Who made a key and has all keys has given them to everybody.
    func checkHandedOver(by machine: Machine) async throws {
        guard let circle = try await machine.circle(), circle.isMember, !circle.isFrozen else { return }
        let lacking = circle.devices.filter(\.lacksKey)
        guard let first = lacking.first, !lacking.contains(where: \.isThisDevice) else { return }
        find("machine \(machine.number) made a key, and device \(first.id) lacks one")
    }

    /// The header that a machine wrote last has a larger generation than all that it had before.
    func checkGeneration(of machine: Machine) async throws {
        let device = try await machine.device()
        let entries = try await Self.entries(machine).filter { $0.headerGeneration != nil }
        guard let last = entries.lastIndex(where: { $0.entry.device == device }) else { return }
        let before = entries[..<last].compactMap(\.headerGeneration).max() ?? 0
        if let own = entries[last].headerGeneration, own <= before {
            find("machine \(machine.number) wrote a header of generation \(own) after one of generation \(before)")
        }
    }

    /// A member may change the header where nobody has changed the circle beside another one.
    func checkConflict(on machine: Machine, _ words: String) async throws {
        let device = try await machine.device()
        // While a removed device may have the newest key, nothing but a new key goes out.
        guard !machine.isGivenUp, let state = try await everything(of: [machine])?.circleState, !state.isFrozen,
            state.isClean,
            state.members.contains(device), !state.stopped.contains(device), state.owners.count == 1
        else { return }
        find("machine \(machine.number) may not change \(words), and nothing is in the way")
    }

    /// A device that lacks the newest key takes the operation that made it, and leaves the header as it is.
    func checkLackedHeader(_ hash: [UInt8]) async throws {
        for machine in machines where machine.vault != nil {
            guard let signed = try await Self.entries(machine).first(where: { $0.hash == hash }) else { continue }
            if case .circle(let record) = signed.entry.operation, record.keys != nil {
                find(
                    "entry \(signed.entry.sequence) of \(signed.entry.device) is not taken because of the key that it makes"
                )
            }
            return
        }
    }
}

extension SignedEntry {
    /// The generation of the header that the entry brings; `nil` if it brings none.
    fileprivate var headerGeneration: UInt64? {
        switch entry.operation {
        case .header(let generation, _): generation
        case .circle(let record): record.keys?.header
        case .genesis, .enrol, .revision, .purge, .content, .ignorable, .unknown: nil
        }
    }
}
