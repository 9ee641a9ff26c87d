public import Foundation
internal import WardTerminal

/// A text field at the terminal: one line with a bar under it that suggests what credential managers have.
///
/// ```
/// User name: _
///   ⌨  ada · passkey  ada · password                               Tab chooses
/// ```
///
/// Tab and the arrows go through the suggestions, Enter takes the chosen one or else what was typed, Escape closes the bar. The
/// line takes pasted text and knows the usual keys: Home, End, Ctrl-A, E, U, K, W, Alt-B, F, and the arrows with Ctrl. What is
/// typed into a secure field is not shown. The terminal is put back however the question ends, also when a signal ends the program.
///
/// Where the input is no terminal, a plain line is read and nothing is suggested.
///
/// ```swift
/// controller.performAutoFillAssistedRequests()
/// let userName = TerminalTextField("User name: ", textContentType: .username)
/// let password = TerminalTextField("Password: ", textContentType: .password, isSecureTextEntry: true)
/// switch try await userName.edit(in: [password]) {
/// case .typed: try await password.edit()
/// case .filled: break                 // both fields hold what was suggested
/// case .completed: return             // a passkey: the delegate is told
/// }
/// ```
@MainActor
public final class TerminalTextField: AutoFillTextField {
    /// What became of a field.
    public enum Ending: Hashable, Sendable {
        /// The person typed what ``TerminalTextField/text`` holds now.
        case typed
        /// They took a suggestion that filled this field, and those of its form.
        case filled
        /// They took a suggestion that answers a request: its delegate is told.
        case completed
    }

    /// What stands before the line; shown without control characters.
    public let prompt: String
    /// What stands in it.
    public var text: String
    /// What is expected in it, for the next time it is edited.
    public var textContentType: TextContentType?
    /// The domain it is for; `nil` for all domains of the app.
    public let domain: String?
    /// Whether what is typed must not be seen.
    public let isSecureTextEntry: Bool

    /// Makes a field.
    ///
    /// - Parameters:
    ///   - prompt: What stands before the line, with the space that ends it.
    ///   - text: What stands in it to begin with.
    ///   - textContentType: What is expected in it; nothing is suggested for `nil`.
    ///   - domain: The domain it is for; `nil` for all domains of the app.
    ///   - isSecureTextEntry: Whether what is typed must not be seen.
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
    /// A person who takes a suggestion and then closes the prompt of their credential manager is back in the field.
    ///
    /// - Parameters:
    ///   - form: The fields that a suggestion fills together with this one.
    ///   - session: Where requests wait for a field.
    /// - Returns: What became of it.
    /// - Throws: ``TerminalTextFieldError``, or ``ASAuthorizationError`` when a suggestion was taken and came to nothing.
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

/// Why a field at the terminal holds nothing.
public struct TerminalTextFieldError: Error, Hashable, Sendable, LocalizedError {
    /// What kind of reason it is.
    public struct Code: Hashable, Sendable {
        private enum Base { case cancelled, endOfInput, unusable }
        private let base: Base
        private init(_ base: Base) { self.base = base }
        /// The person pressed Ctrl-C, or Ctrl-D in an empty line, or the task was cancelled.
        public static let cancelled = Code(.cancelled)
        /// The input has ended.
        public static let endOfInput = Code(.endOfInput)
        /// The terminal cannot be set up.
        public static let unusable = Code(.unusable)
    }

    /// What kind of reason it is.
    public let code: Code

    init(_ failure: TerminalFailure) {
        code =
            switch failure {
            case .cancelled: .cancelled
            case .endOfInput: .endOfInput
            case .unusable: .unusable
            }
    }

    /// One sentence for the person.
    public var errorDescription: String? {
        switch code {
        case .cancelled: "nothing was entered"
        case .endOfInput: "there is nobody to ask: the input has ended"
        default: "the terminal cannot be set up for typing: try another one"
        }
    }
}
