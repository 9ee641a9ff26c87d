import WardLog

/// The logs in memory: one request at a time works with each, and those that were not used for longest are dropped.
actor LogCache {
    /// The place of a log: an object, because a copy of a log's value counts references to all its parts.
    private final class Slot {
        var log: VaultLog?
        /// How much memory the log in this place takes.
        var size = 0
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var lastUse: UInt64 = 0
    }

    private var slots: [VaultID: Slot] = [:]
    /// How much memory the logs take that nobody works with.
    private var idle = 0
    private var uses: UInt64 = 0
    private let entries: Int
    private let waiting: Int

    /// - Parameters:
    ///   - entries: The maximum number of entries in all logs that nobody works with.
    ///   - waiting: The maximum number of requests that wait for one vault.
    init(entries: Int, waiting: Int) {
        self.entries = entries
        self.waiting = waiting
    }

    /// How much memory the logs take, as a number of entries.
    var count: Int { slots.values.reduce(0) { $0 + $1.size } }

    /// Runs a closure with the log of a vault, when no other request works with it.
    ///
    /// The closure gets `nil` if the log is not in memory. What it leaves stays in memory; after an error nothing does, because
    /// nobody knows what of it the store has.
    nonisolated func with<T: Sendable>(
        _ vault: VaultID,
        _ body: (inout VaultLog?) async throws -> T
    ) async throws -> T {
        var log = try await begin(vault)
        do {
            let result = try await body(&log)
            await end(vault, log)
            return result
        } catch let refusal as KeptRefusal {
            await end(vault, log)
            throw refusal.error
        } catch {
            await end(vault, nil)
            throw error
        }
    }

    private func begin(_ vault: VaultID) async throws -> VaultLog? {
        let slot = slots[vault] ?? Slot()
        slots[vault] = slot
        if slot.isBusy {
            guard slot.waiting.count < waiting else {
                throw SyncError(.busy, "Too many requests wait for the vault. Try again in a moment.", retryAfter: 2)
            }
            await withCheckedContinuation { slot.waiting.append($0) }
        } else {
            slot.isBusy = true
            idle -= slot.size
        }
        slot.size = 0
        // Nothing else refers to the log now, or a change would copy it.
        return slot.log.take()
    }

    private func end(_ vault: VaultID, _ log: VaultLog?) {
        guard let slot = slots[vault] else { return }
        uses += 1
        (slot.log, slot.lastUse) = (log, uses)
        slot.size = log?.size ?? 0
        guard slot.waiting.isEmpty else {
            // The vault stays busy: nobody comes between.
            return slot.waiting.removeFirst().resume()
        }
        slot.isBusy = false
        guard log != nil else {
            slots[vault] = nil
            return
        }
        idle += slot.size
        shrink(keeping: vault, slot.size)
    }

    /// Drops logs that nobody works with, if there are too many.
    ///
    /// The last one was used right now, and is used again. A log that is larger than the cache must not push all others out: it has its
    /// place beside them while it is the last one, and is the first to be dropped after that.
    private func shrink(keeping last: VaultID, _ size: Int) {
        let room = entries + (size > entries ? size : 0)
        guard idle > room else { return }
        // A few more than needed: all logs are looked at for this, which must not be done for each change.
        let enough = room - entries / 16
        let others = slots.filter { !$0.value.isBusy && $0.key != last }.sorted { $0.value.lastUse < $1.value.lastUse }
        let inOrder = others.filter { $0.value.size > entries } + others.filter { $0.value.size <= entries }
        for (vault, slot) in inOrder where idle > enough {
            idle -= slot.size
            slots[vault] = nil
        }
    }
}

/// A refusal after which the log in memory is as it was.
struct KeptRefusal: Error {
    let error: any Error
}
