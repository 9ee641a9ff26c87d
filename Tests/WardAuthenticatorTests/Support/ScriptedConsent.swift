import Synchronization
import WardAuthenticator

/// A person who answers as told, and remembers every question.
final class ScriptedConsent: UserConsent {
    typealias Answer = @Sendable (ConsentRequest) async -> ConsentAnswer

    private struct State {
        var answer: Answer
        var questions: [ConsentRequest] = []
        var upgrades: [ConsentRequest] = []
        var permitsUpgrades = false
        var capability = VerificationCapability.ready
    }

    private let state: Mutex<State>

    /// By default somebody is there and is verified where that is wanted.
    init(_ answer: @escaping Answer = ScriptedConsent.obliging) { state = Mutex(State(answer: answer)) }

    static let obliging: Answer = { request in
        .agreed(ConsentAgreement(isPresent: true, isVerified: request.wantsVerification))
    }

    static func always(_ answer: ConsentAnswer) -> Answer { { _ in answer } }

    var questions: [ConsentRequest] { state.withLock { $0.questions } }
    var upgrades: [ConsentRequest] { state.withLock { $0.upgrades } }

    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }
    func permitUpgrades() { state.withLock { $0.permitsUpgrades = true } }
    func set(_ capability: VerificationCapability) { state.withLock { $0.capability = capability } }

    func ask(_ request: ConsentRequest) async -> ConsentAnswer {
        let answer = state.withLock { state in
            state.questions.append(request)
            return state.answer
        }
        return await answer(request)
    }

    func permitsUpgrade(_ request: ConsentRequest) async -> Bool {
        state.withLock { state in
            state.upgrades.append(request)
            return state.permitsUpgrades
        }
    }

    func verificationCapability() async -> VerificationCapability { state.withLock { $0.capability } }
}
