import Testing

@testable import WardAgent
import WardAgentClient

@Suite(.agents, .timeLimit(.minutes(15))) struct `The vault locks by itself` {
    private static let quiet = Authorization(mayPrompt: false)

    /// A fixture whose agent goes by a clock of the test's; its own watch looks at that clock every second, as tests do at once.
    private func makeFixture(_ clock: ManualClock, isManager: @escaping @Sendable () -> Bool = { true }) async throws
        -> AgentFixture
    {
        let fixture = try await AgentFixture { policy in
            policy.identify = { _ in AppFixture.registered() }
            policy.isManager = { _ in isManager() }
            policy.appsNamed = { _ throws(AgentError) in ["com.example.shiny"] }
        } configure: { configuration in
            configuration.clock = { clock.now }
            configuration.openLimit = 8 * 3600
        }
        try await fixture.create()
        await fixture.agent.session.lockIfDue()
        return fixture
    }

    private func isOpen(_ fixture: AgentFixture) async throws -> Bool {
        await fixture.agent.session.lockIfDue()
        return try await !fixture.call(Status()).isLocked
    }

    @Test func `a quarter of an hour after a manager program asked, and not before`() async throws {
        let clock = ManualClock()
        let fixture = try await makeFixture(clock)
        clock.advance(.seconds(899))
        #expect(try await isOpen(fixture))
        _ = try await fixture.call(ListItems(authorization: Self.quiet))
        clock.advance(.seconds(899))
        #expect(try await isOpen(fixture))
        clock.advance(.seconds(1))
        #expect(try await !isOpen(fixture))
        try await fixture.close()
    }

    @Test func `also while apps ask, and when a prompt answers without a person's consent`() async throws {
        let clock = ManualClock()
        let fixture = try await makeFixture(clock)
        let password = AppRequest(.password, domain: "example.com")
        var change = ItemChange()
        (change.title, change.username, change.password) = ("Example", "ada", "hunter2")
        change.addSites = ["https://example.com"]
        _ = try await fixture.call(AddItem(authorization: Self.quiet, change: change))
        for minute in 1..<15 {
            clock.advance(.seconds(60))
            #expect(try await isOpen(fixture), "minute \(minute)")
            _ = try await fixture.call(SuggestForApp(requests: [password]))
            _ = try? await fixture.call(SaveForApp(domain: "localhost", user: "", password: ""))
            await #expect(throws: AgentError(.denied, "")) {
                try await fixture.call(AuthorizeApp(requests: [password]))
            }
        }
        // After a few of them the app is refused without a prompt.
        #expect((4..<14).contains(fixture.person.asked.count))
        clock.advance(.seconds(60))
        #expect(try await !isOpen(fixture))
        try await fixture.close()
    }

    @Test func `later when the person agreed to something`() async throws {
        let clock = ManualClock()
        let fixture = try await makeFixture(clock)
        var change = ItemChange()
        (change.title, change.username, change.password) = ("Example", "ada", "hunter2")
        change.addSites = ["https://example.com"]
        _ = try await fixture.call(AddItem(authorization: Self.quiet, change: change))
        clock.advance(.seconds(600))
        fixture.person.will(.agreed)
        _ = try await fixture.call(AuthorizeApp(requests: [AppRequest(.password, domain: "example.com")]))
        clock.advance(.seconds(600))
        #expect(try await isOpen(fixture))
        try await fixture.close()
    }

    @Test func `while a display of codes refreshes itself`() async throws {
        let clock = ManualClock()
        let fixture = try await makeFixture(clock)
        var change = ItemChange()
        change.title = "Example"
        change.addCodes = ["otpauth://totp/x?secret=JBSWY3DPEHPK3PXP"]
        _ = try await fixture.call(AddItem(authorization: Self.quiet, change: change))
        var refresh = ShowCode(authorization: Self.quiet, item: "Example")
        refresh.isRefresh = true
        for seconds in [450, 449] {
            clock.advance(.seconds(seconds))
            _ = try await fixture.call(refresh)
        }
        clock.advance(.seconds(1))
        #expect(try await !isOpen(fixture))
        await #expect(throws: AgentError(.locked, "")) { try await fixture.call(refresh) }
        try await fixture.close()
    }

    @Test func `eight hours after it was opened, however much it is used`() async throws {
        let clock = ManualClock()
        let fixture = try await makeFixture(clock)
        for _ in 0..<47 {
            clock.advance(.seconds(600))
            #expect(try await isOpen(fixture))
            _ = try await fixture.call(ListItems(authorization: Self.quiet))
        }
        #expect(try await fixture.call(Status()).locksLatestIn == 600)
        clock.advance(.seconds(600))
        #expect(try await !isOpen(fixture))
        // Opened again, it has eight hours again.
        _ = try await fixture.call(Unlock(authorization: Authorization(passphrase: AgentFixture.passphrase)))
        #expect(try await isOpen(fixture))
        #expect(try await fixture.call(Status()).locksLatestIn == 8 * 3600)
        try await fixture.close()
    }

    @Test func `never, when both limits are 0`() {
        let clock = ManualClock()
        let lock = IdleLock(idle: 0, longest: 0, now: { clock.now })
        #expect(!lock.isDue(isOpen: true) && lock.secondsLeft == nil)
        clock.advance(.seconds(1_000_000))
        #expect(!lock.isDue(isOpen: true))
    }
}
