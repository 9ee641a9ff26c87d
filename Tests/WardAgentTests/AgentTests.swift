import Foundation
import Testing

@testable import WardAgent
import WardAgentClient
import WardTesting
import WardWebAuthn

@Suite(.agents, .timeLimit(.minutes(15))) struct `The agent` {
    private let quiet = Authorization(mayPrompt: false)

    @Test func `prompts come one at a time, also for different callers`() async throws {
        let fixture = try await AgentFixture()
        try await fixture.create()
        _ = try await fixture.call(Lock())
        for _ in 0..<8 { fixture.person.will(.secret(Array("wrong".utf8)), .declined) }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    _ = try? await fixture.call(ListItems(authorization: Authorization()))
                }
            }
        }
        #expect(fixture.person.mostAtOnce == 1)
        try await fixture.close()
    }

    @Test func `a caller that waits behind a prompt that opened the vault is not asked again`() async throws {
        let fixture = try await AgentFixture()
        try await fixture.create()
        _ = try await fixture.call(Lock())
        fixture.person.will(.secret(Array(AgentFixture.passphrase.utf8)))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask { _ = try await fixture.call(ListItems(authorization: Authorization())) }
            }
            try await group.waitForAll()
        }
        #expect(fixture.person.asked.count == 1)
        try await fixture.close()
    }

    @Test func `a prompt says who wants what`() async throws {
        let fixture = try await AgentFixture()
        try await fixture.create()
        _ = try await fixture.call(Lock())
        await #expect(throws: AgentError(.denied, "")) {
            try await fixture.call(GetItem(authorization: Authorization(), item: "x"))
        }
        let text = try #require(fixture.person.asked.first?.text)
        #expect(text.contains("read one of your items") && text.contains("(\(getpid()))"))
        try await fixture.close()
    }

    @Test func `without a question a locked vault is an error at once`() async throws {
        let fixture = try await AgentFixture()
        try await fixture.create()
        _ = try await fixture.call(Lock())
        await #expect(throws: AgentError(.locked, "")) { try await fixture.call(ListItems(authorization: quiet)) }
        #expect(fixture.person.asked.isEmpty)
        try await fixture.close()
    }

    @Test func `it locks when nothing is asked, and not while something is`() async throws {
        let fixture = try await AgentFixture(idleLock: 1)
        try await fixture.create()
        fixture.person.will(.secret(Array(AgentFixture.passphrase.utf8)), .secret(Array(AgentFixture.passphrase.utf8)))
        fixture.person.takes(.seconds(3))
        // Needs the open vault before and after the person took their time.
        _ = try await fixture.call(ReplaceRecoveryKey(authorization: Authorization()))
        while try await !fixture.call(Status()).isLocked { try await Task.sleep(for: .milliseconds(100)) }
        try await fixture.close()
    }

    @Test
    func `a burst of passphrases from programs has three tries, and the person at the prompt waits for none of them`()
        async throws
    {
        let fixture = try await AgentFixture { _ in
        } configure: { configuration in
            configuration.effects = Effects(now: { 1_800_000_000 }, randomBytes: Effects.live.randomBytes)
        }
        try await fixture.create()
        _ = try await fixture.call(Lock())
        let codes = await withTaskGroup(of: String.self) { group in
            for number in 0..<12 {
                group.addTask {
                    do {
                        let authorization = Authorization(passphrase: "wrong \(number)", mayPrompt: false)
                        _ = try await fixture.call(Unlock(authorization: authorization))
                        return "open"
                    } catch {
                        return AgentError(reporting: error).code.rawValue
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(codes == ["wrong_passphrase": 3, "too_many_attempts": 9])
        await #expect(throws: AgentError(.tooManyAttempts, "")) {
            try await fixture.call(Unlock(authorization: Authorization(passphrase: AgentFixture.passphrase)))
        }
        fixture.person.will(.secret(Array(AgentFixture.passphrase.utf8)))
        _ = try await fixture.call(Unlock(authorization: Authorization()))
        #expect(try await !fixture.call(Status()).isLocked)
        try await fixture.close()
    }

    @Test func `the trash of thirty days goes by itself, and not on a clock that leapt`() async throws {
        let clock = TestEffects(now: 1_800_000_000, seed: "trash")
        let fixture = try await AgentFixture(configure: { $0.effects = clock.effects })
        try await fixture.create()
        for title in ["old", "used"] {
            var change = ItemChange()
            change.title = title
            _ = try await fixture.call(AddItem(authorization: quiet, change: change))
        }
        _ = try await fixture.call(RemoveItem(authorization: quiet, item: "old"))
        let unlock = Unlock(authorization: Authorization(passphrase: AgentFixture.passphrase, mayPrompt: false))
        // A leap is looked at by the agent like any other time; nothing goes before it is back.
        clock.advance(by: 400 * 86_400)
        _ = try await fixture.call(Lock())
        while await fixture.agent.session.trashCheckedAt != nil { try await Task.sleep(for: .milliseconds(100)) }
        _ = try await fixture.call(unlock)
        while await fixture.agent.session.trashCheckedAt == nil { try await Task.sleep(for: .milliseconds(100)) }
        #expect(try await fixture.call(Status()).trashed == 1)
        clock.advance(by: -400 * 86_400)
        for day in 1...32 {
            clock.advance(by: 86_400)
            var change = ItemChange()
            change.notes = "day \(day)"
            _ = try await fixture.call(EditItem(authorization: quiet, item: "used", change: change))
        }
        #expect(try await fixture.call(Status()).trashed == 1)
        _ = try await fixture.call(Lock())
        // Seen locked, the agent looks again after the next unlocking.
        while await fixture.agent.session.trashCheckedAt != nil { try await Task.sleep(for: .milliseconds(100)) }
        _ = try await fixture.call(unlock)
        while try await fixture.call(Status()).trashed != 0 { try await Task.sleep(for: .milliseconds(100)) }
        try await fixture.close()
    }

    @Test func `an item is found by name, beginning, title and words, and what fits twice is said`() async throws {
        let fixture = try await AgentFixture()
        try await fixture.create()
        var ids: [String] = []
        for (title, user) in [("Example", "ada"), ("Example mail", "bob"), ("Bank", "ada@example.com")] {
            var change = ItemChange()
            change.title = title
            change.username = user
            ids.append(try await fixture.call(AddItem(authorization: quiet, change: change)).id)
        }
        func found(_ text: String) async throws -> String {
            try await fixture.call(GetItem(authorization: quiet, item: text)).title
        }
        #expect(try await found(ids[1]) == "Example mail")
        #expect(try await found(String(ids[2].prefix(8))) == "Bank")
        #expect(try await found("example") == "Example")
        #expect(try await found("mail bob") == "Example mail")
        #expect(try await found("BANK") == "Bank")
        await #expect(throws: AgentError(.ambiguous, "")) { try await found("exa") }
        await #expect(throws: AgentError(.itemMissing, "")) { try await found("nothing") }
        await #expect(throws: AgentError(.invalidValue, "")) { try await found("  ") }
        try await fixture.close()
    }

    @Test(arguments: [
        "{\"title\":\"\"}", "{\"title\":\"x\",\"match\":\"sideways\",\"addSites\":[\"https://a.example\"]}",
        "{\"title\":\"x\",\"addCodes\":[\"otpauth://totp/x?secret=!\"]}", "{\"title\":\"x\",\"removeCodes\":[-1]}",
        "{\"title\":\"x\",\"removeSites\":[\"https://b.example\"]}",
    ])
    func `a change that cannot be is refused and changes nothing`(json: String) async throws {
        let fixture = try await AgentFixture()
        try await fixture.create()
        var object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        for name in ["addSites", "removeSites", "addTags", "removeTags", "addCodes", "removeCodes", "fields"]
        where object[name] == nil {
            object[name] = [Any]()
        }
        let change = try JSONDecoder().decode(ItemChange.self, from: JSONSerialization.data(withJSONObject: object))
        await #expect(throws: AgentError.self) { try await fixture.call(AddItem(authorization: quiet, change: change)) }
        #expect(try await fixture.call(ListItems(authorization: quiet)).items.isEmpty)
        try await fixture.close()
    }

    @Test func `secrets leave only when asked for`() async throws {
        let fixture = try await AgentFixture()
        try await fixture.create()
        var change = ItemChange()
        change.title = "Example"
        change.password = "hunter2"
        change.notes = "a note"
        change.addCodes = ["otpauth://totp/x?secret=JBSWY3DPEHPK3PXP"]
        change.fields = [.init(label: "PIN", value: "1234", isConcealed: true), .init(label: "Room", value: "101")]
        _ = try await fixture.call(AddItem(authorization: quiet, change: change))
        let hidden = try await fixture.call(GetItem(authorization: quiet, item: "Example"))
        #expect(hidden.password?.value == nil && hidden.notes == nil && hidden.codes.first?.link == nil)
        #expect(hidden.sections.flatMap(\.fields).map(\.value) == [nil, "101"])
        let shown = try await fixture.call(GetItem(authorization: quiet, item: "Example", reveal: true))
        #expect(shown.password?.value == "hunter2" && shown.notes == "a note" && shown.codes.first?.link != nil)
        #expect(shown.sections.flatMap(\.fields).map(\.value) == ["1234", "101"])
        try await fixture.close()
    }
}
