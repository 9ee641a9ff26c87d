import Foundation
import Testing
import WardAgentClient

@testable import WardAgent

@Suite(.timeLimit(.minutes(15))) struct `The conversation with pinentry` {
    /// Asks with a script that answers the question with these commands of the shell, and everything before it with OK.
    private func ask(_ answer: String) async throws -> PromptAnswer {
        let path = NSTemporaryDirectory() + "wap-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let script = """
            #!/bin/sh
            echo OK
            while read -r command rest; do
                case "$command" in CONFIRM) \(answer);; *) echo OK;; esac
            done
            """
        try Data(script.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        let pinentry = Pinentry(environment: ["WARD_PINENTRY": path, "PATH": "/usr/bin:/bin"], patience: .seconds(600))
        let prompt = Prompt(.confirmation, "Sign in?", .init(agree: "Yes"))
        while true {
            // A script cannot run while it is open for writing, as it is in a process that another test is just starting.
            do {
                return try await pinentry.ask(prompt, on: PromptPlace())
            } catch let error as AgentError where error.code == .promptMissing {}
        }
    }

    @Test func `a yes agrees, and a program that ends declines`() async throws {
        #expect(try await ask("echo OK") == .agreed)
        #expect(try await ask("exit 0") == .declined)
    }

    @Test func `an answer that cannot be read is neither a yes nor a no`() async throws {
        await #expect(throws: AgentError(.promptFailed, "")) { try await ask("printf '%05000d' 0") }
    }
}
