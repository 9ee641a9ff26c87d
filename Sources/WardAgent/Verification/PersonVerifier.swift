internal import WardVault

/// Asks the person to show who they are, in the easiest way that is set up: a finger, then the PIN, then the passphrase.
///
/// It returns only after something was verified. What the person set up counts only while the vault is open and for as long as
/// ``VerificationLimit`` allows; then the passphrase is asked.
struct PersonVerifier: Sendable {
    /// What became of one way.
    private enum Step: Sendable {
        case verified
        /// Another way is next; a sentence says why, unless it was the person's wish.
        case next(PromptSentence?)
    }

    let quick: QuickVerification
    let vault: Vault
    let turn: PromptTurn
    /// Checks a passphrase; throws `VaultError` with `wrongPassphrase` for a wrong one.
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
            // Nothing typed is not a try: the person does not know it.
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

    /// A finger or an answer, whichever comes first; the other one is withdrawn before this returns.
    ///
    /// Nothing is asked before the reader waits, so that no prompt flashes up for a reader that does not.
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
    /// The question with one more line.
    fileprivate func with(_ sentence: PromptSentence) -> Question {
        var question = self
        question.lines.append([sentence])
        return question
    }
}
