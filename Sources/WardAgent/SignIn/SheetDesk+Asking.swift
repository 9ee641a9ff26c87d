internal import WardAgentClient

extension SheetDesk {
    /// What the person did with a sheet of things to pick.
    enum Pick: Sendable {
        /// Wants to see what the locked vault has.
        case unlock
        /// Signs in with an account from elsewhere.
        case elsewhere
        /// Picked this; whether in a prompt of several, so that it counts as a yes.
        case entry(Choice, isConfirmed: Bool)
    }

    /// One thing after the other, each with a button for the next.
    func choose(_ choices: [Choice], isLocked: Bool, hasElsewhere: Bool) async throws -> Pick {
        let count = choices.count + (isLocked ? 1 : 0) + (hasElsewhere ? 1 : 0)
        guard let first = choices.first else { throw AgentError(.nothingAvailable, "there is nothing here") }
        guard count > 1 else { return .entry(first, isConfirmed: false) }
        var texts = choices.map(text)
        if isLocked { texts.append("Look what your locked vault has?") }
        if hasElsewhere { texts.append("Sign in with an account from elsewhere, in the browser?") }
        let index = try await pick(texts)
        if choices.indices.contains(index) { return .entry(choices[index], isConfirmed: true) }
        return isLocked && index == choices.count ? .unlock : .elsewhere
    }

    /// Which of several lines the person takes.
    ///
    /// - Throws: `AgentError` with `denied`.
    func pick(_ texts: [String], agree: String = "This one", other: String = "Another") async throws -> Int {
        try await signIn.asking.inTurn(.app(app)) {
            var index = 0
            while true {
                let prompt = Prompt(
                    .choice(other: other),
                    "\(texts[index])\n(\(index + 1) of \(texts.count))",
                    asker: introduction,
                    agree: agree
                )
                switch try await signIn.asking.ask(prompt, .app(app)) {
                case .agreed: return index
                case .other: index = (index + 1) % texts.count
                case .timedOut: throw Self.timedOut
                default: throw Self.declined
                }
            }
        }
    }

    /// A yes to one password or code.
    func confirm(_ choice: Choice) async throws { try await confirm(text(choice), agree: "Fill in") }

    /// A yes.
    func confirm(_ text: String, agree: String) async throws {
        try await signIn.asking.inTurn(.app(app)) {
            let prompt = Prompt(.confirmation, text, asker: introduction, agree: agree)
            switch try await signIn.asking.ask(prompt, .app(app)) {
            case .agreed: return
            case .timedOut: throw Self.timedOut
            default: throw Self.declined
            }
        }
    }

    /// A line of text that the person types; pinentry shows none of it, so what follows says it back.
    ///
    /// - Throws: `AgentError` with `denied` when the person gives up, or typed something else three times.
    func type(_ label: String, _ text: String, _ check: @escaping @Sendable (String) -> String?) async throws -> String
    {
        guard method.authorization.mayPrompt else {
            throw AgentError(.nothingAvailable, "it would have to be typed, and the person may not be asked")
        }
        return try await signIn.asking.inTurn(.app(app)) {
            var prompt = Prompt(.secret(label: label), text, asker: introduction, agree: "Go on")
            for _ in 0..<3 {
                switch try await signIn.asking.ask(prompt, .app(app)) {
                case .secret(let bytes):
                    let typed = String(validating: bytes, as: UTF8.self) ?? ""
                    guard let problem = check(typed) else { return typed }
                    prompt.error = problem
                case .timedOut: throw Self.timedOut
                default: throw Self.declined
                }
            }
            throw Self.declined
        }
    }

    /// What a line of the sheet says.
    private func text(_ choice: Choice) -> String {
        let (entry, user) = (choice.entry, choice.entry.user.cleanedForPrompt)
        let account = user.isEmpty ? "your account" : user
        let from = "in \(choice.provider.name.cleanedForPrompt)"
        let domain = entry.domain.domainForPrompt
        switch entry.kind {
        case .passkey: return "Sign in to \(domain) as \(account), with the passkey \(from)?"
        case .password: return "Sign in to \(domain) as \(account), with the password \(from)?"
        case .oneTimeCode: return "Fill in a code for \(account) at \(domain), \(from)?"
        }
    }

    private static var declined: AgentError { AgentError(.denied, "the prompt was closed") }
    private static var timedOut: AgentError { AgentError(.denied, "nobody answered the prompt in time: try again") }
}
