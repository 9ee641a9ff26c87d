internal import WardVault

/// Verifies the person in the easiest way that is set up: first a fingerprint, then the PIN, then the passphrase.
///
/// It returns only after the person was verified. PIN and fingerprint count only while the vault is open and as long as
/// ``VerificationLimit`` allows. After that, the agent asks for the passphrase.
struct PersonVerifier: Sendable {
    /// The result of one way to verify the person.
    private enum Step: Sendable {
        case verified
        /// The next way is used. A sentence says why, unless the person wanted it.
        case next(PromptSentence?)
    }

    let quick: QuickVerification
    let vault: Vault
    let turn: PromptTurn
    /// Checks a passphrase.
    ///
    /// It throws `VaultError` with `wrongPassphrase` if the passphrase is wrong.
    let check: @Sendable ([UInt8]) async throws -> Void

    /// Asks.
    ///
    /// - Parameter question: The question of the ceremony; the way to answer it is added here.
    /// - Throws: ``PromptRefusal``, or what ``PromptTurn/passphrase(_:problem:_:)`` throws.
    func verify(_ question: Question) async throws {
        var reason: PromptSentence?
        let settings = await quick.settings(of: vault)
        if settings.usesFingerprint, quick.refusal == nil {
            switch try await finger(question, hasPIN: settings.pin != nil) {
            case .verified: return
            case .next(let why): reason = why
            }
        }
        if settings.pin != nil, quick.refusal == nil {
            switch try await pin(question, reason) {
            case .verified: return
            case .next(let why): reason = why
            }
        }
        try await turn.passphrase(question.with(.showItIsYou), problem: reason, check)
    }

    // MARK: The PIN

    private func pin(_ question: Question, _ reason: PromptSentence?) async throws -> Step {
        let question = question.with(.showItIsYouWithPIN).with(.emptyIsPassphrase)
        var problem = reason
        while quick.refusal == nil {
            var typed = try await turn.secret(.pin, question, problem: problem)
            defer { for index in typed.indices { typed[index] = 0 } }
            // An empty input is not an attempt: the person does not know the PIN.
            guard !typed.isEmpty else { return .next(nil) }
            guard let left = try await quick.check(pin: typed, of: vault) else { return .verified }
            problem = .wrongPIN(left: left)
        }
        return .next(.wrongTooOften)
    }

    // MARK: The finger

    private enum Event: Sendable {
        case finger(FingerprintResult)
        case prompt(Result<Void, any Error>)
    }

    private func finger(_ question: Question, hasPIN: Bool) async throws -> Step {
        var question = question.with(.showItIsYouWithFinger)
        question.agree = hasPIN ? .typePIN : .typePassphrase
        var problem: PromptSentence?
        while quick.refusal == nil {
            switch try await touch(question, problem) {
            case .finger(.match):
                _ = quick.noteFinger(isRight: true)
                turn.agreedBesidePrompt()
                return .verified
            case .finger(.noMatch): problem = .wrongFinger(left: quick.noteFinger(isRight: false))
            case .finger(.unavailable(let why)): return .next(.noFinger(why))
            case .finger(.cancelled): throw CancellationError()
            case .prompt(let answer):
                try answer.get()
                return .next(nil)
            }
        }
        return .next(.wrongTooOften)
    }

    /// A fingerprint or an answer in the prompt, whichever comes first.
    ///
    /// The other one is cancelled before this call returns.
    ///
    /// The prompt appears only after the reader waits for a finger. So no prompt appears for a moment if the reader does not
    /// work.
    private func touch(_ question: Question, _ problem: PromptSentence?) async throws -> Event {
        let (turn, reader) = (turn, quick.reader)
        return try await withThrowingTaskGroup(of: Event.self) { group in
            let (waiting, isWaiting) = AsyncStream<Void>.makeStream()
            group.addTask {
                for await _ in waiting {}
                do {
                    try Task.checkCancellation()
                    return .prompt(.success(try await turn.confirm(question, problem: problem)))
                } catch {
                    return .prompt(.failure(error))
                }
            }
            group.addTask { .finger(await reader.verify { isWaiting.finish() }) }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}

extension Question {
    /// The prompt's text with one more line.
    fileprivate func with(_ sentence: PromptSentence) -> Question {
        var question = self
        question.lines.append([sentence])
        return question
    }
}
