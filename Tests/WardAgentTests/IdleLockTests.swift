import Testing

@testable import WardAgent
import WardAgentClient

@Suite(.timeLimit(.minutes(15))) struct `The vault locks by itself` {
    private static let quiet = Authorization(mayPrompt: false)

    /// An office whose agent goes by a clock of the test's; its own watch looks at that clock every second, as tests do at once.
    private func office(_ clock: HandClock, isManager: @escaping @Sendable () -> Bool = { true }) async throws -> Office
    {
        let office = try await Office { policy in
            policy.identify = { _ in AppSample.registered() }
            policy.isManager = { _ in isManager() }
            policy.appsNamed = { _ throws(AgentError) in ["com.example.shiny"] }
        } configure: { configuration in
            configuration.clock = { clock.now }
            configuration.openLimit = 8 * 3600
        }
        try await office.create()
        await office.agent.lockIfDue()
        return office
    }

    private func isOpen(_ office: Office) async throws -> Bool {
        await office.agent.lockIfDue()
        return try await !office.call(Status()).isLocked
    }

    @Test func `a quarter of an hour after a manager program asked, and not before`() async throws {
        let clock = HandClock()
        let office = try await office(clock)
        clock.advance(.seconds(899))
        #expect(try await isOpen(office))
        _ = try await office.call(ListItems(authorization: Self.quiet))
        clock.advance(.seconds(899))
        #expect(try await isOpen(office))
        clock.advance(.seconds(1))
        #expect(try await !isOpen(office))
        try await office.close()
    }

    @Test func `whatever an app asks meanwhile, and whatever a prompt says that nobody agreed to`() async throws {
        let clock = HandClock()
        let office = try await office(clock)
        let password = AppRequest(.password, domain: "example.com")
        var change = ItemChange()
        (change.title, change.username, change.password) = ("Example", "ada", "hunter2")
        change.addSites = ["https://example.com"]
        _ = try await office.call(AddItem(authorization: Self.quiet, change: change))
        for minute in 1..<15 {
            clock.advance(.seconds(60))
            #expect(try await isOpen(office), "minute \(minute)")
            _ = try await office.call(SuggestForApp(requests: [password]))
            _ = try? await office.call(SaveForApp(domain: "localhost", user: "", password: ""))
            await #expect(throws: AgentError(.denied, "")) {
                try await office.call(AuthorizeApp(requests: [password]))
            }
        }
        // After a few of them the app is refused without a prompt.
        #expect((4..<14).contains(office.person.asked.count))
        clock.advance(.seconds(60))
        #expect(try await !isOpen(office))
        try await office.close()
    }

    @Test func `later when the person agreed to something`() async throws {
        let clock = HandClock()
        let office = try await office(clock)
        var change = ItemChange()
        (change.title, change.username, change.password) = ("Example", "ada", "hunter2")
        change.addSites = ["https://example.com"]
        _ = try await office.call(AddItem(authorization: Self.quiet, change: change))
        clock.advance(.seconds(600))
        office.person.will(.agreed)
        _ = try await office.call(AuthorizeApp(requests: [AppRequest(.password, domain: "example.com")]))
        clock.advance(.seconds(600))
        #expect(try await isOpen(office))
        try await office.close()
    }

    @Test func `while a display of codes refreshes itself`() async throws {
        let clock = HandClock()
        let office = try await office(clock)
        var change = ItemChange()
        change.title = "Example"
        change.addCodes = ["otpauth://totp/x?secret=JBSWY3DPEHPK3PXP"]
        _ = try await office.call(AddItem(authorization: Self.quiet, change: change))
        var refresh = ShowCode(authorization: Self.quiet, item: "Example")
        refresh.isRefresh = true
        for seconds in [450, 449] {
            clock.advance(.seconds(seconds))
            _ = try await office.call(refresh)
        }
        clock.advance(.seconds(1))
        #expect(try await !isOpen(office))
        await #expect(throws: AgentError(.locked, "")) { try await office.call(refresh) }
        try await office.close()
    }

    @Test func `eight hours after it was opened, however much it is used`() async throws {
        let clock = HandClock()
        let office = try await office(clock)
        for _ in 0..<47 {
            clock.advance(.seconds(600))
            #expect(try await isOpen(office))
            _ = try await office.call(ListItems(authorization: Self.quiet))
        }
        #expect(try await office.call(Status()).locksLatestIn == 600)
        clock.advance(.seconds(600))
        #expect(try await !isOpen(office))
        // Opened again, it has eight hours again.
        _ = try await office.call(Unlock(authorization: Authorization(passphrase: Office.passphrase)))
        #expect(try await isOpen(office))
        #expect(try await office.call(Status()).locksLatestIn == 8 * 3600)
        try await office.close()
    }

    @Test func `never, when both limits are 0`() {
        let clock = HandClock()
        let lock = IdleLock(idle: 0, longest: 0, now: { clock.now })
        #expect(!lock.isDue(isOpen: true) && lock.secondsLeft == nil)
        clock.advance(.seconds(1_000_000))
        #expect(!lock.isDue(isOpen: true))
    }
}
