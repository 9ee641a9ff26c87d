internal import Synchronization

/// The passwords that were released, or the passkeys that signed in, in the last minutes.
///
/// A passkey without a prompt requires one.
///
/// The agent writes this record itself when it gives a password to an app or a page, or signs for it. Passwords that a program of the
/// manager shows, adds or changes are not recorded.
final class RecentReleases<Release: RecentRelease>: Sendable {
    private let now: @Sendable () -> ContinuousClock.Instant
    private let times = Mutex<[Release: ContinuousClock.Instant]>([:])

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    /// Records a release.
    func note(_ release: Release) {
        let now = now()
        times.withLock { times in
            times = times.filter { $0.value.duration(to: now) <= RecentReleaseLimits.window }
            if times.count >= RecentReleaseLimits.count, let oldest = times.min(by: { $0.value < $1.value })?.key {
                times[oldest] = nil
            }
            times[release] = now
        }
    }

    /// Forgets what a recipient got.
    func forget(_ recipient: Recipient) {
        times.withLock { times in times = times.filter { $0.key.recipient != recipient } }
    }

    /// The latest release of a manager to a recipient that fits, if it is recent enough.
    func latest(by provider: String, to recipient: Recipient, where fits: (Release) -> Bool) -> Release? {
        let now = now()
        return times.withLock { times in
            let found = times.filter { release, time in
                time.duration(to: now) <= RecentReleaseLimits.window && release.provider == provider
                    && release.recipient == recipient && fits(release)
            }
            return found.max { $0.value < $1.value }?.key
        }
    }
}

/// A release of a credential manager to an app or a page, after the person agreed.
protocol RecentRelease: Hashable, Sendable {
    /// The app or the page.
    var recipient: Recipient { get }
    /// The manager.
    var provider: String { get }
}

/// The limits of ``RecentReleases``.
enum RecentReleaseLimits {
    /// How long after a release a passkey can be created without a prompt.
    static let window = Duration.seconds(300)
    /// The maximum number of records.
    static let count = 1_000
}
