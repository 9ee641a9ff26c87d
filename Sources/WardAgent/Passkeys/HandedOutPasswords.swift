internal import Synchronization

/// A password that a credential manager gave to an app or a page, after the person agreed.
struct HandedOutPassword: Hashable, Sendable {
    /// The app or the page that got the password.
    var recipient: Recipient
    /// The manager that released the password.
    var provider: String
    /// The manager's reference to the entry.
    ///
    /// For Ward's vault it is the item ID.
    var reference: String
    /// The domain that the app requested, or the host of the page.
    var domain: String
    /// The account.
    var user: String

    /// Whether the password belongs to this account.
    ///
    /// Upper and lower case do not matter. For a page, the domain may be another host of the same site.
    func isFor(_ userName: String, at domain: String) -> Bool {
        guard !user.isEmpty, user.lowercased() == userName.lowercased() else { return false }
        return switch recipient {
        case .app: self.domain == domain
        case .page: BrowserPage.areSameSite(self.domain, domain)
        }
    }
}

/// The passwords that were released in the last minutes.
///
/// A passkey without a prompt requires one.
///
/// The agent writes this record itself when it gives a password to an app or a page. Passwords that a program of the manager shows, adds
/// or changes are not recorded.
final class HandedOutPasswords: Sendable {
    /// How long after the release of a password a passkey can be created without a prompt.
    static let window = Duration.seconds(300)
    /// The maximum number of records.
    private static let limit = 1_000

    private let now: @Sendable () -> ContinuousClock.Instant
    private let times = Mutex<[HandedOutPassword: ContinuousClock.Instant]>([:])

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    /// Records a password that is released.
    func note(_ password: HandedOutPassword) {
        let now = now()
        times.withLock { times in
            times = times.filter { $0.value.duration(to: now) <= Self.window }
            if times.count >= Self.limit, let oldest = times.min(by: { $0.value < $1.value })?.key {
                times[oldest] = nil
            }
            times[password] = now
        }
    }

    /// Forgets what a recipient got.
    func forget(_ recipient: Recipient) {
        times.withLock { times in times = times.filter { $0.key.recipient != recipient } }
    }

    /// The latest password that a manager released to this recipient for this account and domain, if it is recent enough.
    func latest(by provider: String, to recipient: Recipient, for user: String, at domain: String)
        -> HandedOutPassword?
    {
        let now = now()
        return times.withLock { times in
            let found = times.filter { password, time in
                time.duration(to: now) <= Self.window && password.provider == provider
                    && password.recipient == recipient
                    && password.isFor(user, at: domain)
            }
            return found.max { $0.value < $1.value }?.key
        }
    }
}
