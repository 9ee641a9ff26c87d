import Foundation
import Testing
import WardAgentClient

@testable import WardAgent

/// Over a real pipe.
@Suite struct `Reading what a prompt's program answers` {
    private func reader(_ pipe: Pipe) -> AssuanReader {
        AssuanReader(pipe.fileHandleForReading, "/usr/bin/pinentry") { ContinuousClock.now }
    }

    @Test func `a line without end is refused before it fills the memory`() throws {
        let pipe = Pipe()
        var reader = reader(pipe)
        // Below the room of a pipe, so that writing does not wait; nobody ever ends the line.
        try pipe.fileHandleForWriting.write(
            contentsOf: Data(repeating: 0x61, count: 4 * AssuanText.maximumLength + 2048)
        )
        var checks = 0
        let error = #expect(throws: AgentError.self) {
            try reader.reply { () throws(AgentError) in
                checks += 1
                return checks < 3
            }
        }
        #expect(error?.message == "pinentry answered with something that cannot be read")
    }

    @Test func `nobody waits longer than the condition holds`() throws {
        let pipe = Pipe()
        var reader = reader(pipe)
        var checks = 0
        let error = #expect(throws: AgentError.self) {
            try reader.reply { () throws(AgentError) in
                checks += 1
                if checks > 2 { throw AgentError(.failed, "asked again") }
                return false
            }
        }
        #expect(error?.code == .promptFailed && checks == 1)
    }

    @Test func `a program that ends without an answer is an error`() throws {
        let pipe = Pipe()
        var reader = reader(pipe)
        try pipe.fileHandleForWriting.close()
        #expect(throws: AgentError(.promptFailed, "")) { try reader.reply(within: .seconds(60)) }
    }
}
