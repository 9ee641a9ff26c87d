internal import Logging
internal import WardAgentClient
internal import WardVault

/// The one place that asks the person.
///
/// Questions come one at a time, those of the manager's own programs first.
struct Asking: Sendable {
    let prompting: any Prompting
    let notifier: any Notifying
    let person: PersonSession
    let attempts: AttemptLimiter
    let declines: Declines
    let logger: Logger
    private let queue = PromptQueue()

    init(
        prompting: any Prompting,
        notifier: any Notifying,
        person: PersonSession,
        attempts: AttemptLimiter,
        declines: Declines,
        logger: Logger
    ) {
        self.prompting = prompting
        self.notifier = notifier
        self.person = person
        self.attempts = attempts
        self.declines = declines
        self.logger = logger
    }

    /// Runs a body that asks the person, when its turn has come.
    ///
    /// - Throws: What the body throws; `AgentError` with `denied`, and nothing is asked, for an app that heard a no moments ago.
    func inTurn<T: Sendable>(
        _ requester: Requester,
        _ body: @Sendable () async throws -> T
    ) async throws -> T {
        guard let app = requester.app else { return try await queue.exclusively(isManager: true, body) }
        let asker = Declines.Asker(app.identity)
        try declines.check(asker)
        return try await queue.exclusively(isManager: false) {
            // The person may have said no to another question of the same app meanwhile.
            try declines.check(asker)
            return try await body()
        }
    }

    /// Asks a question where the person is.
    func ask(_ prompt: Prompt, _ requester: Requester) async throws -> PromptAnswer {
        let answer = try await prompting.ask(prompt, on: await person.place(for: requester.place))
        if let app = requester.app { declines.note(answer, to: Declines.Asker(app.identity)) }
        return answer
    }

    /// Tells the person something, where they are.
    func notify(title: String, text: String, _ requester: Requester) async {
        notifier.notify(title: title, text: text, on: await person.place(for: requester.place))
    }

    // MARK: The passphrase

    /// How often a wrong passphrase may be typed in one prompt.
    private static let tries = 3

    /// Asks until the passphrase is right, the person gives up, or it was wrong too often.
    func asking(
        _ prompt: Prompt,
        _ requester: Requester,
        _ check: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws {
        var prompt = prompt
        for attempt in 1...Self.tries {
            try attempts.check(.prompt)
            var typed: [UInt8]
            switch try await ask(prompt, requester) {
            case .secret(let bytes): typed = bytes
            case .timedOut: throw AgentError(.denied, "nobody answered the prompt in time: try again")
            default: throw AgentError(.denied, "the prompt was closed")
            }
            defer { for index in typed.indices { typed[index] = 0 } }
            do {
                let secret = typed
                return try await attempts.trying(.prompt) { try await check(secret) }
            } catch let error as VaultError where error.code == .wrongPassphrase || error.code == .emptyPassphrase {
                let isEmpty = error.code == .emptyPassphrase
                guard attempt < Self.tries else {
                    // Nothing typed is no guess: the person does not want to.
                    throw isEmpty ? AgentError(.denied, "no passphrase was typed") : error
                }
                let problem = isEmpty ? "No passphrase was typed" : "Wrong passphrase"
                prompt.error = "\(problem) (\(attempt) of \(Self.tries) tries)."
            }
        }
    }
}
