internal import WardAgentClient

/// The answers of several providers to one query. Each answer is available as soon as it arrives, so a slow provider does not
/// delay the others.
actor ProviderAnswers {
    private let providers: [any CredentialProvider]
    private var answers: [Int: Result<ProviderEntries, AgentError>] = [:]
    /// The answers that arrived and were not returned yet.
    private var untold: [Int] = []
    private var isTimeOver = false
    private var tasks: [Task<Void, Never>] = []
    private var waiting: CheckedContinuation<Void, Never>?

    /// Asks all providers.
    init(_ providers: [any CredentialProvider], _ query: ProviderQuery) {
        self.providers = providers
        Task { await self.ask(query) }
    }

    private func ask(_ query: ProviderQuery) {
        for (index, provider) in providers.enumerated() {
            tasks.append(
                Task {
                    let result: Result<ProviderEntries, AgentError>
                    do {
                        result = .success(try await provider.entries(query))
                    } catch {
                        result = .failure(AgentError(reporting: error))
                    }
                    answered(index, result)
                }
            )
        }
        wake()
    }

    private func answered(_ index: Int, _ result: Result<ProviderEntries, AgentError>) {
        answers[index] = result
        untold.append(index)
        wake()
    }

    private func wake() {
        waiting?.resume()
        waiting = nil
    }

    private func wait() async {
        await withTaskCancellationHandler {
            guard !Task.isCancelled else { return }
            await withCheckedContinuation { waiting = $0 }
        } onCancel: {
            Task { await self.wake() }
        }
    }

    private func timeIsOver() {
        isTimeOver = true
        wake()
    }

    /// The answers of the providers that answer in time.
    ///
    /// - Parameter joining: Returns when the time is over.
    /// - Returns: The listing in the order of the providers, and who is still asked.
    /// - Throws: `CancellationError`.
    func first(_ joining: @escaping @Sendable () async throws -> Void) async throws -> ProviderListing {
        let timer = Task {
            try? await joining()
            timeIsOver()
        }
        defer { timer.cancel() }
        while answers.count < providers.count, !isTimeOver {
            await wait()
            try Task.checkCancellation()
        }
        return listing(of: take())
    }

    /// The next answer, or `nil` if all answers were returned, or if the task is cancelled before the next one arrives.
    func next() async -> ProviderListing? {
        while untold.isEmpty {
            guard answers.count < providers.count, !Task.isCancelled else { return nil }
            await wait()
        }
        return listing(of: take())
    }

    /// Cancels all requests to providers.
    func end() { for task in tasks { task.cancel() } }

    private func take() -> [Int] {
        defer { untold = [] }
        return untold.sorted()
    }

    private func listing(of indices: [Int]) -> ProviderListing {
        var listing = ProviderListing()
        for index in indices {
            let provider = ProviderListing.Provider(providers[index])
            listing.providers[provider.identifier] = provider
            switch answers[index] {
            case .success(let found)?:
                // The entries of each provider, latest use first.
                listing.entries += found.entries.sorted { ($0.lastUsedAt ?? 0) > ($1.lastUsedAt ?? 0) }
                if found.isLocked { listing.locked.append(provider) }
            case .failure(let error)?: listing.failure = listing.failure ?? error
            case nil: break
            }
        }
        listing.pending = providers.indices.filter { answers[$0] == nil }.count
        return listing
    }
}
