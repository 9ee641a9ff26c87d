internal import Synchronization
internal import WardAgentClient

/// The apps whose last prompt the person declined.
///
/// For a while they are refused without a prompt. After the first "no" an app is refused for 2 seconds, so that one "no" answers
/// everything that the app asked at once. Each further "no" in a row doubles the time, up to 5 minutes. A prompt that nobody
/// answers in time counts as a "no". The row ends with a "yes", and after 15 minutes without a "no".
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
