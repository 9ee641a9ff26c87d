internal import Synchronization
internal import WardAgentClient

/// The apps and pages whose last prompt the person declined.
///
/// For a while the agent refuses these apps without a prompt: for 2 seconds after the first "no", so that one "no" answers all
/// requests that the app sent at the same time. Each further "no" in a row doubles the time, up to 5 minutes. A prompt without
/// an answer counts as a "no". The row ends with a "yes", and after 15 minutes without a "no".
///
/// A page in a browser, or behind a portal of the desktop, is refused after the third "no" in a row: for 30 seconds, then 1 minute,
/// and up to 5 minutes.
final class Declines: Sendable {
    /// The app or the page that the person declined.
    ///
    /// All unknown programs count as one app, because they could use a new name for each request. So do the browsers that ask to
    /// be connected.
    enum Asker: Hashable, Sendable {
        case app(AppIdentity.Result.Kind, identifier: String)
        case page(BrowserIdentity, origin: String)
        case portalPage(origin: String)
        case browser

        /// - Parameter app: The app; `nil` where it cannot be told.
        init(_ app: AppIdentity.Result?) {
            let kind = app?.kind ?? .unknown
            self = .app(kind, identifier: kind == .unknown ? "" : app?.identifier ?? "")
        }

        /// How long the asker waits after this many refusals in a row, in seconds.
        fileprivate func wait(after count: Int) -> Int {
            switch self {
            case .app, .browser: min(Declines.longestWait, 1 << min(count, 16))
            case .page, .portalPage: count < 3 ? 0 : min(Declines.longestWait, 30 << min(count - 3, 8))
            }
        }
    }

    private struct Refusal {
        var count = 0
        var at: ContinuousClock.Instant
    }

    fileprivate static let longestWait = 300
    private static let memory = Duration.seconds(900)

    private let now: @Sendable () -> ContinuousClock.Instant
    private let refusals = Mutex<[Asker: Refusal]>([:])

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    /// Throws if the person declined a prompt of this app moments ago.
    ///
    /// - Throws: `AgentError` with `denied`.
    func check(_ asker: Asker) throws(AgentError) {
        let wait = refusals.withLock { refusals -> Int in
            guard let last = refusals[asker] else { return 0 }
            let end = last.at + .seconds(asker.wait(after: last.count))
            let left = now().duration(to: end).components
            return Int(clamping: left.seconds) + (left.attoseconds > 0 ? 1 : 0)
        }
        guard wait <= 0 else {
            throw AgentError(.denied, "the person declined a moment ago: ask again in \(wait) seconds")
        }
    }

    /// Records the person's answer.
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

extension Requester {
    /// The app, page or browser that waits after a refusal; `nil` for the person's own commands.
    var asker: Declines.Asker? {
        switch self {
        case .app(let app): Declines.Asker(app.identity)
        case .page(let page):
            page.shown.map { .page($0.place.browser, origin: $0.origin) }
                ?? page.portal.map { .portalPage(origin: $0.origin) }
        case .browser: .browser
        case .person: nil
        }
    }
}
