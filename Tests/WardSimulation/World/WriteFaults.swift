import Synchronization
import WardVault

/// A disk that refuses one write of the vault.
final class WriteFaults: Sendable {
    private let left = Mutex<Int?>(nil)

    /// Refuses the write after so many others, or none.
    func refuse(after count: Int?) { left.withLock { $0 = count } }

    func step() throws {
        try left.withLock { left in
            guard let count = left else { return }
            left = count == 0 ? nil : count - 1
            if count == 0 { throw VaultError(.diskFull, "the disk is full") }
        }
    }
}
