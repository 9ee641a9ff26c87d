/// A call of the API with its arguments, as the explorer makes it.
enum SignInCall: Hashable, Sendable {
    /// Whose an argument is.
    enum Argument: String, Sendable {
        case right
        case wrong
        /// It was right before, and counts once.
        case replayed
        /// It is right for the stranger's account.
        case foreign
    }

    /// Which sign-in in steps a call names.
    enum Flow: String, Sendable {
        /// The browser's own.
        case own
        /// The same owner's, in another browser.
        case other
        /// The stranger's.
        case strangers
    }

    /// What answers a ceremony.
    enum Assertion: String, Sendable {
        case verified
        case unverified
        case spoiled
        /// The stranger's passkey under the ID of the owner's.
        case strangersKey
        /// The owner's passkey for the stranger's ceremony.
        case strangersCeremony
        /// The answer that was accepted before.
        case replayed
        /// A new answer to a challenge that was answered.
        case replayedChallenge
    }

    case password(Argument)
    case passwordInFlow(Argument, Flow)
    case code(Shown, Argument, Flow)
    case send(Shown, Flow)
    case options(named: Bool)
    case verify(Assertion)
    case beginPasskey(Flow)
    case endPasskey(Argument)
    case signOut

    var name: String {
        switch self {
        case .password(let argument): "password(\(argument.rawValue))"
        case .passwordInFlow(let argument, let flow): "password(\(argument.rawValue), \(flow.rawValue) flow)"
        case .code(let kind, let argument, let flow): "\(kind.rawValue)(\(argument.rawValue), \(flow.rawValue) flow)"
        case .send(let kind, let flow): "send \(kind.rawValue)(\(flow.rawValue) flow)"
        case .options(let named): "options(\(named ? "named" : "no name"))"
        case .verify(let assertion): "verify(\(assertion.rawValue))"
        case .beginPasskey(let flow): "new passkey options(\(flow.rawValue) flow)"
        case .endPasskey(let argument): "new passkey(\(argument.rawValue))"
        case .signOut: "sign-out"
        }
    }

    /// Whether the call proves nothing, whatever its arguments.
    var isNeutral: Bool {
        switch self {
        case .send, .options, .beginPasskey, .signOut: true
        case .password, .passwordInFlow, .code, .verify, .endPasskey: false
        }
    }

    /// The calls that are tried in a state.
    static func all(of kind: AccountKind, _ state: SignInState, wrong: Int64?, sent: Int64?) -> [Self] {
        var calls: [Self] = []
        // A password costs a hash. Without a flow, the call does not know the browser's, so it is tried where none waits or has begun.
        if state.flow == nil || wrong == nil || (wrong == 0 && sent == 0) {
            if kind.hasPassword {
                calls.append(.password(.right))
                if state.cookie == nil { calls += [.password(.wrong), .password(.foreign)] }
            } else if state.cookie == nil {
                calls += kind == .passwordless ? [.password(.replayed), .password(.foreign)] : [.password(.foreign)]
            }
        }
        if state.flow != nil {
            let isAsked = state.next.contains("password") && wrong != nil
            calls.append(.passwordInFlow(.right, .own))
            if isAsked { calls += [.passwordInFlow(.wrong, .own), .passwordInFlow(.foreign, .own)] }
        }
        calls.append(.passwordInFlow(.right, .strangers))
        for code in [Shown.appCode, .mailCode, .textCode, .recoveryCode] {
            if state.flow != nil { calls.append(.code(code, .foreign, .own)) }
            guard kind.codes.contains(code) else { continue }
            if state.flow != nil {
                calls += [.code(code, .right, .own), .code(code, .wrong, .own), .code(code, .replayed, .own)]
            }
            calls += [.code(code, .right, .strangers), .code(code, .right, .other), .code(code, .foreign, .other)]
        }
        for code in [Shown.mailCode, .textCode] where state.flow != nil { calls.append(.send(code, .own)) }
        calls += passkeyCalls(of: kind, state)
        if state.cookie != nil { calls.append(.signOut) }
        return calls
    }

    private static func passkeyCalls(of kind: AccountKind, _ state: SignInState) -> [Self] {
        var calls: [Self] = []
        if kind.hasPasskey {
            calls.append(.options(named: true))
            if kind == .passkey { calls.append(.options(named: false)) }
            calls.append(.verify(.strangersCeremony))
        } else if kind == .password {
            calls.append(.options(named: true))
        }
        if let ceremony = state.ceremony {
            calls.append(.verify(.strangersKey))
            if kind.hasPasskey {
                calls +=
                    ceremony.accepted == nil
                    ? [.verify(.verified), .verify(.unverified), .verify(.spoiled)]
                    : [.verify(.replayed), .verify(.replayedChallenge)]
            }
        }
        if state.flow != nil { calls.append(.beginPasskey(.own)) }
        calls.append(.beginPasskey(.strangers))
        if let enrolment = state.enrolment { calls.append(.endPasskey(enrolment.accepted == nil ? .right : .replayed)) }
        return calls
    }
}
