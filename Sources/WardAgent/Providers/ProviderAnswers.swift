internal import WardAgentClient

/// What several providers have for one query, as they answer: no slow one delays the others.
actor ProviderAnswers {
    typealias Asked = (index: Int, provider: any CredentialProvider)

    private let providers: [any CredentialProvider]
    private var answers: [Int: Result<ProviderEntries, AgentError>] = [:]
    /// Those that answered and were not told to anybody yet.
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

    /// What the providers have that answer in time.
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

    /// What the next provider has; `nil` when all were told, or the task is cancelled.
    func next() async -> ProviderListing? {
        while untold.isEmpty {
            guard answers.count < providers.count, !Task.isCancelled else { return nil }
            await wait()
        }
        guard !Task.isCancelled else { return nil }
        return listing(of: take())
    }

    /// Asks nobody any more.
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
                // The latest use of each provider first.
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
