internal import Synchronization
internal import WardAgentClient

/// The apps whose last question got a no: for a while they are refused without a prompt.
///
/// The first no counts for 2 seconds, so that what an app asked in one go is refused in one go; each further one in a row doubles
/// that, up to 5 minutes. A question that nobody answers in time counts as a no. A yes ends it, and so do 15 minutes without a no.
final class Declines: Sendable {
    /// Who heard the no.
    ///
    /// All programs that nobody vouches for are one: they could take a new name for each question.
    struct Asker: Hashable, Sendable {
        let kind: AppIdentity.Result.Kind
        let identifier: String

        /// - Parameter app: The app; `nil` where it cannot be told.
        init(_ app: AppIdentity.Result?) {
            kind = app?.kind ?? .unknown
            identifier = kind == .unknown ? "" : app?.identifier ?? ""
        }
    }

    private struct Refusal {
        var count = 0
        var at: ContinuousClock.Instant
    }

    private static let longestWait = 300
    private static let memory = Duration.seconds(900)

    private let now: @Sendable () -> ContinuousClock.Instant
    private let refusals = Mutex<[Asker: Refusal]>([:])

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    /// Refuses an app that heard a no moments ago.
    ///
    /// - Throws: `AgentError` with `denied`.
    func check(_ asker: Asker) throws(AgentError) {
        let wait = refusals.withLock { refusals -> Int in
            guard let last = refusals[asker] else { return 0 }
            let end = last.at + .seconds(min(Self.longestWait, 1 << min(last.count, 16)))
            let left = now().duration(to: end).components
            return Int(clamping: left.seconds) + (left.attoseconds > 0 ? 1 : 0)
        }
        guard wait <= 0 else {
            throw AgentError(.denied, "the person said no a moment ago: ask again in \(wait) seconds")
        }
    }

    /// Remembers what the person answered.
    func note(_ answer: PromptAnswer, to asker: Asker) {
        refusals.withLock { refusals in
            do {
                if try answer.assent() != .other { refusals[asker] = nil }
            } catch {
                var refusal = refusals[asker] ?? Refusal(at: now())
                if refusal.at.duration(to: now()) > Self.memory { refusal.count = 0 }
                refusal.count = min(refusal.count + 1, 16)
                refusal.at = now()
                refusals[asker] = refusal
            }
        }
    }
}
