import HTTPTypes
import Hummingbird
import Testing
import WardLog
import WardSyncRecords
import WardText

@Suite struct `Reading entries` {
    @Test func `goes on after a number, in pages`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        for _ in 0..<9 { try vault[0].edit() }
        let token = try await server.begin(vault)
        let order = Hex.encode(try #require(try await server.store.vault(vault.id)).order)
        var (found, after): ([SignedEntry], Int64) = ([], 0)
        while true {
            let answer = try await server.get(vault.id, "/entries?after=\(after)&limit=4", by: token)
            #expect(answer.tag == "\"10\"" && answer.fields[.contentType] == "application/cbor-seq")
            #expect(HTTPField.Name("Ward-Order").flatMap { answer.fields[$0] } == order)
            guard let last = answer.entries.last else { break }
            #expect(answer.entries.map(\.number) == Array(after + 1...min(after + 4, 10)))
            found += answer.entries.map(\.entry)
            after = last.number
        }
        #expect(found.map(\.hash) == vault[0].log.map(\.entry.hash))
    }

    @Test func `of one device goes on after its number`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        for index in 0..<5 {
            try vault[index % 2].edit()
            try vault.meet()
        }
        let token = try await server.begin(vault)
        let device = Hex.encode(vault[1].id.bytes)
        let own = vault[0].log.filter { $0.entry.entry.device == vault[1].id }
        let all = try await server.get(vault.id, "/entries?device=\(device)", by: token)
        #expect(all.entries.map(\.entry.hash) == own.map(\.entry.hash))
        let rest = try await server.get(vault.id, "/entries?device=\(device)&from=2", by: token)
        #expect(rest.entries.map(\.entry.hash) == own.dropFirst().map(\.entry.hash))
        let first = try #require(rest.entries.first)
        let one = try await server.get(vault.id, "/entries?device=\(device)&from=2&limit=1", by: token)
        #expect(one.entries.map(\.number) == [first.number])
        let next = try await server.get(vault.id, "/entries?device=\(device)&from=2&after=\(first.number)", by: token)
        #expect(next.entries.map(\.entry.hash) == own.dropFirst(2).map(\.entry.hash))
        let none = try await server.get(vault.id, "/entries?device=\(String(repeating: "0", count: 32))", by: token)
        #expect(none.status == .ok && none.entries.isEmpty)
    }

    /// Who reads slowly may be removed meanwhile, and would get what arrives after that.
    @Test func `of one device ends at the last entry that was there when the answer began`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        for index in 1...3 { try vault[0].edit(UInt8(index), 1, count: 900_000) }
        let token = try await server.begin(vault)
        let (id, later) = (vault.id, try vault[0].edit())
        let path = SyncFixture.path(id, "/entries?device=\(Hex.encode(vault[0].id.bytes))&limit=10000")
        let response = try await server.respond(.get, path, [.authorization: "Bearer \(token)"])
        let reader = Collector { _ in
            let answer = try? await server.upload([later], to: id, by: token)
            #expect(answer?.status == .ok)
        }
        try await response.body.write(reader)
        let answer = Answer(
            status: response.status,
            fields: response.headers,
            body: reader.bytes,
            parts: reader.parts
        )
        #expect(answer.parts.count > 1 && answer.entries.map(\.number) == [1, 2, 3, 4])
        #expect(try await server.head(id) == 5)
    }

    @Test func `has the last entries of all chains`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        try vault[0].edit()
        let token = try await server.begin(vault)
        let answer = try await server.get(vault.id, "/heads", by: token)
        let expected = [vault[0], vault[1]].compactMap { device in
            vault[0].log.last { $0.entry.entry.device == device.id }?.entry.hash
        }
        #expect(Set(answer.entries.map(\.entry.hash)) == Set(expected))
        #expect(answer.entries.allSatisfy { $0.blob == nil } && answer.tag == "\"3\"")
    }

    /// A server that was restored from a backup.
    @Test func `after a number that the server does not have says so`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let answer = try await server.get(vault.id, "/entries?after=2", by: token)
        #expect(answer.status == .conflict && answer.code == "number_ahead" && answer.problem?["head"] == 1)
        #expect(try await server.get(vault.id, "/entries?after=1", by: token).status == .ok)
        #expect(try await server.get(vault.id, "/entries?after=\(Int64.max)", by: token).code == "number_ahead")
    }

    /// What is written at once is bounded, however long the answer.
    @Test func `writes a long answer in parts`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        for index in 0..<6 {
            let edits = try (0..<6).map { try vault[0].edit(UInt8(index * 6 + $0 + 1), 1, count: 900_000) }
            #expect(try await server.upload(edits, to: vault.id, by: token).status == .ok)
        }
        let answer = try await server.get(vault.id, "/entries?limit=10000", by: token)
        #expect(answer.entries.count == 37 && answer.parts.count >= 18)
        #expect(answer.parts.max() ?? 0 <= 1024 * 1024 + 1_000)
    }

    @Test(arguments: [
        "/entries?after=-1", "/entries?after=+1", "/entries?after=01", "/entries?after=1.0", "/entries?after=",
        "/entries?after", "/entries?after=1&after=1", "/entries?limit=0", "/entries?limit=10001",
        "/entries?wait=26", "/entries?wait=25s", "/entries?after=9223372036854775808", "/entries?after=%31",
        "/entries?device=00", "/entries?device=zz", "/entries?from=1", "/entries?other=1", "/entries?after=0&",
        "/entries?=1", "/entries?after=٣", "/heads?after=1", "/events?x=1", "/evidence?limit=1",
        "/entries?device=00000000000000000000000000000000&from=0",
        "/entries?device=00000000000000000000000000000000&wait=1", "/entries?after=1;limit=2",
    ])
    func `refuses parameters in other forms`(path: String) async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let answer = try await server.get(vault.id, path, by: token)
        #expect(answer.status == .badRequest && answer.code == "parameter_not_valid")
    }

    @Test(arguments: [
        ("/sync/v1/vaults/\(String(repeating: "A", count: 64))/heads", "not_found"),
        ("/sync/v1/vaults/\(String(repeating: "a", count: 63))/heads", "not_found"),
        ("/sync/v1/vaults/\(String(repeating: "a", count: 66))/heads", "not_found"),
        ("/sync/v1/vaults/\(String(repeating: "g", count: 64))/heads", "not_found"),
        ("/sync/v1/vaults/../../etc/passwd", "not_found"), ("/sync/v1", "not_found"), ("/", "not_found"),
        ("/sync/v1/vaults/\(String(repeating: "a", count: 64))/heads", "session_required"),
        ("/sync/v1/vaults/\(String(repeating: "a", count: 64))/session", "method_not_allowed"),
    ])
    func `has no other addresses`(path: String, code: String) async throws {
        let server = SyncFixture()
        let answer = try await server.send(.get, path)
        #expect(answer.code == code)
        if code == "method_not_allowed" { #expect(answer.fields[.allow] == "DELETE, POST") }
    }

    @Test func `answers are for nobody's cache`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        for path in ["/heads", "/entries", "/entries?after=99"] {
            #expect(try await server.get(vault.id, path, by: token).fields[.cacheControl] == "no-store")
        }
    }
}
