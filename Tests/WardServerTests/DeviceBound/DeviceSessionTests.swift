import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText

@Suite struct `A session that is bound to a device` {
    /// A person whose session is bound, some seconds ago.
    private static func bound(
        _ world: ServiceFixture
    ) async throws -> (person: Visitor, key: DeviceKey, session: String) {
        let (ada, key) = (world.visitor(), DeviceKey())
        let session = try await ada.bind(key, after: ada.register("ada"), in: world).deviceSession
        return (ada, key, session)
    }

    // MARK: What a stolen cookie opens

    @Test func `a replayed cookie is dead within five minutes, a hundred times of a hundred`() async throws {
        try await withService(.secure) { world in
            let (ada, key, session) = try await Self.bound(world)
            var dead = 0
            for _ in 0..<100 {
                let thief = world.visitor()
                (thief.cookie, thief.bound) = (ada.cookie, ada.bound)
                #expect(try await thief.isSignedIn(), "both cookies count until the second one ends")
                world.effects.advance(by: 289)
                #expect(try await ada.renew(key, session).status == .ok)
                world.effects.advance(by: 11)
                if try await thief.get("account").refusal == "401 device_proof_required" { dead += 1 }
                #expect(try await ada.isSignedIn())
            }
            #expect(dead == 100)
        }
    }

    @Test func `the session's cookie alone opens nothing`() async throws {
        try await withService(.secure) { world in
            let (ada, _, session) = try await Self.bound(world)
            let thief = world.visitor()
            thief.cookie = ada.cookie
            for (method, path) in [
                (HTTPRequest.Method.get, "account"), (.get, "account/export"), (.get, "account/activity"),
                (.get, "account/sessions"), (.delete, "account/sessions"), (.delete, "account/sessions/\(session)"),
                (.delete, "account/passkeys/AAAA"), (.delete, "account/password"), (.delete, "account"),
            ] {
                let answer = try await thief.send(method, path, nil)
                #expect(answer.refusal == "401 device_proof_required", "\(method) \(path)")
            }
            let name: JSONValue = ["displayName": "Eve"]
            #expect(try await thief.patch("account", name).refusal == "401 device_proof_required")
            #expect(try await thief.put("account/password", ["password": "x"]).refusal == "401 device_proof_required")
            #expect(try await thief.post("registration/options").refusal == "401 device_proof_required")
            #expect(try await ada.isSignedIn())
        }
    }

    @Test func `the token opens nothing for a client that stores it itself`() async throws {
        try await withService(.secure) { world in
            let (ada, _, _) = try await Self.bound(world)
            let token = try #require(ada.cookie?.split(separator: "=", maxSplits: 1).last)
            let thief = world.visitor()
            thief.fields = [.authorization: "Bearer \(token)"]
            thief.bound = ada.bound
            #expect(try await thief.get("account").refusal == "401 device_proof_required")
        }
    }

    @Test func `the cookie of a proof opens nothing alone, nor another session`() async throws {
        try await withService(.secure) { world in
            let (ada, _, _) = try await Self.bound(world)
            let other = ada.elsewhere()
            let thief = try await other.bind(DeviceKey(), after: other.signIn(), in: world)
            #expect(thief.status == .ok)
            let mixed = world.visitor()
            mixed.bound = ada.bound
            #expect(try await mixed.get("account").refusal == "401 not_signed_in")
            mixed.cookie = other.cookie
            #expect(try await mixed.get("account").refusal == "401 device_proof_required")
            mixed.bound = other.bound
            #expect(try await mixed.isSignedIn())
        }
    }

    @Test(arguments: ["", "AAAA", String(repeating: "A", count: 64), String(repeating: "A", count: 5_000), "é"])
    func `a cookie that the service did not make shows no proof`(value: String) async throws {
        try await withService(.secure) { world in
            let (ada, _, _) = try await Self.bound(world)
            ada.bound = "__Host-ward-bound=\(value)"
            #expect(try await ada.get("account").refusal == "401 device_proof_required")
        }
    }

