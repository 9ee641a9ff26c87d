import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText

/// The keys of ID tokens.
@Suite struct `Keys of ID tokens` {
    private func published(_ world: ServiceFixture) async throws -> Int {
        try await world.visitor().get("/oidc/jwks")["keys"]?.arrayValue?.count ?? 0
    }

    @Test func `change without a token that clients cannot verify`() async throws {
        try await withProvider { world, store in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            #expect(try await published(world) == 1)
            var used: Set<String> = []
            for step in 0..<40 {
                if step.isMultiple(of: 7) {
                    let now = world.effects.now
                    try await store.write { try await IDTokenKeys.rotate(atOnce: false, at: now, in: $0) }
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
            try await store.write { try await IDTokenKeys.rotate(atOnce: true, at: now, in: $0) }
            #expect(try await published(world) == 1)
            #expect(try await world.visitor().get("/oidc/jwks").text != before)
            #expect(try await wiki.authorize(ada, ["id_token_hint": hint]).status == .badRequest)
            _ = try await wiki.claims(wiki.enter(ada))
        }
    }

    @Test func `never leave a gap, however often they change`() async throws {
        try await withProvider { world, store in
            let (ada, wiki) = (try await world.person(), ClientFixture(world: world))
            for _ in 0..<20 {
                let now = world.effects.now
                try await store.write { try await IDTokenKeys.rotate(atOnce: false, at: now, in: $0) }
                world.effects.advance(by: 600)
                _ = try await wiki.claims(wiki.enter(ada))
            }
        }
    }

    @Test func `show nobody their secret`() {
        let key = IDTokenKeys.make(activeFrom: 0)
        #expect(!"\(key)\(String(reflecting: key))".contains("private"))
    }
}
