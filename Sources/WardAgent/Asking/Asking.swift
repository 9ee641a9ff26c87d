internal import Logging

/// The only part of the agent that asks the person.
///
/// Prompts appear one at a time. Prompts for the manager's own programs come first. Each prompt belongs to a ``PromptTurn``. A
/// prompt is in the language of the terminal or desktop where it appears.
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

    /// Runs a closure that asks the person, when no other prompt is open.
    ///
    /// - Parameters:
    ///   - requester: Who asks.
    ///   - isExpected: Whether the person has just acted in the extension's window, so that an earlier "no" does not count.
    ///   - body: What asks.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `AgentError` with `denied`, and nothing is asked, for an app or a page that heard a no
    ///   moments ago.
    func inTurn<T: Sendable>(
        _ requester: Requester,
        isExpected: Bool = false,
        _ body: (PromptTurn) async throws -> T
    ) async throws -> T {
        let asker = isExpected ? nil : requester.asker
        if let asker { try declines.check(asker) }
        return try await turns.next(goesFirst: asker == nil) {
            // While the app waited, the person may have declined another prompt of the same app.
            if let asker { try declines.check(asker) }
            return try await body(PromptTurn(asking: self, requester: requester))
        }
    }

    /// A line with the vault's name, if the vault is not the default one.
    var vaultLines: [[PromptSentence]] { vault.map { [[.inVault(name: $0)]] } ?? [] }

    /// Shows a message to the person on their desktop.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - text: The text.
    ///   - requester: The program that the message is about; `nil` if no program is.
    ///   - undo: What undoes it, with a button, or `nil`.
    func notify(
        title: PromptSentence,
        text: PromptSentence,
        _ requester: Requester? = nil,
        undo: (@Sendable () async -> Void)? = nil
    ) async {
        let place = await person.place(for: requester?.place)
        notifier.notify(
            title: place.language.text(title),
            text: place.language.text([[text]] + vaultLines),
            action: undo.map { NotificationAction(label: place.language.text(.undo), perform: $0) },
            on: place
        )
    }
}
