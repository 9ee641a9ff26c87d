import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

/// The keys of ID tokens.
@Suite struct `Keys of ID tokens` {
    private func published(_ world: ServiceFixture) async throws -> Int {
        let keys = try await world.visitor().get("/oidc/jwks")["keys"]?.arrayValue ?? []
        let counts = ["ES256", "RS256"].map { name in keys.count { $0["alg"] == .string(name) } }
        #expect(counts[0] == counts[1], "both change together")
        return counts[0]
    }

    @Test func `change without a token that clients cannot verify`() async throws {
        try await withProvider { world, store in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            #expect(try await published(world) == 1)
            var used: Set<String> = []
            for step in 0..<40 {
                if step.isMultiple(of: 7) {
                    let now = world.effects.now
                    let fresh = try KeyFixture.fresh(step)
                    try await store.write { try await IDTokenKeys.rotate(to: fresh, atOnce: false, at: now, in: $0) }
                }
                let cached = try await world.visitor().get("/oidc/jwks").text
                world.effects.advance(by: 899)
                let answer = try await wiki.enter(ada)
                _ = try await wiki.claims(answer)
                let kid = try #require(try wiki.header(answer)["kid"]?.stringValue)
                #expect(cached.contains(kid), "a client that read the key set 15 minutes ago knows it")
                used.insert(kid)
                world.effects.advance(by: 599)
                _ = try await wiki.claims(answer)
                #expect(try await published(world) <= 3)
            }
            #expect(used.count == 7)
            world.effects.advance(by: 86_400)
            #expect(try await published(world) == 1)
        }
    }

    @Test func `end at once if somebody else may have them`() async throws {
        try await withProvider { world, store in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let hint = try await wiki.enter(ada).text("id_token")
            let (now, before) = (world.effects.now, try await world.visitor().get("/oidc/jwks").text)
            let fresh = try KeyFixture.fresh()
            try await store.write { try await IDTokenKeys.rotate(to: fresh, atOnce: true, at: now, in: $0) }
            #expect(try await published(world) == 1)
            #expect(try await world.visitor().get("/oidc/jwks").text != before)
            #expect(try await wiki.authorize(ada, ["id_token_hint": hint]).status == .badRequest)
            _ = try await wiki.claims(wiki.enter(ada))
        }
    }

    @Test func `never leave a gap, however often they change`() async throws {
        try await withProvider { world, store in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            for number in 0..<20 {
                let (now, fresh) = (world.effects.now, try KeyFixture.fresh(number))
                try await store.write { try await IDTokenKeys.rotate(to: fresh, atOnce: false, at: now, in: $0) }
                world.effects.advance(by: 600)
                _ = try await wiki.claims(wiki.enter(ada))
            }
        }
    }

    @Test func `show nobody their secret`() {
        for key in KeyFixture.keys { #expect(!"\(key)\(String(reflecting: key))".contains("private")) }
    }

    @Test func `sign with RSA for a client that wants it, and its tokens are accepted back`() async throws {
        try await withProvider { world, store in
            try await store.write { tx in
                var client = try #require(try tx.oauthClient(id: "wiki"))
                client.idTokenAlgorithm = .rs256
                try tx.update(client)
            }
            let ada = try await world.person()
            let wiki = ClientFixture(world: world, algorithm: "RS256")
            let answer = try await wiki.enter(ada, ["scope": "openid offline_access"])
            let claims = try await wiki.claims(answer)
            #expect(claims["aud"] == "wiki")
            let renewed = try await wiki.refresh(answer.text("refresh_token"))
            #expect(try await wiki.claims(renewed)["sub"] == claims["sub"])
            let hint = answer.text("id_token")
            _ = try wiki.sentBack(await wiki.authorize(ada, ["id_token_hint": hint, "prompt": "none"]))
            let found = try await world.visitor().get("/.well-known/openid-configuration")
            #expect(found["id_token_signing_alg_values_supported"] == ["ES256", "RS256"])
        }
    }

    @Test func `change by themselves after their interval, and leave the store when they are over`() async throws {
        try await withProvider { world, store in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            let interval: Int64 = 86_400
            func keys() async throws -> [IDTokenKey] { try await store.read { try $0.idTokenKeys() } }
            func keep() async throws {
                try await IDTokenKeys.keepNew(store, every: interval, at: world.effects.now)
            }
            let start = try await wiki.enter(ada)
            let first = try wiki.header(start)["kid"]
            let began = world.effects.now
            try await store.write { tx in
                for var key in try tx.idTokenKeys() {
                    key.activeFrom = began
                    try tx.setIDTokenKey(key)
                }
            }
            world.effects.advance(by: interval - 1)
            try await keep()
            #expect(try await keys().count == 2)
            world.effects.advance(by: 1)
            for _ in 0..<3 { try await keep() }
            #expect(try await keys().count == 4, "one new key for each algorithm, however often it is asked")
            let events = try await store.read { try $0.auditEntries(after: 0, limit: 500) }.map(\.event)
            let actors = events.filter { $0.kind == .keyRotated }.map(\.actor)
            #expect(actors == [.operator, .service], "the first keys came with a client, the next ones by themselves")
            #expect(try await wiki.header(wiki.enter(ada))["kid"] == first, "it is published before it signs")
            world.effects.advance(by: 900)
            let later = try await wiki.enter(ada)
            #expect(try wiki.header(later)["kid"] != first)
            _ = try await wiki.claims(later)
            world.effects.advance(by: 4_199)
            try await keep()
            #expect(try await keys().count == 4, "the old key stays until its last token has expired")
            world.effects.advance(by: 1)
            try await keep()
            #expect(try await keys().count == 2)
        }
    }

    @Test func `of an algorithm that an older version did not know are made at the start`() async throws {
        try await withProvider { world, store in
            try await store.write { tx in
                for key in try tx.idTokenKeys() where key.algorithm == .rs256 { try tx.deleteIDTokenKey(id: key.id) }
            }
            try await IDTokenKeys.keepNew(store, every: 3_650 * 86_400, at: world.effects.now)
            #expect(try await published(world) == 1)
            let last = try await store.read { try $0.auditEntries(after: 0, limit: 500) }.last?.event
            #expect(last?.kind == .keyRotated && last?.actor == .service)
        }
        let empty = MemoryAccountStore()
        try await IDTokenKeys.keepNew(empty, every: 86_400, at: 1_000_000)
        #expect(try await empty.read { try $0.idTokenKeys() }.isEmpty, "without clients there is no provider")
    }
}
