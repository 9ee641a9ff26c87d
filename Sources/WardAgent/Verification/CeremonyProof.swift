internal import Synchronization

/// The proof that the person was verified moments ago, for one ceremony.
///
/// Unlocking the vault for a ceremony verifies the person for it.
///
/// Each ceremony has its own value, so that no other ceremony can use the proof.
final class CeremonyProof: Sendable {
    private let isThere = Mutex(false)

    /// The person typed the passphrase for this ceremony.
    func note() { isThere.withLock { $0 = true } }

    /// Whether the person was verified.
    ///
    /// Only the first question of a ceremony gets the answer yes.
    func take() -> Bool {
        isThere.withLock { isThere in
            defer { isThere = false }
            return isThere
        }
    }
}
