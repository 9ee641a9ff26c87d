extension Agent {
    /// Runs a body that asks the person, when its turn has come.
    ///
    /// - Throws: What the body throws; `AgentError` with `denied`, and nothing is asked, for an app that heard a no moments ago.
    nonisolated func inTurn<T: Sendable>(
        _ caller: AgentCaller,
        _ body: @Sendable () async throws -> T
    ) async throws -> T {
        guard !caller.isManager else { return try await prompts.exclusively(isManager: true, body) }
        let asker = await asker(caller)
        try declines.check(asker)
        return try await prompts.exclusively(isManager: false) {
            // The person may have said no to another question of the same app meanwhile.
            try declines.check(asker)
            return try await body()
        }
    }

    /// Asks a question where the person is.
    nonisolated func ask(_ prompt: Prompt, _ caller: AgentCaller) async throws -> PromptAnswer {
        let answer = try await prompting.ask(prompt, on: await person.place(for: caller.place))
        if !caller.isManager { declines.note(answer, to: await asker(caller)) }
        return answer
    }

    /// Tells the person something, where they are.
    nonisolated func notify(title: String, text: String, _ caller: AgentCaller) async {
        notifier.notify(title: title, text: text, on: await person.place(for: caller.place))
    }

    private nonisolated func asker(_ caller: AgentCaller) async -> Declines.Asker {
        Declines.Asker(try? await identity(of: caller))
    }
}
