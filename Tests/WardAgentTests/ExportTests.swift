import Testing

@testable import WardAgent
import WardAgentClient

@Suite(.agents, .timeLimit(.minutes(5))) struct `An export` {
    @Test func `hands items only to the connection that the person allowed`() async throws {
        let fixture = try await AgentFixture()
        try await fixture.create()
        let authorization = Authorization(passphrase: AgentFixture.passphrase)
        var change = ItemChange()
        change.title = "Bank"
        _ = try await fixture.call(AddItem(authorization: authorization, change: change))
        #expect(await code(fixture, FetchExport()) == .denied)

        let begin = BeginExport(authorization: authorization, format: "KeePass", isSealed: true)
        let hello = Hello(client: "test", terminal: .init())
        try await AgentClient.withConnection(to: fixture.paths, as: hello) { agent in
            #expect(try await agent.call(begin).items == 1)
            // Another connection gets nothing of it.
            #expect(await code(fixture, FetchExport()) == .denied)
            let next = try await agent.call(FetchExport())
            #expect(next.isComplete && next.pieces.count == 1 && next.unreadable.isEmpty)
            // The permission is for one export.
            #expect(await code(agent, FetchExport()) == .denied)
            _ = try await agent.call(begin)
            _ = try await fixture.call(Lock())
            #expect(await code(agent, FetchExport()) == .locked)
            _ = try await fixture.call(Unlock(authorization: authorization))
            #expect(await code(agent, FetchExport()) == .denied)
        }
        try await fixture.close()
    }

    @Test func `ends when the next request is late`() {
        let stage = ExportStage()
        let start = ContinuousClock.now
        stage.allow([], at: start)
        #expect(throws: Never.self) { try stage.take(at: start + ExportStage.window) }
        stage.allow([], at: start)
        #expect(throws: AgentError.self) { try stage.take(at: start + ExportStage.window + .seconds(1)) }
        #expect(throws: AgentError.self) { try stage.take(at: start) }
    }

    private func code(_ fixture: AgentFixture, _ method: some AgentMethod) async -> AgentError.Code? {
        do {
            _ = try await fixture.call(method)
            return nil
        } catch {
            return (error as? AgentError)?.code
        }
    }

    private func code(_ agent: AgentClient, _ method: some AgentMethod) async -> AgentError.Code? {
        do {
            _ = try await agent.call(method)
            return nil
        } catch {
            return (error as? AgentError)?.code
        }
    }
}
