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
    public var text: String
    /// Why it is asked again.
    public var error: String?
    /// What stands on the button that agrees.
    public var agree: String
    /// What stands on the button that does not.
    public var cancel: String
    /// How many seconds the person has.
    public var timeout: Int

    /// Puts a question together.
    public init(
        _ kind: Kind,
        title: String = "Ward",
        text: String,
        error: String? = nil,
        agree: String,
        cancel: String = "Cancel",
        timeout: Int = 120
    ) {
        self.kind = kind
        self.title = title
        self.text = text
        self.error = error
        self.agree = agree
        self.cancel = cancel
        self.timeout = timeout
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
    ///   - terminal: Where the person can be reached.
    /// - Returns: What the person did.
    /// - Throws: `AgentError` with `promptMissing` or `promptFailed`; `CancellationError` when nobody waits any more.
    func ask(_ prompt: Prompt, on terminal: Hello.Terminal) async throws -> PromptAnswer
    /// What asks; `nil` when nothing can.
    var program: String? { get }
}
