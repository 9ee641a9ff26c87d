internal import Synchronization

/// Tells a waiting thread that its result is no longer needed.
final class CancellationFlag: Sendable {
    private let raised = Atomic(false)

    var isRaised: Bool { raised.load(ordering: .acquiring) }
    func raise() { raised.store(true, ordering: .releasing) }
}
