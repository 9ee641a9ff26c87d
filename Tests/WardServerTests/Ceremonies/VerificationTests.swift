import HTTPTypes
import Testing
import WardAccounts
import WardStoreSQLite
import WardTesting
import WardText
import WardWebAuthn

@Suite struct `What a sign-in has to prove` {
    @Test(arguments: [nil, "ada"])
    func `bug class 3: user verification is still required after the ceremony was stored`(name: String?) async throws {
        try await withService(.requiringVerification, store: SQLiteAccountStore.inMemory()) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            ada.authenticator.behaviour.isUserVerified = false
            #expect(try await ada.signIn(name).refusal == "400 user_not_verified")
            #expect(try await world.visitor().register("bob").status == .created)
        }
    }

    @Test func `bug class 3: a registration without user verification makes no account`() async throws {
        try await withService(.requiringVerification, store: SQLiteAccountStore.inMemory()) { world in
            let ada = world.visitor()
            ada.authenticator.behaviour.isUserVerified = false
            let answer = try await ada.register("ada")
            #expect(answer.refusal == "400 user_not_verified")
            #expect(try await !ada.isSignedIn())
        }
    }

    @Test func `bug class 4: no request lowers what is required`() async throws {
        try await withService(.requiringVerification) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let start = try await ada.beginSignIn([
                "userVerification": "discouraged", "authenticatorSelection": ["userVerification": "discouraged"],
                "publicKey": ["userVerification": "discouraged"],
            ])
            #expect(start.options.userVerification == .required)
            ada.authenticator.behaviour.isUserVerified = false
            let answer = try await ada.finishSignIn(start.ceremony, try ada.authenticator.get(start.options))
            #expect(answer.refusal == "400 user_not_verified")
            let making = try await ada.beginRegistration([
                "username": "bob",
                "authenticatorSelection": ["userVerification": "discouraged", "residentKey": "discouraged"],
            ])
            #expect(making.options.authenticatorSelection?.userVerification == .required)
            #expect(making.options.authenticatorSelection?.residentKey == .required)
        }
    }

    @Test func `bug class 17: what a page's script should have kept out is refused here`() async throws {
        try await withService { world in
            let ada = world.visitor()
            let start = try await ada.beginRegistration(["username": "ada"])
            // Ed25519 by its fully specified number, which was not asked for (RFC 9864).
            ada.authenticator.behaviour.algorithms = start.options.pubKeyCredParams[1...1].map(\.alg)
            ada.authenticator.faults.publicKey = { key in
                var key = key
                if let at = key.firstIndex(of: 0x27) { key[at] = 0x32 }
                return key
            }
            let answer = try await ada.finishRegistration(start.ceremony, try ada.authenticator.create(start.options))
            #expect(answer.refusal == "400 algorithm_not_allowed")
        }
    }

    @Test func `bug class 12: a wrong signature changes nothing about the passkey`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            ada.authenticator.behaviour.signCountStep = 1
            ada.authenticator.behaviour.isBackedUp = false
            let text = try #require(try await ada.register("ada")["passkey", "id"]?.stringValue)
            let id = try #require(CredentialID(base64URL: text))
            let before = try await store.read { try $0.passkey(credentialID: id) }
            ada.authenticator.behaviour.signCountStep = 100
            ada.authenticator.behaviour.isBackedUp = true
            ada.authenticator.faults.signature = { signature in
                var signature = signature
                signature[signature.count - 1] ^= 1
                return signature
            }
            #expect(try await ada.signIn().refusal == "401 sign_in_failed")
            #expect(try await store.read { try $0.passkey(credentialID: id) } == before)

            ada.authenticator.faults = Faults()
            #expect(try await ada.signIn().status == .ok)
            let after = try await store.read { try $0.passkey(credentialID: id) }
            #expect(after?.record.signCount == 201)
            #expect(after?.record.backedUp == true)
            #expect(after?.lastUsedAt == world.effects.now)
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `bug class 1: a name of one person and a passkey of another open nothing`(store: TestedStore) async throws {
        try await store.run { world in
            let (ada, eve) = (world.visitor(), world.visitor())
            try await ada.register("ada")
            try await eve.register("eve")
            eve.cookie = nil
            for handle in [
                eve.authenticator.credentials.first?.user.id, ada.authenticator.credentials.first?.user.id, nil,
            ] {
                var start = try await eve.beginSignIn(["username": "ada"])
                start.options.allowCredentials = []
                eve.authenticator.faults.authentication = { response in
                    var response = response
                    response.userHandle = handle
                    return response
                }
                let answer = try await eve.finishSignIn(start.ceremony, try eve.authenticator.get(start.options))
                #expect(answer.refusal == "401 sign_in_failed")
                // Claiming to be the passkey that was asked for does not help either.
                var claiming = try await eve.beginSignIn(["username": "ada"])
                let wanted = try #require(claiming.options.allowCredentials.first?.id)
                claiming.options.allowCredentials = []
                var response = try eve.authenticator.get(claiming.options)
                response.id = wanted
                #expect(try await eve.finishSignIn(claiming.ceremony, response).refusal == "401 sign_in_failed")
            }
            #expect(try await !eve.isSignedIn())
        }
    }

    @Test func `a sign-in without a name has to say whose it is`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            ada.authenticator.behaviour.returnsUserHandle = false
            #expect(try await ada.signIn().refusal == "401 sign_in_failed")
            #expect(try await ada.signIn("ada").status == .ok)
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `bug class 38: a credential ID belongs to one account only`(store: TestedStore) async throws {
        try await store.run { world in
            let (ada, eve) = (world.visitor(), world.visitor())
            try await ada.register("ada")
            let stolen = try #require(ada.authenticator.credentials.first?.id)
            eve.authenticator.faults.authenticatorData = { data in
                var data = data
                if data.count > 87 { data.replaceSubrange(55..<87, with: stolen.bytes) }
                return data
            }
            eve.authenticator.faults.registration = { response in
                var response = response
                response.id = stolen
                return response
            }
            #expect(try await eve.register("eve").refusal == "409 credential_exists")
            #expect(try await !eve.isSignedIn())
            #expect(try await ada.signIn().status == .ok)
        }
    }

    @Test func `a counter that falls back and a changed eligibility lock nobody out`() async throws {
        try await withService { world in
            let ada = world.visitor()
            ada.authenticator.behaviour.signCountStep = 5
            try await ada.register("ada")
            #expect(try await ada.signIn().status == .ok)
            ada.authenticator.behaviour.signCountStep = 0
            #expect(try await ada.signIn().status == .ok)
            ada.authenticator.behaviour.isBackupEligible = false
            ada.authenticator.behaviour.isBackedUp = false
            #expect(try await ada.signIn().status == .ok)
        }
    }
}
