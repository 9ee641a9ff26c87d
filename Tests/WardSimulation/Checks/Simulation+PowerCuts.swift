import WardLog
import WardSync
import WardTesting
import WardVault

/// What a machine would find if its power had failed.
extension Simulation {
    /// Looks what would be left if the power of a machine had failed at some moments of an event. The machine goes on.
    ///
    /// - Parameters:
    ///   - machine: The machine.
    ///   - start: The number of steps of the disks when the event began.
    ///   - mayLackVault: Whether there was no vault before.
    ///   - count: The number of moments.
    ///   - dice: What decides.
    func checkPowerCuts(
        on machine: Machine,
        since start: Int,
        mayLackVault: Bool = false,
        count: Int = 6,
        _ dice: inout Dice
    ) async throws {
        guard plan.hasFailures, findings.isEmpty else { return }
        let safe = machine.acknowledged.last { $0.steps <= start }?.entry
        for files in machine.possibleDisks(from: start, atMost: count, &dice) where findings.isEmpty {
            // What is not there yet can be made again.
            if mayLackVault, files[machine.location.database] == nil { continue }
            let image = try Machine(
                number: Self.images + machine.number,
                world: world,
                seed: plan.seed,
                now: machine.effects.now
            )
            defer { image.vanish() }
            do {
                try image.take(files, of: machine)
                try await image.reopen(words)
                let vault = try image.open()
                let isIncomplete = try await vault.circle().map { $0.isIncomplete || hasLostKeys } ?? false
                if let safe, !isIncomplete, try await !vault.has(safe) {
                    find("machine \(machine.number) would have lost entries if its power had failed")
                }
                try await image.close()
            } catch {
                find("machine \(machine.number) would not open if its power had failed: \(error)")
            }
        }
    }

    /// The entries of a machine that are in a folder for syncing.
    func ownEntries(of machine: Machine, in files: [String: [UInt8]]) async throws -> Set<[UInt8]> {
        let vault = try machine.open().id
        let own = try await machine.device()
        let reader = try Machine(number: Self.images + machine.number, world: world, seed: plan.seed, now: 0)
        defer { reader.vanish() }
        try reader.take(files.filter { $0.key.hasPrefix(machine.syncFolder) }, of: machine)
        var found: Set<[UInt8]> = []
        _ = FolderRemote(folder: reader.syncFolder, vault: vault).read(skipping: { _ in false }) { segment in
            for record in segment.records where record.entry.entry.device == own { found.insert(record.entry.hash) }
        }
        return found
    }

    /// The first number of what is no machine, but what one would be.
    private static let images = 1_000
}
