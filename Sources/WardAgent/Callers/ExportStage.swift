internal import Synchronization
internal import WardAgentClient
internal import WardVault

/// The items that the person allowed a connection to take out of the vault.
///
/// The permission belongs to one connection. It ends with the last item, after a time, and with the connection.
final class ExportStage: Sendable {
    /// What is fetched next.
    struct Queue: Sendable {
        /// The items that are left, the next one last.
        var items: [ItemID] = []
        /// The attachments of the latest item that are left, the next one last.
        var attachments: [(item: ItemID, attachment: Attachment)] = []

        var isEmpty: Bool { items.isEmpty && attachments.isEmpty }
    }

    /// How long the items wait for the next request.
    static let window = Duration.seconds(2 * 60)

    private let state = Mutex<(queue: Queue, touchedAt: ContinuousClock.Instant)?>(nil)

    /// Allows items.
    func allow(_ items: [ItemID], at now: ContinuousClock.Instant) {
        state.withLock { $0 = (Queue(items: items.reversed()), now) }
    }

    /// Takes the permission out, so that two requests at the same time do not share it.
    ///
    /// - Throws: `AgentError` with `denied` if the person did not allow an export on this connection, or not recently.
    func take(at now: ContinuousClock.Instant) throws(AgentError) -> Queue {
        let taken = state.withLock { (state) -> (queue: Queue, touchedAt: ContinuousClock.Instant)? in
            defer { state = nil }
            return state
        }
        guard let taken, taken.touchedAt.duration(to: now) <= Self.window else {
            throw AgentError(.denied, "This connection may not export items, or not any longer. Run the command again")
        }
        return taken.queue
    }

    /// Puts what is left back.
    func put(_ queue: Queue, at now: ContinuousClock.Instant) {
        guard !queue.isEmpty else { return }
        state.withLock { $0 = (queue, now) }
    }
}
