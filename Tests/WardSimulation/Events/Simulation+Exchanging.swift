import WardLog
import WardSync
import WardVault

/// Syncing, and what carries files between machines.
extension Simulation {
    func exchange(_ machine: Machine, _ dice: inout Dice) async throws {
        if !servers.isEmpty, !plan.hasFolder || dice.hits(50) {
            let number = dice.below(servers.count)
            if plan.hasFailures, dice.hits(25) {
                servers[number].fail(after: dice.below(8), losingAnswer: dice.hits(50), isGone: dice.hits(50))
            }
            try await sync(machine, server: number)
            servers[number].fail(after: nil, losingAnswer: false)
            return
        }
        guard plan.hasFolder else { return }
        if let other = dice.one(of: machines.filter { $0 !== machine }) {
            try carry(from: other, to: machine) { _ in dice.hits(80) }
        }
        try await syncFolder(machine)
    }

    /// One machine writes, and another hears of it.
    func bring(from machine: Machine, to other: Machine, _ dice: inout Dice) async throws {
        guard !plan.hasFolder else {
            try await syncFolder(machine)
            try carry(from: machine, to: other) { _ in true }
            try await syncFolder(other)
            return
        }
        let number = dice.below(servers.count)
        for one in [machine, other] { try await sync(one, server: number) }
    }

    /// - Returns: Whether something was taken or written.
    @discardableResult
    func syncFolder(_ machine: Machine) async throws -> Bool {
        guard let sync = machine.folderSync else { return false }
        do {
            let report = try await sync.run()
            machine.ownFolders.insert(try await machine.device().text)
            machine.hasAdmitted = false
            try await machine.acknowledge()
            note("\(machine.number) syncs its folder: takes \(report.taken), writes \(report.written)")
            try await judge(report, machine)
            if !hasLied, let trouble = report.folderTroubles.first {
                find("machine \(machine.number) cannot read its folder: \(trouble)")
            }
            return report.taken + report.written > 0
        } catch let error as VaultError where error.code == .diskFull {
            note("\(machine.number) has a full disk")
            return false
        }
    }

    /// - Returns: Whether something was taken or written.
    @discardableResult
    func sync(_ machine: Machine, server number: Int) async throws -> Bool {
        let sync: ServerSync
        if let known = machine.serverSyncs[number] {
            sync = known
        } else {
            let world = world
            let deadline = deadline
            let invitation = machine.number == 0 ? try await servers[number].invite() : nil
            sync = try servers[number].sync(machine, invitation: invitation) {
                deadline.map { DiskStep.count(world) < $0.steps } ?? true
            }
            machine.serverSyncs[number] = deadline == nil ? sync : nil
        }
        do {
            let report = try await sync.run()
            try await machine.acknowledge()
            note(
                "\(machine.number) syncs with server \(number): takes \(report.taken), writes \(report.written)"
            )
            try await judge(report, machine)
            if report.hasTwoOrders { machine.twoOrders.insert(number) }
            // A server that was restored from a copy has another order than before.
            if report.hasTwoOrders, !hasLied, servers[number].breaks == 0 {
                find("machine \(machine.number) was shown two orders by an honest server")
            }
            if let error = report.serverTroubles.first, !hasLied {
                note("\(machine.number): server \(number) does not take everything: \(error)")
            }
            machine.serverErrors[number] = nil
            machine.hasAdmitted = false
            try await checkExchanged(machine, number, report)
            return report.taken + report.written > 0
        } catch let error as ServerError {
            try await machine.acknowledge()
            machine.serverErrors[number] = error
            note("\(machine.number) cannot sync with server \(number): \(error)")
            try await checkLockOut(of: machine, by: number, error)
            return false
        } catch let error as VaultError where error.code == .diskFull {
            note("\(machine.number) has a full disk")
            return false
        }
    }

    /// Nothing that an honest device wrote is wrong.
    private func judge(_ report: SyncReport, _ machine: Machine) async throws {
        for trouble in report.troubles {
            note("\(machine.number) is told: \(trouble)")
            switch trouble {
            case .refused, .otherData, .damagedHeader, .headerIsMissing, .hasOwnEntries:
                if !hasLied, !machine.isGivenUp, machines.allSatisfy({ !$0.isGivenUp }) {
                    find("machine \(machine.number) does not take what honest machines wrote: \(trouble)")
                }
            case .withheld:
                if !hasLied { find("machine \(machine.number) was not given data: \(trouble)") }
            case .lacksHeaderKey(let entry): try await checkLackedHeader(entry)
            case .needsSecretKey, .removedHere: break
            }
        }
    }

    // MARK: Carrying files

    /// Brings files of one machine to another.
    ///
    /// - Parameters:
    ///   - other: The machine that has the files.
    ///   - machine: The machine that gets them.
    ///   - arrives: Whether a file arrives now.
    func carry(from other: Machine, to machine: Machine, _ arrives: (String) -> Bool) throws {
        let below = "/ward/" + vaultName
        for device in Files.names(other.syncFolder + below) where !machine.ownFolders.contains(device) {
            let (source, target) = (
                other.syncFolder + below + "/" + device, machine.syncFolder + below + "/" + device
            )
            let isOwner = other.ownFolders.contains(device)
            let there = Files.names(source).filter { !$0.hasPrefix(".") }
            try Files.makeFolder(target)
            for name in there where arrives(name) {
                let known = Files.read(target + "/" + name)
                // Only the copy of the machine that wrote a file is better than another copy.
                guard known == nil || isOwner, let bytes = Files.read(source + "/" + name), known != bytes
                else { continue }
                try machine.receive(bytes, as: target + "/" + name)
            }
            // Only the machine that wrote a file knows that it is gone.
            guard isOwner else { continue }
            let gone = Set(Files.names(target)).subtracting(there)
            let isWhole = there.allSatisfy { Files.names(target).contains($0) }
            for name in gone.sorted() where isWhole && arrives(name) { machine.lose(target + "/" + name) }
        }
    }

    /// Brings everything to a machine.
    func carryAll(to machine: Machine) {
        for other in machines where other !== machine {
            do {
                try carry(from: other, to: machine) { _ in true }
            } catch {
                find("carrying: \(error)")
            }
        }
    }

    private var vaultName: String {
        machines.lazy.compactMap { $0.vault?.id }.first.map { id in
            id.bytes.map { Self.hex($0) }.joined()
        } ?? ""
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }
}
