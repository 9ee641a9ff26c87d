internal import WardAgentClient

/// The part of a prompt that the person agreed to.
enum PromptAssent: Hashable, Sendable {
    /// The button that agrees.
    case yes
    /// The other button of a choice.
    case other
    /// The typed text, which can be empty.
    case typed([UInt8])
}

/// The person did not agree to a prompt.
enum PromptRefusal: Error, Hashable, Sendable {
    /// The person declined, or closed the prompt.
    case declined
    /// The person did not answer in time.
    case timedOut
}

extension PromptAnswer {
    /// The part of the prompt that the person agreed to.
    func assent() throws(PromptRefusal) -> PromptAssent {
        switch self {
        case .agreed: .yes
        case .other: .other
        case .secret(let bytes): .typed(bytes)
        case .declined: throw .declined
        case .timedOut: throw .timedOut
        }
    }
}

extension AgentError {
    /// The error for the program that requested the prompt.
    init(_ refusal: PromptRefusal) {
        switch refusal {
        case .declined: self.init(.denied, "the person declined, or closed the prompt")
        case .timedOut: self.init(.denied, "nobody answered the prompt in time: try again")
        }
    }
}
