internal import WardTerminal

/// A session's suggestions as lines for the terminal, while a field is edited.
@MainActor
final class SuggestionOffer {
    /// A stream of the lines that show suggestions.
    ///
    /// It sends the whole list again each time the suggestions change.
    let lines: AsyncStream<[LineSuggestion]>

    private let session: AutoFillSession
    private let inbox: AsyncStream<[LineSuggestion]>.Continuation
    private let before: (@MainActor () -> Void)?
    private var offered: [String: AutoFillSuggestion] = [:]
    private var asking: Task<Void, Never>?

    /// Requests suggestions now, and again whenever they may have changed.
    init(_ session: AutoFillSession) {
        self.session = session
        before = session.onChange
        (lines, inbox) = AsyncStream.makeStream(of: [LineSuggestion].self, bufferingPolicy: .bufferingNewest(1))
        session.onChange = { [weak self, before] in
            self?.ask()
            before?()
        }
        ask()
    }

    /// Stops requesting suggestions.
    func end() {
        asking?.cancel()
        session.onChange = before
        inbox.finish()
    }

    /// The suggestion that a line shows.
    func suggestion(_ line: LineSuggestion) -> AutoFillSuggestion? { offered[line.id] }

    private func ask() {
        asking?.cancel()
        asking = Task { [weak self] in
            // Without an agent there are no suggestions, and the person types the text.
            let found = (try? await self?.session.suggestions()) ?? []
            guard let self, !Task.isCancelled else { return }
            // The agent gives new IDs each time. A suggestion with an older ID can still be accepted.
            for suggestion in found { offered[suggestion.id] = suggestion }
            inbox.yield(found.map(LineSuggestion.init))
        }
    }
}

extension LineSuggestion {
    /// The line for a suggestion.
    init(_ suggestion: AutoFillSuggestion) {
        let (label, matching) =
            switch suggestion.kind {
            case .passkey: ("\(suggestion.user) · passkey", suggestion.user)
            case .password: ("\(suggestion.user) · password", suggestion.user)
            case .oneTimeCode:
                (suggestion.user.isEmpty ? "code for \(suggestion.domain)" : "\(suggestion.user) · code", "")
            case .newPassword: ("strong password", "")
            case .unlock: ("unlock passwords and passkeys", "")
            }
        self.init(id: suggestion.id, label: label, matching: matching)
    }
}
