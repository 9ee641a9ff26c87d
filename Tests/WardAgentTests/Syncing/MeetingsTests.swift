import Synchronization
import Testing
import WardAgentClient
import WardDownload
import WardVault

@testable import WardAgent
@testable import WardSync

@Suite(.agents, .timeLimit(.minutes(15))) struct `Codes that did not match` {
    @Test func `are followed by a pause of 15 minutes, which no clock that is set makes longer`() async throws {
        let fixture = try await AgentFixture()
        try await fixture.create()
        let passed = Mutex(Duration.zero)
        let start = ContinuousClock.now
        let meetings = Meetings { start + passed.withLock { $0 } }
        let address = try #require(ServerAddress("https://sync.example.org"))
        let server = MeetingServer(address) { _, _ in throw BoundedDownload.Failure.unreachable }
        var guessed = Meetings.Member(
            server: server,
            place: .init(number: 417, token: String(repeating: "t", count: 43), seconds: 300),
            vault: try await fixture.agent.session.file(),
            meeting: try MemberMeeting(host: server.host, VaultEnvironment())
        )
        // Somebody has got the answer to this code, and went without a word.
        guessed.mail.next = 3
        for _ in 0..<3 {
            await meetings.begin(guessed)
            try await meetings.checkTries()
        }
        await meetings.begin(guessed)
        for (minutes, left) in [(0, 15), (5, 10), (14, 1)] {
            passed.withLock { $0 = .seconds(minutes * 60) }
            let error = await #expect(throws: AgentError.self) { try await meetings.checkTries() }
            #expect(error?.message.hasSuffix("Wait \(left) minutes") == true, "\(error?.message ?? "")")
        }
        passed.withLock { $0 = .seconds(15 * 60) }
        try await meetings.checkTries()
        try await fixture.close()
    }
}