    @Test func `no bit of the cookie can be changed`() async throws {
        try await withService(.secure) { world in
            let (ada, _, _) = try await Self.bound(world)
            let name = "__Host-ward-bound="
            let bytes = try #require(Base64URL.decode(String(ada.bound?.dropFirst(name.count) ?? "")))
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 1
                ada.bound = name + Base64URL.encode(changed)
                #expect(try await ada.get("account").refusal == "401 device_proof_required", "byte \(index)")
            }
            ada.bound = name + Base64URL.encode(bytes)
            #expect(try await ada.isSignedIn())
        }
    }

    @Test func `a clock that jumps back makes no cookie live longer`() async throws {
        try await withService(.secure) { world in
            let (ada, _, _) = try await Self.bound(world)
            world.effects.advance(by: -3_600)
            #expect(try await ada.get("account").refusal == "401 device_proof_required")
        }
    }

    @Test func `a sign-in with the password takes over nothing from a stolen cookie`() async throws {
        try await withService(.secure) { world in
            let (ada, key) = (world.visitor(), DeviceKey())
            try await ada.register("ada")
            #expect(try await ada.put("account/password", ["password": .string(Visitor.password)]).status == .noContent)
            try await ada.bind(key, after: ada.signIn(), in: world)
            let thief = world.visitor()
            thief.cookie = ada.cookie
            #expect(try await thief.signIn("ada", password: Visitor.password).status == .ok)
            // A password alone changes nothing in an account with a passkey, and the owner's proof is not the thief's.
            let answer = try await thief.delete("account/passkeys/\(try await thief.passkeys()[0])")
            #expect(answer.refusal == "403 passkey_sign_in_required")
        }
    }

    @Test func `pages and apps do not open for the session's cookie alone`() async throws {
        var configuration = ServerConfiguration(rpID: "example.com")
        configuration.origins = ["https://login.example.com"]
        configuration.appOrigins = ["https://app.example.com"]
        try await withService(configuration) { world in
            let (ada, _, _) = try await Self.bound(world)
            let thief = world.visitor()
            thief.cookie = ada.cookie
            let app = AppBrowser(world)
            let way = try await app.begin()
            // First comes the page that lets a browser with the key prove it, then what everybody sees.
            for path in [way, "/", "/account"] {
                thief.renewal = nil
                let first = try await thief.get(path)
                #expect(first.status == .ok && first.text.contains("data-testid=\"renewal\""), "\(path)")
                let field = try #require(HTTPField.Name("Refresh"))
                #expect(first.headers[field] == "0; url=\(path)")
                #expect(thief.renewal == "__Host-ward-bound-renewal=1")
                let second = try await thief.get(path)
                if path == "/account" {
                    #expect(second.headers[.location] == "/#session-ended")
                } else {
                    #expect(second.text.contains("data-testid=\"sign-in\""), "\(path)")
                }
            }
            #expect(try await ada.get("/account").text.contains("data-testid=\"account-username\""))
            try await app.enter(as: ada)
            #expect(try await app.check().status == .ok)
        }
    }

    @Test func `a browser without a session, or with one that is not bound, sees no page in between`() async throws {
        try await withService(.secure) { world in
            let ada = world.visitor()
            #expect(try await ada.get("/").text.contains("data-testid=\"sign-in\""))
            try await ada.register("ada")
            #expect(try await ada.get("/account").text.contains("data-testid=\"account-username\""))
            try await ada.post("sign-out")
            #expect(try await ada.get("/").text.contains("data-testid=\"sign-in\""))
        }
    }

    // MARK: Around the registration and the refresh

    @Test func `requests that left before the registration was answered count for ten seconds`() async throws {
        try await withService(.secure) { world in
            let (ada, tab) = (world.visitor(), world.visitor())
            let signIn = try await ada.register("ada")
            let proof = try DeviceKey().proof(ada.challenge(in: signIn), registers: true)
            #expect(try await ada.registerDevice(proof).status == .ok)
            tab.cookie = ada.cookie
            world.effects.advance(by: 9)
            #expect(try await tab.isSignedIn())
            world.effects.advance(by: 1)
            #expect(try await !tab.isSignedIn())
            #expect(try await ada.isSignedIn())
        }
    }

    @Test func `requests that left before a refresh was answered count, in every tab`() async throws {
        try await withService(.secure) { world in
            let (ada, key, session) = try await Self.bound(world)
            let tab = world.visitor()
            (tab.cookie, tab.bound) = (ada.cookie, ada.bound)
            world.effects.advance(by: 280)
            try await ada.renew(key, session)
            #expect(ada.bound != tab.bound)
            world.effects.advance(by: 9)
            #expect(try await tab.isSignedIn())
            #expect(try await ada.isSignedIn())
        }
    }

    @Test func `each refresh gives another cookie, also within a second`() async throws {
        try await withService(.secure) { world in
            let (ada, key, session) = try await Self.bound(world)
            var cookies: Set<String> = []
            for _ in 0..<20 {
                #expect(try await ada.renew(key, session).status == .ok)
                cookies.insert(ada.bound ?? "")
                #expect(try await ada.isSignedIn())
            }
            #expect(cookies.count == 20)
        }
    }

    @Test func `a refresh works long after the cookie ended, and when the feature is switched off`() async throws {
        let store = MemoryAccountStore()
        try await withService(.secure, store: store) { world in
            let (ada, key, session) = try await Self.bound(world)
            world.effects.advance(by: 86_400)
            ada.bound = nil
            #expect(try await ada.renew(key, session).status == .ok)
            #expect(try await ada.isSignedIn())
            let cookie = ada.cookie
            var off = ServerConfiguration.secure
            off.bindsSessionsToDevices = false
            try await withService(off, store: store) { other in
                other.effects.advance(by: 86_410)
                let ada = other.visitor()
                ada.cookie = cookie
                let locked = try await ada.get("account")
                #expect(locked.refusal == "401 device_proof_required")
                let renewed = try await ada.renew(key, session)
                #expect(renewed.status == .ok)
                let opened = try await ada.get("account")
                #expect(opened.status == .ok)
            }
        }
    }

    @Test func `many refreshes at once all end with a cookie, and each challenge is answered once`() async throws {
        try await withService(.secure) { world in
            let (ada, key, session) = try await Self.bound(world)
            let challenge = try await ada.refreshChallenge(session)
            let cookie = ada.cookie
            let won = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        let tab = world.visitor()
                        tab.cookie = cookie
                        var answer = try await tab.refresh(session, key.proof(challenge))
                        let isFirst = answer.status == .ok
                        while answer.refusal == "403 device_challenge" {
                            answer = try await tab.refresh(session, key.proof(answer.refreshChallenge))
                        }
                        #expect(answer.status == .ok)
                        #expect(try await tab.isSignedIn())
                        return isFirst
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(won == 1)
        }
    }

    // MARK: The end

    @Test func `after the sign-out the browser is told to forget the key`() async throws {
        try await withService(.secure) { world in
            let (ada, key, session) = try await Self.bound(world)
            let (token, bound) = (ada.cookie, ada.bound)
            #expect(try await ada.post("sign-out").status == .noContent)
            #expect(ada.cookie == nil && ada.bound == nil, "both cookies are deleted")
            let expected: JSONValue = ["session_identifier": .string(session), "continue": false]
            #expect(try await ada.refresh(session).json == expected)
            // The cookies from before open nothing, and the key gets no new one.
            (ada.cookie, ada.bound) = (token, bound)
            #expect(try await ada.get("account").refusal == "401 not_signed_in")
            #expect(try await ada.refresh(session).json == expected)
            #expect(try await ada.refresh(session, key.proof("x")).json == expected)
        }
    }

    @Test func `a new sign-in in the same browser ends the bound session`() async throws {
        try await withService(.secure) { world in
            let (ada, key, session) = try await Self.bound(world)
            try await ada.signIn()
            #expect(try await ada.isSignedIn(), "the new session is not bound yet")
            #expect(try await ada.refresh(session)["continue"] == false)
            #expect(try await ada.refresh(session, key.proof("x"))["continue"] == false)
        }
    }

    @Test func `a deleted passkey ends the bound session that it opened`() async throws {
        try await withService(.secure) { world in
            let (ada, _, session) = try await Self.bound(world)
            let other = ada.elsewhere()
            other.authenticator = world.visitor().authenticator
            other.cookie = ada.cookie
            other.bound = ada.bound
            let old = try await ada.passkeys()
            #expect(try await other.register().status == .created)
            #expect(try await other.signIn().status == .ok)
            // The new sign-in replaced the session of these cookies, so the owner signs in again with the first passkey.
            let answer = try await ada.signIn()
            let again = try await ada.bind(DeviceKey(), after: answer, in: world).deviceSession
            #expect(again != session)
            #expect(try await other.delete("account/passkeys/\(old[0])").status == .noContent)
            #expect(try await ada.get("account").refusal == "401 not_signed_in")
            #expect(try await ada.refresh(again)["continue"] == false)
        }
    }
}
