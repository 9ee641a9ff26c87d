public import Foundation
internal import WardTerminal

/// A text field at the terminal: one line with a bar of suggestions under it.
///
/// ```
/// User name: _
/// ⌨  ada · passkey  ada · password                               Tab chooses
/// ```
///
/// Tab and the arrow keys move through the suggestions, Enter accepts the chosen one or the typed text, Escape closes
/// the bar. The line accepts pasted text and the usual keys: Home, End, Ctrl-A, E, U, K, W, Alt-B, F, and Ctrl with the
/// arrows. A secure field does not show what is typed. The terminal is restored whenever editing ends, also if a signal
/// ends the program.
///
/// If the input is not a terminal, a plain line is read and nothing is suggested.
///
/// ```swift
/// controller.performAutoFillAssistedRequests()
/// let userName = TerminalTextField("User name: ", textContentType: .username)
/// let password = TerminalTextField("Password: ", textContentType: .password, isSecureTextEntry: true)
/// switch try await userName.edit(in: [password]) {
/// case .typed: try await password.edit()
/// case .filled: break                 // both fields have the suggested values
/// case .completed: return             // a passkey: the delegate is called
/// }
/// ```
@MainActor
public final class TerminalTextField: AutoFillTextField {
    /// How editing ended.
    public enum Ending: Hashable, Sendable {
        /// The person typed the content of ``TerminalTextField/text``.
        case typed
        /// The person accepted a suggestion that filled this field and the fields of its form.
        case filled
        /// The person accepted a suggestion that answers a request. The delegate of the request is called.
        case completed
    }

    /// The text before the line.
    ///
    /// Control characters in it are not shown.
    public let prompt: String
    /// The text in the field.
    public var text: String
    /// The expected content, for the next edit.
    public var textContentType: TextContentType?
    /// The domain for suggestions; `nil` for all domains of the app.
    public let domain: String?
    /// Whether typed text is hidden.
    public let isSecureTextEntry: Bool

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - prompt: The text before the line, with its final space.
    ///   - text: The initial text.
    ///   - textContentType: The expected content; with `nil` nothing is suggested.
    ///   - domain: The domain for suggestions; `nil` for all domains of the app.
    ///   - isSecureTextEntry: Whether typed text is hidden.
    public init(
        _ prompt: String,
        text: String = "",
        textContentType: TextContentType? = nil,
        domain: String? = nil,
        isSecureTextEntry: Bool = false
    ) {
        self.prompt = ShownText.clean(prompt)
        self.text = text
        self.textContentType = textContentType
        self.domain = domain
        self.isSecureTextEntry = isSecureTextEntry
    }

    /// Lets the person edit the field.
    ///
    /// If the person accepts a suggestion and then closes the prompt of the credential manager, editing continues.
    ///
    /// - Parameters:
    ///   - form: The fields that a suggestion fills together with this one.
    ///   - session: The session with waiting requests.
    /// - Returns: How editing ended.
    /// - Throws: ``TerminalTextFieldError``, or ``ASAuthorizationError`` if an accepted suggestion failed.
    @discardableResult
    public func edit(
        in form: [any AutoFillTextField] = [],
        session: AutoFillSession = .shared
    ) async throws -> Ending {
        session.beginEditing(self, in: form)
        defer { session.endEditing(self) }
        while true {
            let offer = SuggestionOffer(session)
            defer { offer.end() }
            let answer: TerminalPrompt.Answer
            do throws(TerminalFailure) {
                let line = TerminalPrompt(prompt, text: text, isSecret: isSecureTextEntry)
                answer = try await line.ask(suggestions: offer.lines)
            } catch {
                throw TerminalTextFieldError(error)
            }
            guard case .suggestion(let line) = answer else {
                if case .text(let typed) = answer { text = typed }
                return .typed
            }
            guard let suggestion = offer.suggestion(line) else { continue }
            do throws(ASAuthorizationError) {
                switch try await session.accept(suggestion) {
                case .filled: return .filled
                case .completed: return .completed
                case .unlocked: continue
                }
            } catch {
                guard error.code == .canceled, !Task.isCancelled else { throw error }
            }
        }
    }
}

/// Why editing a terminal field ended without a text.
public struct TerminalTextFieldError: Error, Hashable, Sendable, LocalizedError {
    /// The kind of error.
    public struct Code: Hashable, Sendable {
        private enum Base { case cancelled, endOfInput, unusable }
        private let base: Base
        private init(_ base: Base) { self.base = base }
        /// The person pressed Ctrl-C, or Ctrl-D in an empty line, or the task was cancelled.
        public static let cancelled = Code(.cancelled)
        /// The input has ended.
        public static let endOfInput = Code(.endOfInput)
        /// The terminal cannot be used.
        public static let unusable = Code(.unusable)
    }

    /// The kind of error.
    public let code: Code

    init(_ failure: TerminalFailure) {
        code =
            switch failure {
            case .cancelled: .cancelled
            case .endOfInput: .endOfInput
            case .unusable, .missing: .unusable
            }
    }

    /// The error as one sentence for the person.
    public var errorDescription: String? {
        switch code {
        case .cancelled: "nothing was entered"
        case .endOfInput: "there is nobody to ask: the input has ended"
        default: "the terminal cannot be set up for typing: try another one"
        }
    }
}
