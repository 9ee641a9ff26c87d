import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText
import WardWebAuthn

/// Somebody who makes the service keep or send more than it should.
@Suite struct `A flood` {
    @Test func `of passkeys ends at fifty, and a list of them stays small`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            try await addPasskeys(48, idLength: 64, to: "ada", in: store)
            let spare = world.visitor()
            spare.cookie = ada.cookie
            let begun = try await spare.beginRegistration([:])
            let device = world.visitor().authenticator
            ada.authenticator = device
            #expect(try await ada.register().status == .created)
            #expect(try await ada.post("registration/options").refusal == "409 too_many_passkeys")
            // One that began before the fiftieth was there ends the same way.
            let late = try await spare.finishRegistration(begun.ceremony, try spare.authenticator.create(begun.options))
            #expect(late.refusal == "409 too_many_passkeys")
            #expect(try await ada.passkeys().count == 50)

            let options = try await world.visitor().post("sign-in/options", ["username": "ada"])
            #expect(options["publicKey", "allowCredentials"]?.arrayValue?.count == 50)
            #expect(options.body.count <= 32 * 1024, "\(options.body.count)")
            try await ada.delete("account/passkeys/\(try #require(try await ada.passkeys().last))")
        }
    }

    @Test func `of long passkeys ends at 16 KiB`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            try await addPasskeys(15, idLength: 1_023, transports: [], to: "ada", in: store)
            let listed = try await store.read { tx in
                let account = try #require(try tx.account(username: "ada"))
                return try tx.passkeys(of: account.id).map(\.record).reduce(0) { sum, record in
                    sum + record.id.bytes.count + record.transports.reduce(0) { $0 + $1.rawValue.utf8.count }
                }
            }
            // Ten bytes are left: a new passkey does not fit.
            try await addPasskeys(1, idLength: 16_384 - listed - 10, transports: [], to: "ada", in: store)
            let other = world.visitor()
            other.cookie = ada.cookie
            let start = try await other.beginRegistration([:])
            let made = try await other.finishRegistration(start.ceremony, try other.authenticator.create(start.options))
            #expect(made.refusal == "409 too_many_passkeys")
            try await addPasskeys(1, idLength: 11, transports: [], to: "ada", in: store)
            #expect(try await ada.post("registration/options").refusal == "409 too_many_passkeys")
            let options = try await world.visitor().post("sign-in/options", ["username": "ada"])
            #expect(options.body.count <= 32 * 1024, "\(options.body.count)")
        }
    }

    @Test func `of transports counts like one of IDs`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let long = (0..<16).map {
                AuthenticatorTransport(rawValue: "\($0 + 10)" + String(repeating: "x", count: 30))
            }
            try await addPasskeys(29, idLength: 64, transports: long, to: "ada", in: store)
            #expect(try await ada.post("registration/options").refusal == "409 too_many_passkeys")
            let options = try await world.visitor().post("sign-in/options", ["username": "ada"])
            #expect(options.body.count <= 32 * 1024, "\(options.body.count)")
        }
    }

    @Test func `of anonymous requests writes rows of one small size, for known and unknown names`() async throws {
        let base = MemoryAccountStore()
        let store = CountingStore(base)
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            try await addPasskeys(49, idLength: 64, to: "ada", in: base)
            store.reset()
            try await world.visitor().post("sign-in/options", ["username": "ada"])
            let size = try #require(store.payloads.first)
            #expect(size < 400, "\(size)")
            // The answer is still checked against the account's own passkeys, and nothing else.
            #expect(try await ada.elsewhere().signIn("ada").status == .ok)
            let eve = world.visitor()
            #expect(try await eve.signInAsStranger(to: "ada").refusal == "401 sign_in_failed")
        }
    }

    @Test func `of sign-ins without a name writes nothing until one is answered`() async throws {
        let store = MemoryAccountStore()
        let counting = CountingStore(store)
        try await withService(store: counting) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            counting.reset()
            for _ in 0..<30 { try await world.visitor().post("sign-in/options") }
            #expect(counting.trips.isEmpty, "\(counting.trips)")
            let start = try await ada.beginSignIn()
            #expect(try await ada.finishSignIn(start.ceremony, try ada.authenticator.get(start.options)).status == .ok)
        }
    }

    @Test func `of wrong answers is stored up to a limit, and right answers always`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store, ceremonyCeiling: CeremonyCeiling(20)) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            for _ in 0..<60 {
                let start = try await ada.beginSignIn()
                var wrong = try ada.authenticator.get(start.options)
                wrong.signature[10] ^= 1
                #expect(try await ada.finishSignIn(start.ceremony, wrong).refusal == "401 sign_in_failed")
            }
            #expect(try await store.write { try $0.deleteExpiredUses(before: .max, limit: 1_000) } == 20)
            let start = try await ada.beginSignIn()
            let right = try ada.authenticator.get(start.options)
            #expect(try await ada.finishSignIn(start.ceremony, right).status == .ok)
            #expect(try await ada.finishSignIn(start.ceremony, right).refusal == "400 challenge_not_found")
            world.effects.advance(by: 300)
            let later = try await ada.beginSignIn()
            var wrong = try ada.authenticator.get(later.options)
            let good = wrong
            wrong.signature[10] ^= 1
            #expect(try await ada.finishSignIn(later.ceremony, wrong).refusal == "401 sign_in_failed")
            #expect(try await ada.finishSignIn(later.ceremony, good).refusal == "400 challenge_not_found")
        }
    }

    @Test func `of ceremonies pushes out the ones that expire first, and the service goes on`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store, ceremonyCeiling: CeremonyCeiling(20)) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let early = try await ada.beginSignIn(["username": "ada"])
            for _ in 0..<100 {
                world.effects.advance(by: 1)
                try await world.visitor().post("sign-in/options", ["username": "nobody"])
            }
            #expect((19...21).contains(try await store.read { try $0.ceremonyCount() }))
            #expect(try await ada.elsewhere().signIn().status == .ok)
            let answer = try await ada.finishSignIn(early.ceremony, try ada.authenticator.get(early.options))
            #expect(answer.refusal == "400 challenge_not_found")
        }
    }

    @Test func `of answers that nobody asked for makes no room for more ceremonies`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store, ceremonyCeiling: CeremonyCeiling(20)) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let start = try await ada.beginSignIn(["username": "ada"])
            let answer = try ada.authenticator.get(start.options)
            #expect(try await ada.finishSignIn(start.ceremony, answer).status == .ok)
            for _ in 0..<60 {
                world.effects.advance(by: 1)
                try await world.visitor().post("sign-in/options", ["username": "nobody"])
                for _ in 0..<2 {
                    let made = try await ada.finishSignIn(start.ceremony, answer)
                    #expect(made.refusal == "400 challenge_not_found")
                }
            }
            #expect(try await store.read { try $0.ceremonyCount() } <= 21)
        }
    }

    @Test func `of sign-ins keeps a hundred sessions, the newest`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let first = ada.elsewhere()
            first.cookie = ada.cookie
            for _ in 0..<100 {
                world.effects.advance(by: 1)
                try await ada.elsewhere().signIn()
            }
            #expect(try await !first.isSignedIn())
            try await ada.signIn()
            #expect(try await ada.get("account/sessions")["sessions"]?.arrayValue?.count == 100)
        }
    }

    @Test func `of sign-ins with a stolen password ends no session that a passkey proved`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            try await ada.register()
            try await ada.signIn()
            // As if the thief had signed in often: each hash would take a while.
            try await store.write { tx in
                let account = try #require(try tx.account(username: "ada"))
                let pattern = try #require(try tx.sessions(of: account.id).first)
                for _ in 0..<120 {
                    var session = pattern
                    session.id = .random(using: world.effects.effects.randomBytes)
                    session.tokenHash = SessionToken.random(using: world.effects.effects.randomBytes).hash
                    session.method = .password
                    session.passkeyProof = nil
                    session.createdAt += 1
                    try tx.insert(session)
                }
            }
            let thief = world.visitor()
            try await thief.signIn("ada", password: Visitor.password)
            #expect(try await thief.isSignedIn())
            #expect(try await ada.isSignedIn())
            #expect(try await ada.get("account/sessions")["sessions"]?.arrayValue?.count == 100)
        }
    }
}

@Suite struct `The list of sessions` {
    @Test func `comes in pages`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            for _ in 0..<6 {
                world.effects.advance(by: 1)
                try await ada.elsewhere().signIn()
            }
            let all = try await ada.get("account/sessions")
            #expect(all["sessions"]?.arrayValue?.count == 7 && all["next"] == .null)
            var found: [JSONValue] = []
            var path = "account/sessions?limit=3"
            while true {
                let page = try await ada.get(path)
                found += page["sessions"]?.arrayValue ?? []
                guard let next = page["next"]?.stringValue else { break }
                path = "account/sessions?limit=3&after=\(next)"
            }
            #expect(found == all["sessions"]?.arrayValue)
            for wrong in ["limit=0", "limit=101", "limit=+1", "limit=x", "after=x", "after="] {
                #expect(try await ada.get("account/sessions?\(wrong)").refusal == "400 malformed_request", "\(wrong)")
            }
        }
    }
}
