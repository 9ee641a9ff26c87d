package import WardAccounts
package import WardWebAuthn

/// A sign-in in several steps, from its first proof to a session: a value that says what may come next.
///
/// It does nothing itself. The service checks a password or a code, tells the flow, and does what the flow answers. A client
/// holds only a token that finds the flow, so it cannot skip a step, take one twice or go back.
package struct SignInFlow: Hashable, Sendable {
    /// What comes next.
    package enum Action: Hashable, Sendable {
        /// The sign-in is complete: a session may begin.
        case open
        /// The person must add a passkey, which then opens a session. Nothing else opens before.
        case enrol
        /// One of these steps must come, in the order in which they are offered.
        case ask([SignInStep])
        /// A code may leave the service for this step.
        case send(SignInStep)
        /// The answer is refused; the flow stays as it was, but for the count of wrong answers.
        case refuse(Refusal)
    }

    /// Why something is refused.
    package enum Refusal: Hashable, Sendable {
        /// The flow took too long, had too many wrong answers, or has ended. A new sign-in must begin.
        case over
        /// The step is not one of those that may come now.
        case notNow
        /// The answer is wrong. The flow goes on.
        case wrong
        /// So many codes left already that no other leaves in this flow.
        case enoughSent
        /// The service's rules ask for a passkey that the account does not have, and the time to add one is over.
        case barred
    }

    /// How long a flow lasts from its first proof, in seconds.
    package static let lifetime: Int64 = 600
    /// The number of wrong answers after which a flow is over.
    package static let mostWrong = 5
    /// The number of codes that leave the service in one flow.
    package static let mostSent = 3

    /// The first proof, and what it depends on.
    package enum Beginning: Hashable, Sendable {
        /// The password that was chosen at this time.
        ///
        /// When the owner changes the password, flows that began with the old one are over.
        case password(chosenAt: Int64)
        /// A passkey without user verification.
        case passkey(CredentialID)
        /// A passkey whose authenticator verified the person.
        case verifiedPasskey(CredentialID)
        /// A sign-in at an identity provider; with the key of its link.
        ///
        /// When the owner removes the link, flows that began with it are over.
        case federated(link: [UInt8])

        /// The passkey, if it is one.
        package var passkey: CredentialID? {
            switch self {
            case .password, .federated: nil
            case .passkey(let id), .verifiedPasskey(let id): id
            }
        }

        var proof: SignInProof {
            switch self {
            case .password: .password
            case .passkey: .passkey
            case .verifiedPasskey: .verifiedPasskey
            case .federated: .federated
            }
        }
    }

    /// The account that the first proof was for.
    package let account: AccountID
    /// The first proof.
    package let beginning: Beginning
    /// The time of the first proof, in seconds since 1970.
    package let begunAt: Int64
    /// What was proven after the first proof.
    package private(set) var later: Set<SignInProof>
    /// The number of wrong answers.
    package private(set) var wrong: Int
    /// The number of codes that left.
    package private(set) var sent: Int

    /// Begins with a first proof.
    package init(_ account: AccountID, _ beginning: Beginning, at now: Int64) {
        self.init(account, beginning, begunAt: now, later: [], wrong: 0, sent: 0)
    }

    init(
        _ account: AccountID,
        _ beginning: Beginning,
        begunAt: Int64,
        later: Set<SignInProof>,
        wrong: Int,
        sent: Int
    ) {
        self.account = account
        self.beginning = beginning
        self.begunAt = begunAt
        self.later = later
        self.wrong = wrong
        self.sent = sent
    }

    /// All that was proven.
    package var proofs: Set<SignInProof> { later.union([beginning.proof]) }

    /// What the session records of the later steps: the first that is a second factor.
    package var secondFactor: Session.SecondFactor? {
        let words: [(SignInProof, Session.SecondFactor)] = [
            (.authenticatorApp, .authenticatorApp), (.mailCode, .mailCode), (.textCode, .textCode),
            (.recoveryCode, .recoveryCode),
        ]
        return words.first { later.contains($0.0) }?.1
    }

    /// When the flow ends, in seconds since 1970.
    package var expiresAt: Int64 { begunAt + Self.lifetime }

    /// What comes next, without a new answer.
    package func next(_ terms: SignInTerms, at now: Int64) -> Action {
        guard isRunning(at: now) else { return .refuse(.over) }
        if let rule = terms.rule { return next(terms, rule) }
        guard Assurance(proofs) < terms.assurance else { return .open }
        let steps = open(terms)
        // An account that cannot prove more adds a passkey, which is two factors: nobody is locked out, and nothing opens below
        // what is asked. An account with a passkey is asked for that one instead.
        guard steps.isEmpty else { return .ask(steps) }
        return terms.mayEnrol ? .enrol : .refuse(.barred)
    }

    /// What comes next where a rule asks for a passkey.
    private func next(_ terms: SignInTerms, _ rule: SignInTerms.PasskeyRule) -> Action {
        let isEnough = Assurance(proofs) >= terms.assurance
        if isEnough, rule.hasBegunWell { return .open }
        let beganWithPasskey = proofs.contains(.passkey) || proofs.contains(.verifiedPasskey)
        // A passkey that counts signs in by itself. One that does not count comes before a new one is added, because a thief of the
        // password must not add one to an account that has a passkey.
        if !rule.hasBegunWell, rule.canBeMet || (!beganWithPasskey && terms.steps.contains(.passkey)) {
            return .ask([.passkey])
        }
        let steps = isEnough ? [] : open(terms).filter { rule.hasBegunWell || $0 != .passkey }
        guard steps.isEmpty else { return .ask(steps) }
        // A passkey that verified nobody is one thing, and adds no other.
        guard terms.mayEnrol, isEnough || !beganWithPasskey else { return .refuse(.barred) }
        return .enrol
    }

    /// Takes a right answer.
    ///
    /// - Parameters:
    ///   - step: The step that was answered.
    ///   - terms: What the account can prove and must prove now.
    ///   - now: Seconds since 1970.
    /// - Returns: What comes next.
    package mutating func answer(_ step: SignInStep, _ terms: SignInTerms, at now: Int64) -> Action {
        if let refusal = refusal(of: step, terms, at: now) { return .refuse(refusal) }
        guard let proof = step.proof else { return .refuse(.notNow) }
        later.insert(proof)
        return next(terms, at: now)
    }

    /// Takes a wrong answer.
    package mutating func answerWrongly(_ step: SignInStep, _ terms: SignInTerms, at now: Int64) -> Action {
        if let refusal = refusal(of: step, terms, at: now) { return .refuse(refusal) }
        wrong += 1
        return .refuse(wrong < Self.mostWrong ? .wrong : .over)
    }

    /// Takes the wish for a code.
    package mutating func send(_ step: SignInStep, _ terms: SignInTerms, at now: Int64) -> Action {
        if let refusal = refusal(of: step, terms, at: now) { return .refuse(refusal) }
        guard step.isSent else { return .refuse(.notNow) }
        guard sent < Self.mostSent else { return .refuse(.enoughSent) }
        sent += 1
        return .send(step)
    }

    /// Why no answer to a step counts now, or `nil` if one does.
    ///
    /// The service asks this before it compares a code, so that a code is never used up in vain.
    package func refusal(of step: SignInStep, _ terms: SignInTerms, at now: Int64) -> Refusal? {
        switch next(terms, at: now) {
        case .ask(let steps) where steps.contains(step): nil
        case .refuse(let refusal): refusal
        default: .notNow
        }
    }

    private func isRunning(at now: Int64) -> Bool {
        // A flow from the future was begun under another clock.
        begunAt <= now && now < expiresAt && wrong < Self.mostWrong
    }

    /// The steps that would prove more than what is proven, in the order in which people are offered them.
    private func open(_ terms: SignInTerms) -> [SignInStep] {
        SignInStep.allCases.filter { step in
            guard terms.steps.contains(step) else { return false }
            let proof = step.proof ?? .verifiedPasskey
            return Assurance(proofs.union([proof])) > Assurance(proofs)
        }
    }
}
