import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import WardAgent
import WardAgentClient
import WardDomains

@Suite(.timeLimit(.minutes(5))) struct `Windows of time follow the clock` {
    @Test func `of a pinentry that says nothing`() async throws {
        let folder = NSTemporaryDirectory() + "wp-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let program = folder + "/pinentry"
        try Data("#!/bin/sh\ntouch '\(folder)/started'\nread -r line\n".utf8).write(to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        let clock = ManualClock()
        let pinentry = Pinentry(
            environment: ["WARD_PINENTRY": program, "PATH": "/usr/bin:/bin"],
            patience: .seconds(5),
            now: { clock.now }
        )
        let timer = Task {
            while !FileManager.default.fileExists(atPath: folder + "/started") {
                try await Task.sleep(for: .milliseconds(5))
            }
            while true {
                clock.advance(.seconds(6))
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        defer { timer.cancel() }
        do {
            let prompt = Prompt(.confirmation, "Agree?", .init(agree: "Yes", cancel: "No"))
            _ = try await pinentry.ask(prompt, on: PromptPlace())
            Issue.record("no error")
        } catch let error as AgentError {
            #expect(error.code == .promptFailed && error.message.contains("sent no answer for 5 seconds"))
        }
    }

    @Test func `of a pinentry that does not end when it is told to`() async throws {
        let folder = NSTemporaryDirectory() + "wp-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let program = folder + "/pinentry"
        let text = "#!/bin/sh\ntrap '' TERM\necho $$ > '\(folder)/pid'\nmv '\(folder)/pid' '\(folder)/started'\n"
        try Data((text + "while :; do sleep 0.05; done\n").utf8).write(to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        let gate = Gate()
        let pinentry = Pinentry(
            environment: ["WARD_PINENTRY": program, "PATH": "/usr/bin:/bin"],
            patience: .seconds(600),
            sleep: { try await gate.pass($0) }
        )
        let prompt = Task {
            let prompt = Prompt(.confirmation, "Agree?", .init(agree: "Yes", cancel: "No"))
            return try await pinentry.ask(prompt, on: PromptPlace())
        }
        var id: String?
        while id == nil {
            let said = try? String(contentsOfFile: folder + "/started", encoding: .utf8)
            id = said?.trimmingCharacters(in: .newlines)
            try await Task.sleep(for: .milliseconds(5))
        }
        let process = "/proc/\(try #require(id))"
        prompt.cancel()
        while gate.asked.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(gate.asked == [.seconds(1)])
        #expect(FileManager.default.fileExists(atPath: process))
        gate.open()
        while FileManager.default.fileExists(atPath: process) { try await Task.sleep(for: .milliseconds(5)) }
        _ = await prompt.result
    }

    @Test func `of an agent whose socket is gone`() async throws {
        let gate = Gate()
        let fixture = try await AgentFixture { _ in
        } configure: { configuration in
            configuration.sleep = { duration in
                guard duration == .seconds(1) else { return try await Task.sleep(for: .seconds(600)) }
                try await gate.pass(duration)
                // A watch that never waits leaves no thread to the others.
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        // One for each of the two sockets, and one for the record.
        while gate.asked.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
        try FileManager.default.removeItem(atPath: fixture.paths.appSocket)
        gate.open()
        try await fixture.waitUntilEnded()
    }

    @Test func `of a program that connects and says nothing`() async throws {
        let fixture = try await AgentFixture { _ in
        } configure: { configuration in
            configuration.helloPatience = .seconds(10)
            configuration.sleep = { duration in
                // The ten seconds of a silent program are over at once, and nothing else is.
                guard duration == .seconds(10) else { return try await Task.sleep(for: .seconds(600)) }
            }
        }
        let said = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(unixDomainSocketPath: fixture.paths.appSocket) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
            .executeThenClose { inbound, _ in
                var text = ""
                for try await piece in inbound { text += String(buffer: piece) }
                return text
            }
        #expect(said.contains("busy") && said.contains("within 10 seconds"))
        try await fixture.abandon()
    }

    @Test func `of a domain that names its apps`() async throws {
        let (clock, downloads) = (ManualClock(), Count())
        let policy = AppPolicy(
            environment: [:],
            fetch: AssociationFetch { _ in
                downloads.up()
                return Array(#"{"webcredentials":{"apps":["org.example.Shiny"]}}"#.utf8)
            },
            now: { clock.now }
        )
        let domain = try RelyingPartyID("example.com")
        for _ in 0..<2 { #expect(try await policy.appsNamed(domain) == ["org.example.Shiny"]) }
        #expect(downloads.value == 1)
        clock.advance(AssociatedDomains.foundFor + .seconds(1))
        #expect(try await policy.appsNamed(domain) == ["org.example.Shiny"])
        #expect(downloads.value == 2)
    }
}
