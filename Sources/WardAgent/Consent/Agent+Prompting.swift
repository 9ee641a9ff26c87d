internal import WardAgentClient

extension Agent {
    /// Asks a question where the person is.
    nonisolated func ask(_ prompt: Prompt, _ caller: AgentCaller) async throws -> PromptAnswer {
        try await prompting.ask(prompt, on: await person.place(for: caller.place))
    }

    /// Tells the person something, where they are.
    nonisolated func notify(title: String, text: String, _ caller: AgentCaller) async {
        notifier.notify(title: title, text: text, on: await person.place(for: caller.place))
    }
}
