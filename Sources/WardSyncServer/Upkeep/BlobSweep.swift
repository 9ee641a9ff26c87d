import Logging
import WardLog
import WardSyncRecords
import WardWebAuthn

/// Clears the blobs that no device needs any more: `Documentation/formats/sync.md`, "What is cleared".
///
/// It looks at one vault in a step, and at each vault once a day. The time is counted in days on which the service ran, and an entry
/// must also say itself that it is old. So neither a wrong clock of the service nor a wrong one of a device clears anything early.
struct BlobSweep: Sendable {
    /// The number of days for which a newer revision must have been there.
    static let supersededDays: Int64 = 90
    /// The number of days for which a removal must have been there.
    static let removedDays: Int64 = 30

    /// How much older an entry must say it is, in seconds.
    ///
    /// A device whose clock is behind takes an entry without a blob only when enough time has passed there too.
    private static let tolerance: Int64 = 7 * 86_400
    /// The maximum number of entries, and of bytes, between an entry without its blob and the one that allows that.
    ///
    /// A new device that reads the log from the beginning holds everything between the two in memory.
    private static let distance: (entries: Int64, bytes: Int64) = (8_000, 32 << 20)
    /// The number of blobs that one transaction clears.
    private static let batch = 500

    let desk: SyncDesk
    let logger: Logger

    /// Notes how far the vaults are, and looks at each that was not looked at today.
    ///
    /// - Returns: How many blobs were cleared.
    func run() async throws -> Int {
        try await desk.store.observe(at: desk.effects.now())
        var total = 0
        while !Task.isCancelled, let count = try await step() { total += count }
        return total
    }

    /// Looks at the vault whose turn it is.
    ///
    /// - Returns: How many blobs it cleared; `nil` if each vault was looked at today.
    private func step() async throws -> Int? {
        let next = try await desk.store.nextClearing(superseded: Self.supersededDays, removed: Self.removedDays)
        guard let next else { return nil }
        do {
            return try await clear(next)
        } catch let error as SyncStoreError where error.code == .vaultNotFound {
            // It was deleted meanwhile.
            return 0
        } catch {
            try Task.checkCancellation()
            logger.error("old contents of a vault were not cleared", metadata: ["reason": "\(error)"])
            // Its turn comes again tomorrow. Until then it must not keep the others waiting.
            _ = try await desk.store.clear([], of: next.vault, doneAt: next.observation)
            return 0
        }
    }

    private func clear(_ task: SyncClearing) async throws -> Int {
        let id = task.vault.id
        guard max(task.superseded, task.removed) > 0 else {
            _ = try await desk.store.clear([], of: task.vault, doneAt: task.observation)
            return 0
        }
        return try await desk.logs.with(id) { slot in
            guard let vault = try await desk.store.vault(id), vault.order == task.vault.order else {
                throw SyncStoreError(.vaultNotFound)
            }
            // A vault that nobody uses does not stay in memory for this.
            let wasThere = slot != nil
            var log = try await desk.current(vault, &slot, isUpkeep: true)
            let numbers = try await numbers(log.graph, task)
            var after = vault
            for start in stride(from: 0, to: numbers.count, by: Self.batch) {
                let part = Array(numbers[start..<min(start + Self.batch, numbers.count)])
                after = try await desk.store.clear(part, of: vault, doneAt: nil)
            }
            after = try await desk.store.clear([], of: after, doneAt: task.observation)
            guard wasThere else { return numbers.count }
            try await log.catchUp(after, desk.store)
            slot = log
            return numbers.count
        }
    }

    /// The numbers of the entries whose blobs are cleared.
    private func numbers(_ graph: LogGraph, _ task: SyncClearing) async throws -> [Int64] {
        let now = desk.effects.now() - Self.tolerance
        let allowed = graph.clearable(
            superseded: LogReach(position: task.superseded, time: now - Self.supersededDays * 86_400),
            removed: LogReach(position: task.removed, time: now - Self.removedDays * 86_400)
        )
        guard let first = allowed.map(\.position).min(), let last = allowed.map(\.allowedAt).max() else { return [] }
        let lengths = try await desk.store.lengths(of: task.vault.id, from: first, to: last)
        // The sum of the lengths of all entries before each.
        var sums: [Int64] = [0]
        for length in lengths { sums.append(sums[sums.count - 1] + length.entry + (length.blob ?? 0)) }
        guard lengths.count == last - first + 1 else { throw SyncStoreError(.damaged, detail: "entries are missing") }
        return allowed.filter { entry in
            let (start, end) = (Int(entry.position - first), Int(entry.allowedAt - first))
            guard start < end, lengths.indices.contains(start), lengths.indices.contains(end) else { return false }
            return lengths[start].blob != nil && entry.allowedAt - entry.position <= Self.distance.entries
                && sums[end] - sums[start] <= Self.distance.bytes
        }.map(\.position)
    }
}
