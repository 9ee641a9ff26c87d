import Synchronization
import WardSync

/// What a folder remote does, and from which step on the disk refuses.
final class StepLog: Sendable {
    struct PowerCut: Error {}

    private let steps = Mutex<[FolderStep]>([])
    private let limit: Int

    /// - Parameter limit: How many steps succeed.
    init(failingAfter limit: Int = .max) { self.limit = limit }

    var all: [FolderStep] { steps.withLock { $0 } }

    func take(_ step: FolderStep) throws {
        let count = steps.withLock { steps in
            steps.append(step)
            return steps.count
        }
        if count > limit { throw PowerCut() }
    }
}

extension FolderStep {
    var isOpen: Bool { if case .open = self { true } else { false } }
    var isCreate: Bool { if case .create = self { true } else { false } }
    var isSynchronize: Bool { if case .synchronize = self { true } else { false } }
    var isDelete: Bool { if case .delete = self { true } else { false } }
}

/// A small generator for tests that can be repeated.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
