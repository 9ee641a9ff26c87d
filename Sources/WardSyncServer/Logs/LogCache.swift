import WardLog

/// The logs in memory: one request at a time works with each, and those that were not used for longest are dropped.
actor LogCache {
    private struct Slot {
        var log: VaultLog?
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var lastUse: UInt64 = 0

        var size: Int { log?.size ?? 0 }
    }

    private var slots: [VaultID: Slot] = [:]
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
        if slots[vault]?.isBusy == true {
            guard slots[vault, default: Slot()].waiting.count < waiting else {
                throw SyncError(.busy, "Too many requests wait for the vault. Try again in a moment.", retryAfter: 2)
            }
            await withCheckedContinuation { slots[vault, default: Slot()].waiting.append($0) }
        }
        slots[vault, default: Slot()].isBusy = true
        // Nothing else refers to the log now, or a change would copy it.
        let log = slots[vault]?.log
        slots[vault]?.log = nil
        return log
    }

    private func end(_ vault: VaultID, _ log: VaultLog?) {
        uses += 1
        slots[vault]?.log = log
        slots[vault]?.lastUse = uses
        if let next = slots[vault]?.waiting.first {
            // The vault stays busy: nobody comes between.
            slots[vault]?.waiting.removeFirst()
            next.resume()
        } else {
            slots[vault]?.isBusy = false
            if log == nil { slots[vault] = nil }
        }
        shrink()
    }

    private func shrink() {
        var total = slots.values.reduce(0) { $0 + ($1.isBusy ? 0 : $1.size) }
        guard total > entries else { return }
        let idle = slots.filter { !$0.value.isBusy }.sorted { $0.value.lastUse < $1.value.lastUse }
        guard let last = idle.last?.value else { return }
        // The last one was used right now, and is used again. A log that is larger than the cache must not push all others out: it has
        // its place beside them while it is the last one, and is the first to be dropped after that.
        if last.size > entries { total -= last.size }
        let others = idle.dropLast()
        let inOrder = others.filter { $0.value.size > entries } + others.filter { $0.value.size <= entries }
        for (vault, slot) in inOrder where total > entries {
            total -= slot.size
            slots[vault] = nil
        }
    }
}

/// A refusal after which the log in memory is as it was.
struct KeptRefusal: Error {
    let error: any Error
}
