internal import Synchronization
internal import WardVault

/// PIN and fingerprint, which verify the person while the vault is open.
///
/// Only this part counts wrong attempts.
///
/// The settings are read once after the vault was opened, and the count is only in memory. So changed files have no effect
/// while the vault is open, and a new agent asks for the passphrase first.
final class QuickVerification: Sendable {
    private struct State {
        var limit = VerificationLimit()
        var settings: VerificationSettings?
    }

    let reader: any FingerprintReader
    private let now: @Sendable () -> ContinuousClock.Instant
    private let used: @Sendable () -> Void
    private let state = Mutex(State())
    /// PINs are checked one after the other.
    private let turns = Turns()

    /// - Parameters:
    ///   - reader: What reads fingers.
    ///   - now: The clock.
    ///   - used: Called when a finger was right: the person uses the vault.
    init(
        reader: any FingerprintReader,
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        used: @escaping @Sendable () -> Void = {}
    ) {
        self.reader = reader
        self.now = now
        self.used = used
    }

    // MARK: What there is

    /// The person's settings for PIN and fingerprint.
    ///
    /// They are empty while the vault is locked.
    func settings(of vault: Vault) async -> VerificationSettings {
        guard await !vault.isLocked else { return VerificationSettings() }
        if let known = state.withLock({ $0.settings }) { return known }
        guard let read = try? await VerificationSettings(of: vault) else { return VerificationSettings() }
        return state.withLock { state in
            state.settings = state.settings ?? read
            return state.settings ?? read
        }
    }

    /// Changes the settings.
    ///
    /// - Throws: `VaultError`; then nothing changed.
    func change(_ vault: Vault, _ body: @Sendable (inout VerificationSettings) -> Void) async throws {
        var settings = await settings(of: vault)
        body(&settings)
        try await settings.keep(in: vault)
        state.withLock { [settings] in $0.settings = settings }
    }

    /// The reason why the passphrase is needed, or `nil` if another way is allowed.
    var refusal: VerificationLimit.Refusal? {
        let now = now()
        return state.withLock { $0.limit.refusal(at: now) }
    }

    /// Whether the person can be verified without the passphrase.
    func isReady(_ vault: Vault) async -> Bool {
        guard refusal == nil else { return false }
        return await !settings(of: vault).isEmpty
    }

    // MARK: What happens

    /// The passphrase was right: resets the count.
    func passphraseWasRight() {
        let now = now()
        state.withLock { $0.limit.passphraseWasRight(at: now) }
    }

    /// The vault was locked.
    ///
    /// The settings are read again when it is opened.
    func locked() { state.withLock { $0.settings = nil } }

    /// Checks a PIN.
    ///
    /// - Returns: `nil` when it is right, else how many tries are left.
    /// - Throws: `VaultError` with `unavailable` when there is no memory for Argon2id.
    func check(pin typed: [UInt8], of vault: Vault) async throws -> Int? {
        let verifier = await settings(of: vault).pin
        return try await turns.next { [self] in
            let now = now()
            guard let verifier, state.withLock({ $0.limit.begin(at: now) }) else { return 0 }
            let isRight: Bool
            do {
                isRight = try await onThread { () throws(VaultError) in try verifier.isRight(typed) }
            } catch {
                state.withLock { $0.limit.takeBack() }
                throw error
            }
            return state.withLock { state in
                if isRight { state.limit.succeeded() }
                return isRight ? nil : state.limit.left
            }
        }
    }

    /// A fingerprint was read.
    ///
    /// If it belongs to another person, it is counted as a wrong attempt.
    ///
    /// - Returns: How many tries are left.
    func noteFinger(isRight: Bool) -> Int {
        let now = now()
        if isRight { used() }
        return state.withLock { state in
            if isRight { state.limit.succeeded() } else { _ = state.limit.begin(at: now) }
            return state.limit.left
        }
    }
}
