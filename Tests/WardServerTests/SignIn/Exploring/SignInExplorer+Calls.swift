import HTTPTypes
import WardTesting
import WardText
import WardWebAuthn

/// A request that the explorer sends, and what it proves.
private struct ExplorerRequest: Sendable {
    let path: String
    let body: JSONValue
    var claim: SignInExplorer.Claim?
    var assertion: AuthenticationResponse?
    var registration: RegistrationResponse?
    var code: String?

    init(_ path: String, _ body: JSONValue, claim: SignInExplorer.Claim? = nil) {
        (self.path, self.body, self.claim) = (path, body, claim)
    }
}

extension SignInExplorer {
    /// Makes a call in a fork of a state's store, or returns `nil` if the state has no such argument.
    func make(_ call: SignInCall, in state: SignInState) async throws -> Made? {
        guard let request = try request(call, state) else { return nil }
        var after = state
        after.store = state.store.copy()
        after.path.append(call.name)
        try await sabotage(after.store, owner.id)
        let service = world.service
        let (answer, cookie, device) = try await ForkedStore.$fork.withValue(after.store) {
            let visitor = service.visitor()
            (visitor.cookie, visitor.device) = (state.cookie, state.device)
            let answer = try await visitor.post(request.path, request.body)
            return (answer, visitor.cookie, visitor.device)
        }
        (after.cookie, after.device) = (cookie, device)
        try await keep(answer, to: call, request, in: &after)
        return Made(answer: answer, after: after, claim: request.claim)
    }

    // MARK: Requests

    private func request(_ call: SignInCall, _ state: SignInState) throws -> ExplorerRequest? {
        switch call {
        case .password(let argument):
            let body: JSONValue = ["username": .string(owner.name), "password": .string(password(argument))]
            let claim = argument == .right ? Claim(flow: nil, shown: .password) : nil
            return ExplorerRequest("sign-in/password", body, claim: claim)
        case .passwordInFlow(let argument, let which):
            guard let flow = token(which, state) else { return nil }
            let body: JSONValue = ["flow": .string(flow), "password": .string(password(argument))]
            let isProof = argument == .right && which != .strangers && kind.hasPassword
            return ExplorerRequest(
                "sign-in/password",
                body,
                claim: isProof ? Claim(flow: flow, shown: .password) : nil
            )
        case .code(let code, let argument, let which):
            guard let flow = token(which, state), let typed = self.code(code, argument, state) else { return nil }
            let body: JSONValue = [
                "flow": .string(flow), "method": .string(code.rawValue), "code": .string(typed),
            ]
            let isProof = argument == .right && which != .strangers
            var request = ExplorerRequest(
                "sign-in/code",
                body,
                claim: isProof ? Claim(flow: flow, shown: code) : nil
            )
            request.code = typed
            return request
        case .send(let code, let which):
            guard let flow = token(which, state) else { return nil }
            return ExplorerRequest("sign-in/send-code", ["flow": .string(flow), "method": .string(code.rawValue)])
        case .options(let named):
            return ExplorerRequest("sign-in/options", named ? ["username": .string(owner.name)] : [:])
        case .verify(let assertion): return try verification(assertion, state)
        case .beginPasskey(let which):
            guard let flow = token(which, state) else { return nil }
            return ExplorerRequest("registration/options", ["flow": .string(flow)])
        case .endPasskey(let argument): return try registration(argument, state)
        case .signOut: return ExplorerRequest("sign-out", [:])
        }
    }

    private func password(_ argument: SignInCall.Argument) -> String {
        switch argument {
        case .right, .replayed: owner.password
        case .wrong: "a wrong teapot 41 lanterns"
        case .foreign: world.stranger.password
        }
    }

    private func code(_ code: Shown, _ argument: SignInCall.Argument, _ state: SignInState) -> String? {
        let (now, sent) = (world.service.effects.now, state.delivered[code] ?? [])
        let isMessage = code == .mailCode || code == .textCode
        switch argument {
        case .right:
            if isMessage { return sent.last == state.used[code] ? nil : sent.last }
            guard state.used[code] == nil else { return nil }
            return code == .appCode ? owner.app?.code(at: now).stringValue : owner.recoveryCode
        case .wrong: return code == .recoveryCode ? "aaaa-aaaa-aaaa-aaaa" : "000000"
        case .replayed:
            // A code that a newer one replaced counts no more either.
            return state.used[code] ?? (isMessage ? sent.dropLast().last : nil)
        case .foreign:
            switch code {
            case .appCode: return world.stranger.app?.code(at: now).stringValue
            case .recoveryCode: return world.stranger.recoveryCode
            default: return SignInWorld.strangersCodes[code]
            }
        }
    }

