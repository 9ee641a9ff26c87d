internal import Synchronization

/// That the person showed who they are, moments ago and for one ceremony: unlocking the vault for it counts as verification.
///
/// Each ceremony has a value of its own, so that no other one can use it.
final class CeremonyProof: Sendable {
    private let isThere = Mutex(false)

    /// The person typed the passphrase for this ceremony.
    func note() { isThere.withLock { $0 = true } }

    /// Whether the person was verified; a second question of the same ceremony gets no.
    func take() -> Bool {
        isThere.withLock { isThere in
            defer { isThere = false }
            return isThere
        }
    }
}
