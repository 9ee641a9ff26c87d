import Logging
import Synchronization
import WardAccounts
import WardWebAuthn

/// The password handling of the service: it refuses weak passwords, hashes passwords and compares them.
final class Passwords: Sendable {
    /// The result of a comparison with the right password.
    struct Match: Sendable {
        /// The stored password that matched.
        let record: PasswordRecord
        /// A new hash of the password, if the stored hash is weaker than the current setting.
        let renewed: PasswordHash?
    }

    private let effort: PasswordEffort
    private let queue: PasswordQueue
    private let decoy: PasswordHash
    private let names: [String]
    private let minimumLength: Int
    private let breached: BreachedPasswords?
    /// The last compared hash with another cost than the current setting: from another system, or from before the setting changed.
    ///
    /// Its comparison takes another time. So each check does both comparisons, and the time does not tell which accounts have such
    /// hashes, or which names have no account.
    private let other = Mutex<PasswordHash?>(nil)

    /// - Parameters:
    ///   - effort: The cost of a check.
    ///   - queue: The queue for checks.
    ///   - names: The service's names, which must not be passwords.
    ///   - minimumLength: The minimum length of a new password, in characters.
    ///   - breached: Passwords from data breaches, which must not be chosen.
    ///   - effects: Randomness for the decoy.
    init(
        _ effort: PasswordEffort,
        queue: PasswordQueue,
        names: [String],
        minimumLength: Int,
        breached: BreachedPasswords?,
        effects: Effects
    ) {
        self.minimumLength = minimumLength
        self.breached = breached
        self.effort = effort
        self.queue = queue
        self.names = names
        decoy = PasswordHash(decoyWith: effort, randomBytes: effects.randomBytes)
    }

    /// Checks and hashes a password that a person chose.
    ///
    /// - Parameters:
    ///   - typed: The password.
    ///   - words: The person's names.
    ///   - client: Whose turn it takes.
    ///   - logger: Notes it if the breached passwords cannot be asked.
    /// - Returns: The hash to store.
    /// - Throws: ``APIError`` if the password is not acceptable, or the service is too busy.
    func hash(
        new typed: String,
        beside words: [String],
        for client: PasswordQueue.Client,
        _ logger: Logger
    ) async throws -> String {
        let password: AccountPassword
        do { password = try AccountPassword(new: typed) } catch {
            throw APIError(error, minimumLength: minimumLength).at("password")
        }
        let text = String(decoding: password.bytes, as: UTF8.self)
        guard text.unicodeScalars.count >= minimumLength else {
            throw APIError.passwordTooShort(minimumLength).at("password")
        }
        try await queue.perform(for: client) { [names] in
            guard !CommonPasswords.contains(text, beside: names + words) else {
                throw APIError(.passwordTooCommon, "This password is too easy to guess. Choose another password.").at(
                    "password"
                )
            }
        }
        guard try await !isBreached(password, client, logger) else {
            throw APIError(.passwordBreached, "This password is known from a data breach. Choose another password.")
                .at("password")
        }
        return try await queue.perform(for: client) { [effort] in
            try PasswordHash(of: password.bytes, effort: effort).text
        }
    }

    /// Whether the password is known from a data breach.
    ///
    /// If the file or the address with breached passwords fails, people can continue. The bundled list alone then decides.
    private func isBreached(
        _ password: AccountPassword,
        _ client: PasswordQueue.Client,
        _ logger: Logger
    ) async throws -> Bool {
        guard let breached else { return false }
        do {
            return try await breached.contains(password.bytes, queue, for: client)
        } catch let error as APIError {
            throw error
        } catch {
            try Task.checkCancellation()
            logger.error(
                "the breached passwords cannot be asked: only the bundled list of common passwords decided",
                metadata: ["reason": "\(error)"]
            )
            return false
        }
    }

    /// The comparison that the stored hash did not need, so that all of them take the same time.
    ///
    /// - Parameters:
    ///   - stored: The hash that was compared; the decoy for an account that does not exist.
    ///   - fits: Whether the password was right.
    /// - Returns: `nil` if there is none.
    func otherComparison(besides stored: PasswordHash, fits: Bool) -> PasswordHash? {
        guard !stored.hasCost(of: decoy) else { return other.withLock { $0 } }
        other.withLock { $0 = stored }
        // The right password gets a new hash, which takes as long.
        return fits ? nil : decoy
    }

    /// Compares a password with the stored one.
    ///
    /// If there is no stored password, it compares with a decoy. That takes as long and never succeeds.
    ///
    /// - Parameters:
    ///   - typed: The typed password.
    ///   - record: The stored password: `nil` if the account does not exist or has no password.
    ///   - client: Whose turn it takes.
    ///   - first: Called when it is the client's turn: the try begins.
    /// - Returns: The match, or `nil` for a wrong password.
    /// - Throws: ``APIError`` with `passwords_busy` or `unavailable`, or what `first` throws; then nothing was compared.
    func verify(
        _ typed: String,
        against record: PasswordRecord?,
        for client: PasswordQueue.Client,
        first: @Sendable () async throws -> Void
    ) async throws -> Match? {
        let password = AccountPassword(entered: typed)
        return try await queue.perform(for: client, first: first) { [self] in
            let stored = record.map { PasswordHash(stored: $0.hash) } ?? decoy
            // A text that cannot be a password is compared too. It never matches.
            let bytes = password?.bytes ?? []
            let fits = try stored.matches(bytes, typed: password == nil ? nil : Array(typed.utf8))
            // The result does not matter. A damaged hash of one account must not keep others out.
            _ = try? otherComparison(besides: stored, fits: fits)?.matches(bytes)
            guard let record, let password, fits else { return nil }
            let renewed = stored.isWeaker(than: effort) ? try PasswordHash(of: password.bytes, effort: effort) : nil
            return Match(record: record, renewed: renewed)
        }
    }
}

extension APIError {
    fileprivate static func passwordTooShort(_ minimum: Int) -> Self {
        Self(.passwordTooShort, "A password has at least \(minimum) characters.")
    }

    /// The error for a password that the rules do not allow.
    fileprivate init(_ error: PasswordError, minimumLength: Int) {
        switch error.code {
        case .tooShort:
            self = .passwordTooShort(minimumLength)
        case .tooLong:
            self.init(.passwordTooLong, "A password takes at most \(AccountPassword.maximumBytes) bytes.")
        default:
            self.init(.passwordNotAllowed, "A password has no control characters and no invisible ones.")
        }
    }
}
