internal import Logging

/// The one place that asks the person.
///
/// Questions come one at a time, those of the manager's own programs first. Each question belongs to a ``PromptTurn``.
/// Its language is that of the place where the prompt appears.
struct Asking: Sendable {
    let prompting: any Prompting
    let notifier: any Notifying
    let person: PersonSession
    /// The vault's name, which every prompt shows; `nil` for the default vault.
    let vault: CleanText?
    let attempts: AttemptLimiter
    let declines: Declines
    let logger: Logger
    private let turns = Turns()

    init(
        prompting: any Prompting,
        notifier: any Notifying,
        person: PersonSession,
        vault: CleanText? = nil,
        attempts: AttemptLimiter,
        declines: Declines,
        logger: Logger
    ) {
        self.prompting = prompting
        self.notifier = notifier
        self.person = person
        self.vault = vault
        self.attempts = attempts
        self.declines = declines
        self.logger = logger
    }

    /// Runs a body that asks the person, when its turn has come.
    ///
    /// - Throws: What the body throws; `AgentError` with `denied`, and nothing is asked, for an app that heard a no moments ago.
    func inTurn<T: Sendable>(
        _ requester: Requester,
        _ body: (PromptTurn) async throws -> T
    ) async throws -> T {
        let asker = requester.app.map { Declines.Asker($0.identity) }
        if let asker { try declines.check(asker) }
        return try await turns.next(goesFirst: asker == nil) {
            // The person may have said no to another question of the same app meanwhile.
            if let asker { try declines.check(asker) }
            return try await body(PromptTurn(asking: self, requester: requester))
        }
    }

    /// What names the vault where it is not the default one.
    var vaultLines: [[PromptSentence]] { vault.map { [[.inVault(name: $0)]] } ?? [] }

    /// Tells the person something, where they are.
    func notify(title: PromptSentence, text: PromptSentence, _ requester: Requester) async {
        let place = await person.place(for: requester.place)
        notifier.notify(title: place.language.text(title), text: place.language.text([[text]] + vaultLines), on: place)
    }
}
