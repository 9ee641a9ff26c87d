import Synchronization
import WardAccounts
import WardWebAuthn

/// Everything the service does with a password: refusing bad ones, hashing, comparing, and counting the wrong ones.
final class Passwords: Sendable {
    /// A password that was the right one.
    struct Match: Sendable {
        /// What it was compared with.
        let record: PasswordRecord
        /// The password hashed anew, because the stored hash is weaker than what is asked for now.
        let renewed: PasswordHash?
    }

    private let effort: PasswordEffort
    private let queue: PasswordQueue
    private let decoy: PasswordHash
    private let names: [String]
    private let effects: Effects
    private let attempts = Mutex(PasswordAttempts())

    /// - Parameters:
    ///   - effort: How much work a check is.
    ///   - queue: Where it is done.
    ///   - names: What the service is called, which no password may consist of.
    ///   - effects: Time, and what the decoy is drawn from.
    init(_ effort: PasswordEffort, queue: PasswordQueue, names: [String], effects: Effects) {
        self.effort = effort
        self.queue = queue
        self.names = names
        self.effects = effects
        decoy = PasswordHash(decoyWith: effort, randomBytes: effects.randomBytes)
    }

    /// Checks and hashes a password that somebody chose.
    ///
    /// - Parameters:
    ///   - typed: The password.
    ///   - words: The person's names.
    /// - Returns: What is stored.
    /// - Throws: ``APIError`` saying what is wrong with the password, or that the service is too busy.
    func hash(new typed: String, beside words: [String]) async throws -> String {
        let password: AccountPassword
        do { password = try AccountPassword(new: typed) } catch { throw APIError(error) }
        return try await queue.perform { [effort, names] in
            let text = String(decoding: password.bytes, as: UTF8.self)
            guard !CommonPasswords.contains(text, beside: names + words) else {
                throw APIError(.passwordTooCommon, "This password is among the first that are guessed.")
            }
            return try PasswordHash(of: password.bytes, effort: effort).text
        }
    }

    /// Compares, with a decoy where there is nothing to compare with: that takes as long and never fits.
    ///
    /// - Parameters:
    ///   - typed: What somebody typed.
    ///   - name: The name they typed, as it is mapped; how often that one was tried is counted.
    ///   - record: Looks up what is stored: `nil` where there is no such account, or it has no password.
    /// - Returns: The match, or `nil` for a wrong password.
    /// - Throws: ``APIError`` with `too_many_attempts`, `passwords_busy` or `unavailable`; then nothing was compared.
    func verify(
        _ typed: String,
        of name: String,
        against record: () async throws -> PasswordRecord?
    ) async throws -> Match? {
        let key = PasswordAttempts.Key(name)
        if let wait = attempts.withLock({ $0.begin(key, at: effects.now()) }) {
            throw APIError(
                .tooManyAttempts,
                "Too many wrong passwords for this name; try again later.",
                retryAfter: wait
            )
        }
        do {
            let match = try await compare(typed, with: record())
            if match != nil { attempts.withLock { $0.succeeded(key) } }
            return match
        } catch {
            attempts.withLock { $0.withdrawn(key) }
            throw error
        }
    }

    private func compare(_ typed: String, with record: PasswordRecord?) async throws -> Match? {
        let password = AccountPassword(entered: typed)
        return try await queue.perform { [effort, decoy] in
            let stored = record.map { PasswordHash(stored: $0.hash) } ?? decoy
            // A text that is nobody's password is compared like any other, and cannot be right.
            let fits = try stored.matches(password?.bytes ?? [])
            guard let record, let password, fits else { return nil }
            let renewed = stored.isWeaker(than: effort) ? try PasswordHash(of: password.bytes, effort: effort) : nil
            return Match(record: record, renewed: renewed)
        }
    }
}

extension APIError {
    /// What is wrong with a password that somebody chose.
    fileprivate init(_ error: PasswordError) {
        switch error.code {
        case .tooShort:
            self.init(.passwordTooShort, "A password has at least \(AccountPassword.minimumScalars) characters.")
        case .tooLong:
            self.init(.passwordTooLong, "A password takes at most \(AccountPassword.maximumBytes) bytes.")
        default:
            self.init(.passwordNotAllowed, "A password has no control characters and no invisible ones.")
        }
    }
}
