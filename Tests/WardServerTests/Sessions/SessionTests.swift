import HTTPTypes
import HummingbirdTesting
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

@Suite struct `Sessions` {
    @Test func `a sign-in replaces the session this browser had`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let before = ada.cookie
            try await ada.signIn()
            #expect(ada.cookie != before)
            let thief = world.visitor()
            thief.cookie = before
            #expect(try await thief.get("account").refusal == "401 not_signed_in")
            #expect(try await ada.otherSessions().isEmpty)
        }
    }

    @Test func `a token that somebody planted before is not the one after the sign-in`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            ada.cookie = "ward=\(Base64URL.encode([UInt8](repeating: 7, count: 32)))"
            let planted = ada.cookie
            #expect(try await ada.signIn().status == .ok)
            #expect(ada.cookie != planted)
        }
    }

    @Test func `the store has the token's hash and never the token`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let token = try #require(SessionToken(text: String(ada.cookie?.dropFirst("ward=".count) ?? "")))
            let session = try await store.read { try $0.session(tokenHash: token.hash) }
            #expect(session?.userAgent == "Visitor/1.0")
            #expect(session?.tokenHash != Base64URL.decode(token.text))
        }
    }

    @Test func `tokens have 256 bits and never repeat`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            var tokens: Set<String> = []
            for _ in 0..<20 {
                try await ada.signIn()
                tokens.insert(ada.cookie ?? "")
            }
            #expect(tokens.count == 20)
            #expect(tokens.allSatisfy { Base64URL.decode(String($0.dropFirst(5)))?.count == 32 })
        }
    }

    @Test func `a session nobody uses ends, and use keeps it`() async throws {
        var configuration = ServerConfiguration()
        configuration.sessionIdle = .seconds(600)
        configuration.sessionAbsolute = .seconds(86_400)
        try await withService(configuration) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            for _ in 0..<10 {
                world.effects.advance(by: 599)
                #expect(try await ada.isSignedIn())
            }
            world.effects.advance(by: 600)
            #expect(try await ada.get("account").refusal == "401 not_signed_in")
        }
    }

    @Test func `a session ends after its longest time, however much it is used`() async throws {
        var configuration = ServerConfiguration()
        configuration.sessionIdle = .seconds(3_600)
        configuration.sessionAbsolute = .seconds(7_200)
        try await withService(configuration) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            for _ in 0..<7 {
                world.effects.advance(by: 1_000)
                #expect(try await ada.isSignedIn())
            }
            world.effects.advance(by: 200)
            #expect(try await !ada.isSignedIn())
        }
    }

    @Test func `the last use is written down at most once a minute`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let token = try #require(SessionToken(text: String(ada.cookie?.dropFirst("ward=".count) ?? "")))
            let began = world.effects.now
            func lastSeen() async throws -> Int64? {
                try await store.read { try $0.session(tokenHash: token.hash)?.lastSeenAt }
            }
            world.effects.advance(by: 59)
            #expect(try await ada.isSignedIn())
            #expect(try await lastSeen() == began)
            world.effects.advance(by: 1)
            #expect(try await ada.isSignedIn())
            #expect(try await lastSeen() == began + 60)
        }
    }

    @Test func `sessions are listed with what their browsers call themselves, within bounds`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let other = ada.elsewhere()
            other.userAgent = String(repeating: "Long/1.0 ", count: 100)
            try await other.signIn()
            let sessions = try await ada.get("account/sessions")["sessions"]?.arrayValue ?? []
            #expect(sessions.count == 2)
            #expect(
                sessions.map { $0["current"] } == [true, false] || sessions.map { $0["current"] } == [false, true]
            )
            let agents = sessions.compactMap { $0["userAgent"]?.stringValue?.unicodeScalars.count }
            #expect(agents.max() == 256)
        }
    }

    @Test func `a session is ended from elsewhere`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let other = ada.elsewhere()
            try await other.signIn()
            let ids = try await ada.otherSessions()
            #expect(ids.count == 1)
            #expect(try await ada.delete("account/sessions/\(ids[0])").status == .noContent)
            #expect(try await !other.isSignedIn())
            #expect(try await ada.isSignedIn())
        }
    }

    @Test func `all other sessions are ended with one call, and nobody else's`() async throws {
        try await withService { world in
            let (ada, eve) = (world.visitor(), world.visitor())
            try await ada.register("ada")
            try await eve.register("eve")
            let others = [ada.elsewhere(), ada.elsewhere()]
            for other in others { try await other.signIn() }
            let answer = try await ada.delete("account/sessions")
            #expect(answer.status == .ok && answer["ended"] == 2)
            for other in others { #expect(try await !other.isSignedIn()) }
            #expect(try await ada.isSignedIn())
            #expect(try await eve.isSignedIn())
            #expect(try await ada.delete("account/sessions")["ended"] == 0)
            #expect(try await world.visitor().delete("account/sessions").refusal == "401 not_signed_in")
        }
    }

    @Test func `all other sessions are ended only after a recent proof`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let other = ada.elsewhere()
            try await other.signIn()
            world.effects.advance(by: 301)
            let answer = try await ada.delete("account/sessions")
            #expect(answer.status == .forbidden)
            #expect(try await other.isSignedIn())
        }
    }

    @Test func `ending the own session clears the cookie`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let id = try await ada.get("account/sessions")["sessions"]?.arrayValue?.first?["id"]?.stringValue ?? ""
            #expect(try await ada.delete("account/sessions/\(id)").status == .noContent)
            #expect(ada.lastSetCookie?.hasPrefix("ward=; Max-Age=0") == true)
            #expect(ada.cookie == nil)
        }
    }

    @Test func `signing out ends the session itself, and needs no session`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let kept = ada.cookie
            #expect(try await ada.post("sign-out").status == .noContent)
            ada.cookie = kept
            #expect(try await !ada.isSignedIn())
            #expect(try await world.visitor().post("sign-out").status == .noContent)
        }
    }

    @Test(arguments: [
        "", "x", "ward", "=", String(repeating: "A", count: 43), String(repeating: "A", count: 5_000), "é",
    ])
    func `a cookie that is not a token opens nothing`(value: String) async throws {
        try await withService { world in
            let visitor = world.visitor()
            visitor.cookie = "ward=\(value)"
            let answer = try await visitor.get("account")
            #expect(answer.refusal == "401 not_signed_in")
        }
    }

    @Test func `what is over is swept away`() async throws {
        let store = MemoryAccountStore()
        let effects = TestEffects()
        try await store.write { tx in
            try tx.insert(CeremonyRecord(id: [1], payload: [], expiresAt: effects.now - 1))
            try tx.insert(CeremonyRecord(id: [2], payload: [], expiresAt: effects.now + 1))
        }
        let server = try WardServer(
            configuration: ServerConfiguration(),
            store: store,
            effects: effects.effects,
            logger: .silent
        )
        try await server.application().test(.router) { _ in
            try await eventually {
                try await store.write { tx in
                    let gone = try tx.takeCeremony(id: [1]) == nil
                    if !gone { try tx.insert(CeremonyRecord(id: [1], payload: [], expiresAt: effects.now - 1)) }
                    return gone
                }
            }
        }
        #expect(try await store.write { try $0.takeCeremony(id: [2]) } != nil)
    }
}

/// Waits until something is so, for ten seconds at most.
func eventually(_ condition: () async throws -> Bool) async throws {
    for _ in 0..<1_000 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("it never came")
}
