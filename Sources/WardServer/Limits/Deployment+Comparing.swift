import Synchronization
import WardAccounts
import WardWebAuthn

extension Deployment {
    /// Begins an attempt and compares the password.
    ///
    /// If the password could not be compared, the attempt is not counted.
    ///
    /// - Parameters:
    ///   - typed: The password.
    ///   - record: The stored password: `nil` if the account does not exist or has no password.
    ///   - attempt: The attempt, which has not begun.
    ///   - passwords: What compares them.
    /// - Returns: The match, or `nil` for a wrong password.
    /// - Throws: ``APIError`` with `passwords_busy`, `unavailable`, `too_many_attempts` or `too_many_requests`, or the store's errors.
    func compare(
        _ typed: String,
        with record: PasswordRecord?,
        _ attempt: PasswordTry,
        _ passwords: Passwords
    ) async throws -> Passwords.Match? {
        let (store, effects) = (store, effects)
        let hasBegun = Atomic(false)
        do {
            return try await passwords.verify(typed, against: record, for: attempt.client) {
                try await store.write { try await attempt.begin(at: effects.now(), in: $0) }
                hasBegun.store(true, ordering: .relaxed)
            }
        } catch {
            if hasBegun.load(ordering: .relaxed) {
                try? await store.write { try await attempt.withdrawn(at: effects.now(), in: $0) }
            }
            throw error
        }
    }
}
