public import WardAgentClient

/// A prompt to the person, in a window that the requesting program cannot read or control.
public struct Prompt: Hashable, Sendable {
    /// The kind of answer.
    public enum Kind: Hashable, Sendable {
        /// The person types a secret. The value is the label of the field.
        case secret(label: String)
        /// Yes or no.
        case confirmation
        /// The person presses one of two buttons, or cancels.
        case choice

        /// Whether the person types a secret.
        var isSecret: Bool {
            if case .secret = self { true } else { false }
        }
    }

    /// The labels of the buttons.
    public struct Buttons: Hashable, Sendable {
        /// The button that agrees.
        public var agree: String
        /// The second button of a choice.
        public var other: String
        /// The button that declines.
        public var cancel: String

        /// Creates labels.
        public init(agree: String, other: String = "", cancel: String = "Cancel") {
            self.agree = agree
            self.other = other
            self.cancel = cancel
        }
    }

    /// The kind of answer.
    public var kind: Kind
    /// The window's title.
    public var title: String
    /// The question.
    ///
    /// It can have several lines.
    public var question: String
    /// The description of the requesting program.
    ///
    /// It comes after the question and is never cut.
    public var asker: String
    /// The reason why the prompt appears again.
    public var error: String?
    /// The labels of the buttons.
    public var buttons: Buttons
    /// Short labels for a narrow terminal.
    public var shortButtons: Buttons
    /// The time limit, in seconds.
    public var timeout: Int

    /// The whole text above the buttons.
    public var text: String { asker.isEmpty ? question : "\(question)\n\n\(asker)" }

    /// Creates a prompt.
    public init(
        _ kind: Kind,
        title: String = "Ward",
        _ question: String,
        asker: String = "",
        error: String? = nil,
        _ buttons: Buttons,
        short shortButtons: Buttons? = nil,
        timeout: Int = 120
    ) {
        self.kind = kind
        self.title = title
        self.question = question
        self.asker = asker
        self.error = error
        self.buttons = buttons
        self.shortButtons = shortButtons ?? buttons
        self.timeout = timeout
    }
}

extension Prompt {
    /// The text in one line for pinentry.
    ///
    /// If the text is too long, the question is cut, not the description of the requesting program.
    ///
    /// - Parameter withError: Whether it begins with the reason why the person is asked again.
    /// - Returns: The text, with line breaks escaped.
    func assuanText(withError: Bool) -> String {
        var question = question.withoutMarkup
        if withError, let error { question = "\(error.withoutMarkup)\n\n\(question)" }
        guard !asker.isEmpty else { return AssuanText.escape(question, room: 900) }
        let end = AssuanText.escape("\n\n" + asker.withoutMarkup, room: 560)
        return AssuanText.escape(question, room: 900 - end.utf8.count) + end
    }
}

extension String {
    /// The text without characters that pinentry's windows could interpret as markup.
    fileprivate var withoutMarkup: String {
        String(map { $0 == "<" ? "\u{2039}" : $0 == ">" ? "\u{203a}" : $0 })
    }
}

/// The person's answer.
public enum PromptAnswer: Hashable, Sendable {
    /// The typed text, which can be empty.
    case secret([UInt8])
    /// The person agreed.
    case agreed
    /// The person chose the other button.
    case other
    /// The person declined or closed the window.
    case declined
    /// The person did not answer in time.
    case timedOut
}

/// Shows prompts with pinentry.
///
/// Tests use a double.
public protocol Prompting: Sendable {
    /// Asks and waits for the answer.
    ///
    /// The prompt closes if the task is cancelled.
    ///
    /// - Parameters:
    ///   - prompt: The prompt.
    ///   - place: The place of the person.
    /// - Returns: The answer.
    /// - Throws: `AgentError` with `promptMissing` or `promptFailed`; `CancellationError` if the task was cancelled.
    func ask(_ prompt: Prompt, on place: PromptPlace) async throws -> PromptAnswer
    /// The program that shows prompts on this terminal or desktop.
    ///
    /// - Throws: `AgentError` with `promptMissing` if there is none.
    func program(for place: PromptPlace) throws(AgentError) -> String
}
