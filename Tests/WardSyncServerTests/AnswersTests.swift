import HTTPTypes
import Hummingbird
import Testing
import WardLog
import WardSyncServer
import WardTesting

/// A client can ask for much and read nothing of it, and each answer has a page in memory meanwhile.
@Suite struct `Answers that clients are reading` {
    /// A server with a vault whose entries do not fit in a short answer, and a session.
    private static func begin(_ server: SyncFixture, as account: String? = nil) async throws -> (VaultID, String) {
        let vault = try TestVault()
        for _ in 0..<9 { try vault[0].edit() }
        try await server.bring(vault[0].log, by: try await server.invite(as: account))
        return (vault.id, try await server.open(vault[0], in: vault.id))
    }

    /// Answers that nobody reads.
    private static func hold(
        _ count: Int,
        _ path: String,
        by token: String,
        of server: SyncFixture
    ) async throws -> [Response] {
        var held: [Response] = []
        for _ in 0..<count {
            let response = try await server.respond(.get, path, [.authorization: "Bearer \(token)"])
            #expect(response.status == .ok)
            held.append(response)
        }
        return held
    }

    @Test(arguments: ["/entries", "/entries?limit=1", "/heads"])
    func `are limited for each device`(rest: String) async throws {
        let server = SyncFixture()
        let vault = try TestVault()
        for index in 1...2 { try vault[0].edit(UInt8(index), 1, count: 20_000) }
        try await server.bring(vault[0].log)
        let token = try await server.open(vault[0], in: vault.id)
        // The only entry of the answer is a long one.
        let path = SyncFixture.path(vault.id, rest == "/entries?limit=1" ? rest + "&after=1" : rest)
        var held = try await Self.hold(SyncLimits.answersOfDevice, path, by: token, of: server)
        let refused = try await server.get(vault.id, "/heads", by: token)
        #expect(refused.code == "too_many_requests" && refused.fields[.retryAfter] == "2")
        #expect(try await server.get(vault.id, "/evidence", by: token).code == "too_many_requests")
        // A short answer is written at once.
        #expect(try await server.get(vault.id, "/entries?limit=1", by: token).status == .ok)
        let reader = Collector()
        try await held[0].body.write(reader)
        #expect(reader.isOver && server.server.answers == SyncLimits.answersOfDevice - 1)
        #expect(try await server.get(vault.id, "/heads", by: token).status == .ok)
        // The connections of the others end.
        held = []
        #expect(server.server.answers == 0)
    }

    @Test func `of one account leave room to others`() async throws {
        var limits = SyncLimits.standard
        #expect(limits.answerShare * 4 == limits.answerRoom)
        // The share is what one answer with evidence takes.
        limits.answerRoom = 2 * SyncLimits.evidenceBytes
        let server = SyncFixture(limits: limits)
        let (first, token) = try await Self.begin(server, as: "ada")
        let (second, other) = try await Self.begin(server, as: "ada")
        let (third, stranger) = try await Self.begin(server)
        let held = try await Self.hold(1, SyncFixture.path(first, "/evidence"), by: token, of: server)
        #expect(try await server.get(second, "/entries", by: other).code == "too_many_requests")
        let answer = try await server.get(third, "/entries", by: stranger)
        #expect(answer.status == .ok && answer.entries.count == 10)
        for response in held { try await response.body.write(Collector()) }
        #expect(try await server.get(second, "/entries", by: other).entries.count == 10)
    }

    @Test func `of the whole server have room`() async throws {
        var limits = SyncLimits.standard
        limits.answerRoom = SyncLimits.answerBytes
        let server = SyncFixture(limits: limits)
        let (first, token) = try await Self.begin(server)
        let (second, other) = try await Self.begin(server)
        let held = try await Self.hold(1, SyncFixture.path(first, "/entries"), by: token, of: server)
        let refused = try await server.get(second, "/entries", by: other)
        #expect(refused.code == "busy" && refused.fields[.retryAfter] == "2")
        for response in held { try await response.body.write(Collector()) }
        #expect(try await server.get(second, "/entries", by: other).status == .ok)
    }

    /// A client that reads too slowly is cut off.
    @Test func `leave their place when the connection ends in the middle`() async throws {
        struct Gone: Error {}
        let server = SyncFixture()
        let (vault, token) = try await Self.begin(server)
        let held = try await Self.hold(1, SyncFixture.path(vault, "/entries"), by: token, of: server)
        await #expect(throws: Gone.self) { try await held[0].body.write(Collector { _ in throw Gone() }) }
        #expect(server.server.answers == 0 && held.count == 1)
    }

    /// Whether an answer is a long one shows when its first entries are read.
    @Test func `with long news read them once`() async throws {
        let store = SlowStore(MemorySyncStore())
        let server = SyncFixture(store)
        let vault = try TestVault()
        let edits = try (1...3).map { try vault[0].edit(UInt8($0), 1, count: 20_000) }
        let token = try await server.begin(vault)
        let before = store.readings
        let last = try await server.get(vault.id, "/entries?after=3", by: token)
        #expect(last.entries.map(\.blob) == [edits[2].blob] && store.readings == before + 1)
        let all = try await server.get(vault.id, "/entries?after=1", by: token)
        #expect(all.entries.map(\.number) == [2, 3, 4] && all.entries.map(\.blob) == edits.map(\.blob))
    }

    /// Heads can be thousands, and each can be as long as an entry can be.
    @Test func `with heads are written in parts`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 17)
        let token = try await server.begin(vault)
        let answer = try await server.get(vault.id, "/heads", by: token)
        #expect(answer.entries.map(\.number) == Array(1...17) && answer.parts.count == 2)
    }
}
