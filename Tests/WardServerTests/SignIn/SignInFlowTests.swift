import Testing
import WardAccounts
import WardServer
import WardTesting
import WardWebAuthn

@Suite struct `A sign-in in steps, as a value` {
    private static let account = AccountID.random(using: TestEffects().randomBytes)
    private static let passkey = CredentialID(TestEffects().randomBytes(16))
    private static let codes: Set<SignInStep> = [.authenticatorApp, .mailCode, .textCode, .recoveryCode]

    private static func begun(_ beginning: SignInFlow.Beginning = .password(chosenAt: 1)) -> SignInFlow {
        SignInFlow(account, beginning, at: 1_000)
    }

    @Test func `assurance is the number of different factors`() {
        let cases: [(Set<SignInProof>, Assurance)] = [
            ([], .none), ([.password], .one), ([.federated], .one), ([.passkey], .one), ([.verifiedPasskey], .two),
            ([.password, .authenticatorApp], .two), ([.password, .mailCode], .two), ([.password, .textCode], .two),
            ([.password, .recoveryCode], .two), ([.federated, .authenticatorApp], .two),
            ([.federated, .password], .one),
            ([.password, .passkey], .two), ([.passkey, .authenticatorApp], .one),
            ([.authenticatorApp, .mailCode, .recoveryCode], .one),
        ]
        for (proofs, assurance) in cases {
            #expect(Assurance(proofs) == assurance, "\(proofs)")
        }
    }

