import Foundation
import Testing

import WardAgentClient
import WardText

@Suite(.agents, .timeLimit(.minutes(15))) struct `Managers that the agent starts` {
    private let password = AppRequest(.password, domain: SignInFixture.domain)

    /// A manager that is a script: it notes each start, and then does what the body says.
    private func setting(_ body: String) async throws -> (SignInFixture, starts: () -> Int, pids: () -> [Int32]) {
        let fixture = try await SignInFixture()
        let folder = fixture.agent.folder
        let script = folder + "/manager.sh"
        let text = "#!/bin/sh\necho $$ >> '\(folder)/starts'\n\(body)\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: script))
        try ScriptedManager.declare(
            in: fixture.agent,
            ScriptedManager.identifier,
            ["program": ["/bin/sh", .string(script)]]
        )
        _ = try await fixture.call(EnableProvider(identifier: ScriptedManager.identifier))
        @Sendable func pids() -> [Int32] {
            let text = (try? String(contentsOfFile: folder + "/starts", encoding: .utf8)) ?? ""
            return text.split(separator: "\n").compactMap { Int32($0) }
        }
        return (fixture, { pids().count }, { pids() })
    }

    private func fails(_ fixture: SignInFixture) async {
        await #expect(throws: AgentError(.providerFailed, "")) { try await fixture.ask(password) }
    }

    @Test func `are waited for when they end, so that none stays behind`() async throws {
        let (fixture, _, pids) = try await setting("exit 3")
        await fails(fixture)
        for pid in pids() {
            // A process that nobody waited for is still listed, as a zombie.
            while FileManager.default.fileExists(atPath: "/proc/\(pid)") { try await Task.sleep(for: .milliseconds(5)) }
        }
        #expect(pids().count >= 1)
        try await fixture.close()
    }

    @Test func `that die at once are started twice and then left alone, each time for longer`() async throws {
        let (fixture, starts, _) = try await setting("exit 3")
        await fails(fixture)
        await fails(fixture)
        await fails(fixture)
        // The first time may be an accident.
        #expect(starts() == 2)
        var pause = 10
        for round in 3...5 {
            fixture.clock.advance(.seconds(pause - 1))
            await fails(fixture)
            #expect(starts() == round - 1)
            fixture.clock.advance(.seconds(2))
            await fails(fixture)
            await fails(fixture)
            #expect(starts() == round)
            pause *= 2
        }
        try await fixture.close()
    }

    @Test func `that do not listen within ten seconds are left alone`() async throws {
        let (fixture, starts, _) = try await setting("read -r proof\nread -r end")
        async let first: Void = fails(fixture)
        while starts() == 0 { try await Task.sleep(for: .milliseconds(5)) }
        fixture.clock.advance(.seconds(10))
        await first
        await fails(fixture)
        #expect(starts() == 1)
        try await fixture.close()
    }

    @Test func `that are not a program are an error that names them, and left alone`() async throws {
        let (fixture, _, _) = try await setting("exit 0")
        try ScriptedManager.declare(
            in: fixture.agent,
            ScriptedManager.identifier,
            ["program": ["/no/such/program"]]
        )
        for _ in 0..<2 {
            do {
                _ = try await fixture.ask(password)
                Issue.record("no error")
            } catch let error as AgentError {
                #expect(error.code == .providerFailed && error.message.contains("/no/such/program"))
            }
        }
        try await fixture.close()
    }
}
