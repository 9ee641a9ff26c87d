public import WardAgentClient

/// What a person is asked in a window of their own, out of reach of the program that wants the answer.
public struct Prompt: Hashable, Sendable {
    /// What kind of answer is wanted.
    public enum Kind: Hashable, Sendable {
        /// A secret that is typed, with what stands before the field.
        case secret(label: String)
        /// Yes or no.
        case confirmation
        /// One of two buttons, or neither.
        case choice(other: String)
    }

    /// What kind of answer is wanted.
    public var kind: Kind
    /// The window's title.
    public var title: String
    /// What it is about, several lines if need be.
    public var question: String
    /// Who asks; shown below the question, and whole whatever the question's length is.
    public var asker: String
    /// Why it is asked again.
    public var error: String?
    /// What stands on the button that agrees.
    public var agree: String
    /// What stands on the button that does not.
    public var cancel: String
    /// How many seconds the person has.
    public var timeout: Int

    /// All that is shown above the buttons, however long.
    public var text: String { asker.isEmpty ? question : "\(question)\n\n\(asker)" }

    /// Puts a question together.
    public init(
        _ kind: Kind,
        title: String = "Ward",
        _ question: String,
        asker: String = "",
        error: String? = nil,
        agree: String,
        cancel: String = "Cancel",
        timeout: Int = 120
    ) {
        self.kind = kind
        self.title = title
        self.question = question
        self.asker = asker
        self.error = error
        self.agree = agree
        self.cancel = cancel
        self.timeout = timeout
    }
}

extension Prompt {
    /// The text as pinentry takes it in one line: where it is too long, the question is cut and the asker is not.
    var assuanText: String {
        guard !asker.isEmpty else { return AssuanText.escape(question.withoutMarkup, room: 900) }
        let end = AssuanText.escape("\n\n" + asker.withoutMarkup, room: 560)
        return AssuanText.escape(question.withoutMarkup, room: 900 - end.utf8.count) + end
    }
}

extension String {
    /// The text with nothing in it that pinentry's windows could take for markup.
    fileprivate var withoutMarkup: String {
        String(map { $0 == "<" ? "\u{2039}" : $0 == ">" ? "\u{203a}" : $0 })
    }
}

/// What the person did.
public enum PromptAnswer: Hashable, Sendable {
    /// Typed this, possibly nothing.
    case secret([UInt8])
    /// Agreed.
    case agreed
    /// Took the other button of a choice.
    case other
    /// Said no, or closed the window.
    case declined
    /// Did nothing in time.
    case timedOut
}

/// Somebody who can ask the person; pinentry outside tests.
public protocol Prompting: Sendable {
    /// Asks, and waits for the answer; withdraws the question when the task is cancelled.
    ///
    /// - Parameters:
    ///   - prompt: The question.
    ///   - place: Where the person can be reached.
    /// - Returns: What the person did.
    /// - Throws: `AgentError` with `promptMissing` or `promptFailed`; `CancellationError` when nobody waits any more.
    func ask(_ prompt: Prompt, on place: PromptPlace) async throws -> PromptAnswer
    /// What asks there.
    ///
    /// - Throws: `AgentError` with `promptMissing` when nothing can.
    func program(for place: PromptPlace) throws(AgentError) -> String
}
