import AuthenticationServices
import AuthenticationServicesFixtures
import Testing
import WardAgentClient

/// One way in which a perform call can go: what the agent does, and when the app cancels.
private struct Schedule: CustomStringConvertible {
    enum Fate: CaseIterable {
        case answers, refuses, hangs, isNeverThere
        case diesBeforeGreeting, diesAfterGreeting, diesDuringQuestion, diesHalfWay, speaksNonsense
    }
    enum Cancelling: CaseIterable {
        case never, atOnce, afterAWhile, whenGreeted, whenAsked, whenAnswered, fromElsewhere
    }
    enum Manner: CaseIterable { case sheet, onlyWhatIsHere, conditional, textField, accountCreation }

    let number: Int
    let manner: Manner
    let fate: Fate
    let cancelling: Cancelling
    /// How often others get their turn before the person answers, and before the app cancels.
    let answerAfter: Int
    let cancelAfter: Int

    init(_ number: Int) {
        var random = SplitMix(state: UInt64(number) &* 0x9e37_79b9_7f4a_7c15)
        self.number = number
        manner = Manner.allCases[random.below(Manner.allCases.count)]
        let fate = Fate.allCases[random.below(Fate.allCases.count)]
        self.fate = fate
        // Somebody has to end it: a person who does not answer, or a text field that nobody picks from.
        let mustCancel = fate == .hangs || manner == .textField
        var cancellings = Cancelling.allCases
        if mustCancel {
            cancellings =
                manner == .textField
                ? [.atOnce, .afterAWhile, .fromElsewhere]
                : [.atOnce, .afterAWhile, .whenGreeted, .whenAsked, .fromElsewhere]
        }
        cancelling = cancellings[random.below(cancellings.count)]
        answerAfter = random.below(30)
        cancelAfter = random.below(200)
    }

    var description: String { "\(number): \(manner), the agent \(fate), the app cancels \(cancelling)" }
}

/// A generator that is the same everywhere.
private struct SplitMix {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((value ^ (value >> 31)) % UInt64(bound))
    }
}

@Suite struct `A thousand schedules` {
    /// How many there are, and how many run at the same time.
    private static let count = 1_000
    private static let width = 8

    @Test func `whatever happens, the delegate is called exactly once`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.count {
                if number >= Self.width { try await group.next() }
                group.addTask { try await Self.run(Schedule(number)) }
            }
            try await group.waitForAll()
        }
    }

    @MainActor private static func run(_ schedule: Schedule) async throws {
        let (greeted, asked, answered) = (Event(), Event(), Event())
        let fixture = AppFixture()
        fixture.change { $0.justFilled = ["anna"] }
        if schedule.fate == .refuses { fixture.change { $0.refusal = AgentError(.denied, "no") } }
        let agent = FakeAgent { call in
            if call.method == Hello.name {
                greeted.happen()
                if schedule.fate == .diesBeforeGreeting { return .gone }
                return .welcome
            }
            asked.happen()
            for _ in 0..<schedule.answerAfter { await Task.yield() }
            defer { answered.happen() }
            switch schedule.fate {
            case .hangs, .diesDuringQuestion: try await forever()
            case .diesAfterGreeting: return .gone
            case .diesHalfWay: return .half
            case .speaksNonsense: return .line(Array("{}".utf8))
            default: break
            }
            return try fixture.answer(call)
        }
        if schedule.fate != .isNeverThere { try await agent.start() }
        let delegate = RecordingDelegate()
        let session = AutoFillSession()
        let controller = ASAuthorizationController(authorizationRequests: requests(schedule.manner))
        controller.delegate = delegate
        AgentGateway.$local.withValue(AgentGateway(paths: agent.paths)) {
            LocalAutoFill.$session.withValue(session) {
                switch schedule.manner {
                case .sheet, .conditional, .accountCreation: controller.performRequests()
                case .onlyWhatIsHere: controller.performRequests(options: .preferImmediatelyAvailableCredentials)
                case .textField: controller.performAutoFillAssistedRequests()
                }
            }
        }
        /// Waits for what the agent sees, or for an end that came first.
        func wait(for event: Event) async { await until { event.happened || !delegate.endings.isEmpty } }
        let killing = Task {
            guard schedule.fate == .diesDuringQuestion else { return }
            if schedule.manner != .textField { await wait(for: asked) }
            await agent.die()
        }
        switch schedule.cancelling {
        case .never: break
        case .atOnce: controller.cancel()
        case .afterAWhile:
            for _ in 0..<schedule.cancelAfter { await Task.yield() }
            controller.cancel()
        case .whenGreeted:
            await wait(for: greeted)
            controller.cancel()
        case .whenAsked:
            await wait(for: asked)
            controller.cancel()
        case .whenAnswered:
            await wait(for: answered)
            controller.cancel()
        case .fromElsewhere:
            await Task.detached { for _ in 0..<schedule.cancelAfter { await Task.yield() } }.value
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { controller.cancel() } }
            }
        }
        await until { !delegate.endings.isEmpty }
        await killing.value
        await agent.die()
        // Whatever was still on its way had its time: the agent is gone, and the main actor had turns.
        for _ in 0..<20 { await Task.yield() }
        #expect(delegate.endings.count == 1, "\(schedule)")
        if schedule.fate == .hangs { #expect(delegate.codes == [.canceled], "\(schedule)") }
        if schedule.cancelling == .never {
            switch schedule.fate {
            case .answers: #expect(delegate.codes == [nil], "\(schedule)")
            case .refuses where schedule.manner != .conditional: #expect(delegate.codes == [.canceled], "\(schedule)")
            case .refuses: break
            case .speaksNonsense: #expect(delegate.codes != [nil], "\(schedule)")
            default: #expect(delegate.codes == [.notHandled], "\(schedule)")
            }
        }
    }

    private static func requests(_ manner: Schedule.Manner) -> [ASAuthorizationRequest] {
        let challenge = Data(repeating: 7, count: 32)
        let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: "example.com")
        switch manner {
        case .sheet, .onlyWhatIsHere:
            return [
                provider.createCredentialRegistrationRequest(challenge: challenge, name: "anna", userID: Data([1]))
            ]
        case .conditional:
            return [
                provider.createCredentialRegistrationRequest(
                    challenge: challenge,
                    name: "anna",
                    userID: Data([1]),
                    requestStyle: .conditional
                )
            ]
        case .textField:
            return [
                provider.createCredentialAssertionRequest(challenge: challenge),
                ASAuthorizationPasswordProvider().createRequest(),
            ]
        case .accountCreation:
            return [
                ASAuthorizationAccountCreationProvider().createPlatformPublicKeyCredentialRegistrationRequest(
                    acceptedContactIdentifiers: [.email],
                    shouldRequestName: false,
                    relyingPartyIdentifier: "example.com",
                    challenge: challenge,
                    userID: Data([1])
                )
            ]
        }
    }
}