    private func verification(_ assertion: SignInCall.Assertion, _ state: SignInState) throws -> ExplorerRequest? {
        let held = state.ceremony
        guard let started = assertion == .strangersCeremony ? world.strangersCeremony : held?.started else {
            return nil
        }
        var options = started.options
        var claim: Claim?
        var response: AuthenticationResponse
        switch assertion {
        case .replayed:
            guard let accepted = held?.accepted else { return nil }
            response = accepted
        case .strangersKey:
            guard var key = world.stranger.authenticator else { return nil }
            let id = owner.authenticator?.credentials.first?.id ?? options.allowCredentials.first?.id
            options.allowCredentials = []
            key.behaviour.returnsUserHandle = false
            response = try key.get(options)
            if let id { response.id = id }
        case .verified, .unverified, .spoiled, .strangersCeremony, .replayedChallenge:
            guard var authenticator = owner.authenticator else { return nil }
            options.allowCredentials = []
            authenticator.behaviour.isUserVerified = assertion != .unverified
            if assertion == .spoiled {
                authenticator.faults.signature = { signature in
                    Array(signature.dropLast()) + signature.suffix(1).map { $0 ^ 1 }
                }
            }
            response = try authenticator.get(options)
            if assertion == .verified { claim = Claim(flow: nil, shown: .verifiedPasskey) }
            if assertion == .unverified { claim = Claim(flow: nil, shown: .passkey) }
        }
        let body: JSONValue = ["ceremony": .string(started.ceremony), "credential": response.value]
        var request = ExplorerRequest("sign-in/verify", body, claim: claim)
        request.assertion = response
        return request
    }

    private func registration(_ argument: SignInCall.Argument, _ state: SignInState) throws -> ExplorerRequest? {
        guard let enrolment = state.enrolment else { return nil }
        let response: RegistrationResponse
        if argument == .replayed {
            guard let accepted = enrolment.accepted else { return nil }
            response = accepted
        } else {
            var authenticator = VirtualAuthenticator(
                origin: world.service.origins[0],
                effects: world.service.effects.effects
            )
            response = try authenticator.create(enrolment.started.options)
        }
        let body: JSONValue = ["ceremony": .string(enrolment.started.ceremony), "credential": response.value]
        let claim = argument == .right ? Claim(flow: enrolment.flow, shown: .newPasskey) : nil
        var request = ExplorerRequest("registration/verify", body, claim: claim)
        request.registration = response
        return request
    }

    // MARK: Answers

    /// Keeps what the browser knows after an answer.
    private func keep(
        _ answer: Answer,
        to call: SignInCall,
        _ request: ExplorerRequest,
        in state: inout SignInState
    ) async throws {
        let isGood = (200..<300).contains(answer.status.code)
        switch call {
        case .code(let code, _, _): if isGood { state.used[code] = request.code }
        case .send(let code, _): if isGood { try await deliver(code, in: &state) }
        case .options(let named):
            if let started: Started<PublicKeyCredentialRequestOptions> = try Self.started(answer) {
                state.ceremony = .init(started: started, isNamed: named)
            }
        case .verify(let assertion):
            guard assertion != .strangersCeremony else { break }
            if isGood {
                state.ceremony?.accepted = request.assertion
            } else {
                state.ceremony?.isTried = true
            }
        case .beginPasskey(let which):
            if let started: Started<PublicKeyCredentialCreationOptions> = try Self.started(answer),
                let flow = token(which, state)
            {
                state.enrolment = .init(started: started, flow: flow)
            }
        case .endPasskey: if isGood { state.enrolment?.accepted = request.registration }
        case .password, .passwordInFlow, .signOut: break
        }
        guard let flow = answer["flow"]?.stringValue else { return }
        let before = request.claim?.flow.flatMap { state.proven[$0] } ?? []
        state.flow = flow
        state.next = (answer["next"]?.arrayValue ?? []).compactMap { $0["method"]?.stringValue }
        state.proven[flow] = before.union(request.claim.map { [$0.shown] } ?? [])
    }

    /// A message arrives.
    private func deliver(_ code: Shown, in state: inout SignInState) async throws {
        let count = state.delivered[code]?.count ?? 0
        let text = "1000\(10 + count)"
        let now = world.service.effects.now
        try await SignInWorld.deliver(text, code, to: owner, at: now, in: state.store)
        state.delivered[code, default: []].append(text)
    }

    private static func started<Options: WebAuthnJSON>(_ answer: Answer) throws -> Started<Options>? {
        guard answer.status == .ok, let ceremony = answer["ceremony"]?.stringValue,
            let options = answer["publicKey"]
        else { return nil }
        return Started(ceremony: ceremony, options: try Options(json: options.serialized))
    }
}