    @Test func `a password opens at once if nothing more is asked for, and otherwise asks for what the account has`() {
        let flow = Self.begun()
        #expect(flow.next(SignInTerms(), at: 1_000) == .open)
        #expect(flow.next(SignInTerms(steps: Self.codes), at: 1_000) == .open)
        let two = SignInTerms(steps: Self.codes.union([.passkey, .password]), assurance: .two)
        #expect(
            flow.next(two, at: 1_000) == .ask([.passkey, .authenticatorApp, .mailCode, .textCode, .recoveryCode])
        )
        #expect(flow.next(SignInTerms(steps: [.password], assurance: .two), at: 1_000) == .enrol)
        // After a passkey that verified nobody, only another kind of factor helps.
        let unverified = Self.begun(.passkey(Self.passkey!))
        #expect(unverified.next(two, at: 1_000) == .ask([.passkey, .password]))
        #expect(unverified.next(SignInTerms(steps: [.passkey]), at: 1_000) == .open)
    }

    @Test func `a step that is not asked for is refused, and so is one that was taken`() {
        let terms = SignInTerms(steps: [.authenticatorApp, .recoveryCode], assurance: .two)
        var flow = Self.begun()
        #expect(flow.answer(.mailCode, terms, at: 1_000) == .refuse(.notNow))
        #expect(flow.answer(.password, terms, at: 1_000) == .refuse(.notNow))
        #expect(flow.answer(.passkey, terms, at: 1_000) == .refuse(.notNow))
        #expect(flow.proofs == [.password])
        #expect(flow.answer(.authenticatorApp, terms, at: 1_000) == .open)
        #expect(flow.answer(.authenticatorApp, terms, at: 1_000) == .refuse(.notNow))
        #expect(flow.secondFactor == .authenticatorApp)
        var plain = Self.begun()
        #expect(plain.answer(.authenticatorApp, SignInTerms(steps: [.authenticatorApp]), at: 1_000) == .refuse(.notNow))
    }

    @Test func `five wrong answers and ten minutes end it`() {
        let terms = SignInTerms(steps: [.authenticatorApp], assurance: .two)
        var flow = Self.begun()
        for _ in 1..<SignInFlow.mostWrong {
            #expect(flow.answerWrongly(.authenticatorApp, terms, at: 1_000) == .refuse(.wrong))
        }
        #expect(flow.answerWrongly(.authenticatorApp, terms, at: 1_000) == .refuse(.over))
        #expect(flow.answer(.authenticatorApp, terms, at: 1_000) == .refuse(.over))
        #expect(flow.next(SignInTerms(), at: 1_000) == .refuse(.over))
        var slow = Self.begun()
        #expect(slow.next(terms, at: 1_599) == .ask([.authenticatorApp]))
        #expect(slow.next(terms, at: 1_600) == .refuse(.over))
        #expect(slow.next(terms, at: 999) == .refuse(.over))
        #expect(slow.answer(.authenticatorApp, terms, at: 1_600) == .refuse(.over))
    }

    @Test func `three codes leave the service, and only for steps that are sent`() {
        let terms = SignInTerms(steps: [.authenticatorApp, .mailCode], assurance: .two)
        var flow = Self.begun()
        #expect(flow.send(.authenticatorApp, terms, at: 1_000) == .refuse(.notNow))
        #expect(flow.send(.recoveryCode, terms, at: 1_000) == .refuse(.notNow))
        for _ in 0..<SignInFlow.mostSent { #expect(flow.send(.mailCode, terms, at: 1_000) == .send(.mailCode)) }
        #expect(flow.send(.mailCode, terms, at: 1_000) == .refuse(.enoughSent))
        #expect(flow.answer(.mailCode, terms, at: 1_000) == .open)
    }

    /// Every state that any sequence of eight calls reaches, under all terms that an account can have, compared by value.
    @Test func `no sequence of calls opens a session with less than is asked`() throws {
        let passkey = try #require(Self.passkey)
        let beginnings: [SignInFlow.Beginning] = [
            .password(chosenAt: 1), .passkey(passkey), .verifiedPasskey(passkey), .federated(link: [1, 2, 3]),
        ]
        let all = SignInStep.allCases
        let sets = (0..<(1 << all.count)).map { bits in
            Set(all.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
        }
        var (states, calls, opened) = (0, 0, 0)
        for steps in sets {
            for (assurance, rule, mayEnrol) in Self.demands(steps) {
                let terms = SignInTerms(steps: steps, assurance: assurance, rule: rule, mayEnrol: mayEnrol)
                // Who begins with a passkey has one, and only a passkey can be one that counts.
                let possible = beginnings.filter {
                    $0.passkey == nil ? rule?.hasBegunWell != true : steps.contains(.passkey)
                }
                var seen = Set(possible.map(Self.begun))
                var edge = seen
                for _ in 0..<8 {
                    var reached: Set<SignInFlow> = []
                    for flow in edge {
                        let outcome = flow.next(terms, at: 1_000)
                        if outcome == .open { opened += 1 }
                        #expect(Self.isHonest(outcome, flow, terms))
                        for step in all {
                            calls += 3
                            for call in 0..<3 {
                                var next = flow
                                let outcome =
                                    switch call {
                                    case 0: next.answer(step, terms, at: 1_000)
                                    case 1: next.answerWrongly(step, terms, at: 1_000)
                                    default: next.send(step, terms, at: 1_000)
                                    }
                                #expect(Self.isHonest(outcome, next, terms))
                                if next != flow { reached.insert(next) }
                            }
                        }
                    }
                    edge = reached.subtracting(seen)
                    seen.formUnion(edge)
                    if edge.isEmpty { break }
                }
                states += seen.count
            }
        }
        print(
            "sign-in flow: \(sets.count * 2) terms, \(states) states, \(calls) calls, \(opened) states open a session"
        )
        // The whole space: another number says that the machine has other states now.
        #expect(states == 28_368 && opened == 9_792)
    }

    /// Whether a thief of one thing could not add this passkey.
    private static func isHonestEnrolment(_ flow: SignInFlow, _ terms: SignInTerms) -> Bool {
        // The password alone adds one only where there is nothing else: no passkey, and no code.
        let hasNothingElse =
            (flow.proofs == [.password] || flow.proofs == [.federated])
            && terms.steps.isDisjoint(with: codes.union([.passkey]))
        guard let rule = terms.rule else { return hasNothingElse }
        let isEnough = Assurance(flow.proofs) >= terms.assurance
        let showedPasskey = !flow.proofs.isDisjoint(with: [.passkey, .verifiedPasskey])
        return !rule.canBeMet && (showedPasskey || !terms.steps.contains(.passkey)) && (isEnough || hasNothingElse)
    }

    /// All that the owner and the rules of the service can ask for.
    private static func demands(_ steps: Set<SignInStep>) -> [(Assurance, SignInTerms.PasskeyRule?, Bool)] {
        var rules: [SignInTerms.PasskeyRule?] = [nil, .init(hasBegunWell: false, canBeMet: false)]
        // An account without a passkey has none that counts.
        if steps.contains(.passkey) {
            rules += [.init(hasBegunWell: false, canBeMet: true), .init(hasBegunWell: true, canBeMet: true)]
        }
        return [Assurance.one, .two].flatMap { assurance in
            rules.flatMap { rule in [true, false].map { (assurance, rule, $0) } }
        }
    }

    /// Whether an outcome opens only what the proofs are enough for.
    private static func isHonest(_ outcome: SignInFlow.Action, _ flow: SignInFlow, _ terms: SignInTerms) -> Bool {
        switch outcome {
        case .open:
            Assurance(flow.proofs) >= terms.assurance && terms.rule?.hasBegunWell != false
                && flow.wrong < SignInFlow.mostWrong
        // Only who can prove no more is asked for a new passkey.
        case .enrol:
            terms.mayEnrol && flow.wrong < SignInFlow.mostWrong && isHonestEnrolment(flow, terms)
        case .ask(let steps): !steps.isEmpty && terms.steps.isSuperset(of: steps)
        case .send(let step): terms.steps.contains(step) && step.isSent && flow.sent <= SignInFlow.mostSent
        case .refuse: true
        }
    }
}
