internal import WardAgentClient
internal import WardVault

/// What a prompt asks.
struct Question: Sendable {
    /// The contents of the prompt: lines of sentences.
    var lines: [[PromptSentence]]
    /// The requester that the prompt shows; `nil` for the identified requester.
    var asker: [[PromptSentence]]?
    /// The label of the button that agrees.
    var agree: PromptWord
    /// The time limit for the answer, in seconds.
    var timeout = 120

    /// Creates the text of a prompt, with each sentence on a line of its own.
    init(_ sentences: [PromptSentence], asker: [[PromptSentence]]? = nil, agree: PromptWord, timeout: Int = 120) {
        lines = sentences.map { [$0] }
        self.asker = asker
        self.agree = agree
        self.timeout = timeout
    }
}

/// The right to show prompts.
///
/// While a program has it, no other prompt appears.
struct PromptTurn: Sendable {
    let asking: Asking
    let requester: Requester

    /// How often the person may type a wrong value in one prompt.
    private static let tries = 3

    /// Asks for a yes.
    ///
    /// - Throws: ``PromptRefusal``, or what keeps the prompt from appearing.
    func confirm(_ question: Question, problem: PromptSentence? = nil) async throws {
        guard try await ask(question, problem: problem) == .yes else { throw PromptRefusal.declined }
    }

    /// Asks for a value that the person types once, such as a PIN.
    ///
    /// - Returns: What was typed, possibly nothing. The caller checks it, and overwrites it with zeros afterwards.
    /// - Throws: ``PromptRefusal``, or what keeps the prompt from appearing.
    func secret(_ label: PromptWord, _ question: Question, problem: PromptSentence? = nil) async throws -> [UInt8] {
        guard case .typed(let typed) = try await ask(question, label: label, problem: problem) else {
            throw PromptRefusal.declined
        }
        return typed
    }

    /// The person agreed with a finger on the reader instead of the prompt.
    func agreedBesidePrompt() {
        if let asker = requester.asker { asking.declines.note(.agreed, to: asker) }
    }

    /// Shows several pages one after the other, each with a button for the next page.
    ///
    /// - Returns: The index of the one that the person takes.
    /// - Throws: ``PromptRefusal``, or what keeps the prompt from appearing.
    func pick(_ questions: [Question], other: PromptWord = .another) async throws -> Int {
        try await pick(other: other) { questions }
    }

    /// Shows several pages one after the other.
    ///
    /// While the person looks at one, more pages can be added at the end.
    ///
    /// - Throws: As ``pick(_:other:)``.
    func pick(other: PromptWord = .another, _ all: () -> [Question]) async throws -> Int {
        var index = 0
        while true {
            let questions = all()
            guard questions.indices.contains(index) else { throw PromptRefusal.declined }
            switch try await ask(questions[index], other: other) {
            case .yes: return index
            case .other: index = (index + 1) % all().count
            case .typed: throw PromptRefusal.declined
            }
        }
    }

    /// Asks for a line of text.
    ///
    /// Pinentry hides the typed text, so the next prompt shows the text.
    ///
    /// - Throws: ``PromptRefusal``, also after three texts that do not pass the check.
    func type(
        _ label: PromptWord,
        _ question: Question,
        _ check: (String) -> PromptSentence?
    ) async throws -> String {
        var problem: PromptSentence?
        for _ in 0..<Self.tries {
            guard case .typed(let bytes) = try await ask(question, label: label, problem: problem) else { break }
            let typed = String(validating: bytes, as: UTF8.self) ?? ""
            problem = check(typed)
            if problem == nil { return typed }
        }
        throw PromptRefusal.declined
    }

    /// Asks for the passphrase until it is right, the person cancels, or it was wrong too often.
    ///
    /// - Parameters:
    ///   - question: What it is for.
    ///   - problem: Why something easier did not do.
    ///   - check: Throws `VaultError` with `wrongPassphrase` for a wrong one.
    /// - Returns: What the check returns.
    /// - Throws: ``PromptRefusal``; `AgentError` with `tooManyAttempts`; what the check throws.
    func passphrase<T: Sendable>(
        _ question: Question,
        problem: PromptSentence? = nil,
        _ check: @escaping @Sendable ([UInt8]) async throws -> T
    ) async throws -> T {
        var problem = problem
        for attempt in 1...Self.tries {
            try asking.attempts.check(.prompt)
            var typed = try await secret(.passphrase, question, problem: problem)
            defer { for index in typed.indices { typed[index] = 0 } }
            do {
                let secret = typed
                return try await asking.attempts.trying(.prompt) { try await check(secret) }
            } catch let error as VaultError where error.code == .wrongPassphrase || error.code == .emptyPassphrase {
                let isEmpty = error.code == .emptyPassphrase
                guard attempt < Self.tries else {
                    // An empty answer is not a guess. It means that the person does not want to type the passphrase.
                    throw isEmpty ? AgentError(.denied, "no passphrase was typed") : error
                }
                problem =
                    isEmpty
                    ? .noPassphrase(attempt: attempt, of: Self.tries)
                    : .wrongPassphrase(attempt: attempt, of: Self.tries)
            }
        }
        throw PromptRefusal.declined
    }

    private func ask(
        _ question: Question,
        label: PromptWord? = nil,
        other: PromptWord? = nil,
        problem: PromptSentence? = nil
    ) async throws -> PromptAssent {
        var place = await asking.person.place(for: requester.place)
        if let window = requester.window, window.display == place.desktop.display { place.window = window.number }
        let language = place.language
        let kind: Prompt.Kind =
            if let label { .secret(label: language.text(label)) } else { other == nil ? .confirmation : .choice }
        let prompt = Prompt(
            kind,
            language.text(asking.vaultLines + question.lines),
            asker: language.text(question.asker ?? requester.introduction),
            error: problem.map { language.text($0) },
            Prompt.Buttons(
                agree: language.text(question.agree),
                other: other.map { language.text($0) } ?? "",
                cancel: language.text(.cancel)
            ),
            short: Prompt.Buttons(agree: language.text(.yes), other: language.text(.next), cancel: language.text(.no)),
            timeout: question.timeout
        )
        let answer = try await asking.prompting.ask(prompt, on: place)
        if let asker = requester.asker { asking.declines.note(answer, to: asker) }
        return try answer.assent()
    }
}
