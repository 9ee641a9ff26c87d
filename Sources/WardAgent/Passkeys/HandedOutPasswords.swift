internal import Synchronization
internal import WardAgentClient

/// A password that a manager handed to an app, after its person agreed.
struct HandedOutPassword: Hashable, Sendable {
    /// The app that got the password.
    var app: AppIdentity.Result
    /// The manager that had the password.
    var provider: String
    /// The manager's own name for the entry: for Ward's vault the item ID.
    var reference: String
    /// The domain that the app asked for.
    var domain: String
    /// The account.
    var user: String

    /// Whether the password was this account's, upper and lower case aside.
    func isFor(_ userName: String, at domain: String) -> Bool {
        !user.isEmpty && user.lowercased() == userName.lowercased() && self.domain == domain
    }
}

/// The passwords that were handed out moments ago: what a passkey without a question needs.
///
/// The agent writes this record itself, when a password leaves for an app. What a manager program shows to its person, adds or
/// changes is not in it.
final class HandedOutPasswords: Sendable {
    /// For how long a password that was handed out speaks for its person.
    static let window = Duration.seconds(300)
    /// How many are remembered.
    private static let limit = 1_000

    private let now: @Sendable () -> ContinuousClock.Instant
    private let times = Mutex<[HandedOutPassword: ContinuousClock.Instant]>([:])

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    /// Remembers a password as it leaves.
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

    /// The latest password that a manager handed to this app for this account at this domain, within the window.
    func latest(by provider: String, to app: AppIdentity.Result, for user: String, at domain: String)
        -> HandedOutPassword?
    {
        let now = now()
        return times.withLock { times in
            let found = times.filter { password, time in
                time.duration(to: now) <= Self.window && password.provider == provider && password.app == app
                    && password.isFor(user, at: domain)
            }
            return found.max { $0.value < $1.value }?.key
        }
    }
}
