internal import WardAgentClient

/// What a person agreed to.
enum PromptAssent: Hashable, Sendable {
    /// The button that agrees.
    case yes
    /// The other button of a choice.
    case other
    /// What was typed, possibly nothing.
    case typed([UInt8])
}

/// A question that the person did not agree to.
enum PromptRefusal: Error, Hashable, Sendable {
    /// The person said no, or closed the prompt.
    case declined
    /// The person did nothing in time.
    case timedOut
}

extension PromptAnswer {
    /// What the person agreed to.
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
    /// What the program that asked hears of a refusal.
    init(_ refusal: PromptRefusal) {
        switch refusal {
        case .declined: self.init(.denied, "the person said no, or closed the prompt")
        case .timedOut: self.init(.denied, "nobody answered the prompt in time: try again")
        }
    }
}
