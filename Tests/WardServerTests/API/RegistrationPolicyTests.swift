import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText
import WardWebAuthn

@Suite struct `Registration that is not open to all` {
    private static func configuration(_ policy: RegistrationPolicy) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.registration = policy
        return configuration
    }

    /// Stores an invitation; its token.
    private static func invite(_ store: some AccountStore, in world: ServiceFixture, for seconds: Int64 = 600)
        async throws
        -> String
    {
        let token = LinkToken.random(using: world.effects.effects.randomBytes)
        let now = world.effects.now
        try await store.write { tx in
            try await tx.insert(Invitation(tokenHash: token.hash, createdAt: now, expiresAt: now + seconds))
        }
        return token.text
    }

    /// Every way to an account; the answer that creates it or the first refusal.
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let take: @Sendable (_ visitor: Visitor, _ name: String, _ invitation: String?) async throws -> Answer

        static let all = [
            Self(testDescription: "with a passkey") { visitor, name, invitation in
                let start = try await visitor.post("registration/options", body(name, invitation))
                guard start.status == .ok, let ceremony = start["ceremony"]?.stringValue,
                    let options = start["publicKey"]
                else { return start }
                let response = try visitor.authenticator.create(.init(json: options.serialized))
                return try await visitor.finishRegistration(ceremony, response)
            },
            Self(testDescription: "with a password") { visitor, name, invitation in
                guard case .object(let members) = body(name, invitation) else { fatalError() }
                return try await visitor.post(
                    "account",
                    .object(members + [.init("password", .string(Visitor.password))])
                )
            },
        ]

        private static func body(_ name: String, _ invitation: String?) -> JSONValue {
            let members: [JSONValue.Member] = [.init("username", .string(name))]
            return .object(members + (invitation.map { [.init("invitation", .string($0))] } ?? []))
        }
    }

    @Test(arguments: Way.all)
    func `when closed, makes no account, and says nothing about names`(way: Way) async throws {
        let base = MemoryAccountStore()
        try await withService(store: base) { world in try await world.visitor().register("ada") }
        let store = CountingStore(base)
        try await withService(Self.configuration(.closed), store: store) { world in
            let invitation = try await Self.invite(store, in: world)
            store.reset()
            var answers: Set<String> = []
            for name in ["ada", "bob", "a b", ""] {
                for invitation in [nil, invitation] {
                    let answer = try await way.take(world.visitor(), name, invitation)
                    #expect(answer.refusal == "403 registration_closed")
                    answers.insert(answer.text)
                }
            }
            #expect(answers.count == 1)
            #expect(store.counts == [:], "the store was not even asked")
        }
    }

    @Test func `when closed, leaves those who have an account alone`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { open in
            let ada = open.visitor()
            try await ada.register("ada")
            let authenticator = ada.authenticator
            try await withService(Self.configuration(.closed), store: store) { world in
                let ada = world.visitor()
                ada.authenticator = authenticator
                let known = try await ada.signIn()
                #expect(known.status == .ok)
                ada.authenticator = world.visitor().authenticator
                let added = try await ada.register()
                #expect(added.status == .created)
            }
        }
    }

    @Test(arguments: Way.all)
    func `by invitation, makes one account with each invitation`(way: Way) async throws {
        let store = MemoryAccountStore()
        try await withService(Self.configuration(.invite), store: store) { world in
            let invitation = try await Self.invite(store, in: world)
            let (ada, bob) = (world.visitor(), world.visitor())
            #expect(try await way.take(ada, "ada", nil).refusal == "403 invitation_required")
            for wrong in ["", "x", String(invitation.reversed()), invitation + "A"] {
                #expect(try await way.take(ada, "ada", wrong).refusal == "403 invitation_not_valid")
            }
            #expect(try await way.take(ada, "a b", invitation).refusal == "422 username_not_allowed")
            #expect(try await way.take(ada, "ada", invitation).status == .created)
            #expect(try await ada.isSignedIn())
            #expect(try await way.take(bob, "bob", invitation).refusal == "403 invitation_not_valid")
            let second = try await Self.invite(store, in: world)
            // A name that is taken costs no invitation.
            #expect(try await way.take(bob, "ada", second).refusal == "409 username_taken")
            #expect(try await way.take(bob, "bob", second).status == .created)
        }
    }

    @Test(arguments: Way.all)
    func `by invitation, ends with the invitation's time`(way: Way) async throws {
        let store = MemoryAccountStore()
        try await withService(Self.configuration(.invite), store: store) { world in
            let invitation = try await Self.invite(store, in: world, for: 600)
            world.effects.advance(by: 600)
            #expect(try await way.take(world.visitor(), "ada", invitation).refusal == "403 invitation_not_valid")
            // An invitation from the future is a clock that was wrong.
            world.effects.advance(by: -601)
            #expect(try await way.take(world.visitor(), "ada", invitation).refusal == "403 invitation_not_valid")
            world.effects.advance(by: 1)
            #expect(try await way.take(world.visitor(), "ada", invitation).status == .created)
        }
    }

    @Test func `by invitation, counts when the account is made, not when it was begun`() async throws {
        let store = MemoryAccountStore()
        try await withService(Self.configuration(.invite), store: store) { world in
            let invitation = try await Self.invite(store, in: world)
            let (ada, bob) = (world.visitor(), world.visitor())
            let first = try await ada.beginRegistration(["username": "ada", "invitation": .string(invitation)])
            let second = try await bob.beginRegistration(["username": "bob", "invitation": .string(invitation)])
            let made = try await bob.finishRegistration(second.ceremony, try bob.authenticator.create(second.options))
            #expect(made.status == .created)
            let late = try await ada.finishRegistration(first.ceremony, try ada.authenticator.create(first.options))
            #expect(late.refusal == "403 invitation_not_valid")
            #expect(try await store.read { try $0.account(username: "ada") } == nil)
        }
    }

    @Test func `is asked again when a registration ends after the service became stricter`() async throws {
        let store = MemoryAccountStore()
        for policy in [RegistrationPolicy.closed, .invite] {
            try await withService(store: store) { world in
                let visitor = world.visitor()
                let start = try await visitor.beginRegistration(["username": "ada"])
                let response = try visitor.authenticator.create(start.options)
                try await withService(Self.configuration(policy), store: store) { stricter in
                    stricter.effects.advance(by: world.effects.now - stricter.effects.now)
                    let answer = try await stricter.visitor().finishRegistration(start.ceremony, response)
                    #expect(answer.status == .forbidden, "\(answer.text)")
                }
                #expect(try await store.read { try $0.account(username: "ada") } == nil)
            }
        }
    }

    @Test func `hashes no password for a stranger`() async throws {
        let queue = PasswordQueue(threads: 0, waiting: 0)
        try await withService(Self.configuration(.invite), passwordQueue: queue) { world in
            let body: JSONValue = [
                "username": "ada", "password": .string(Visitor.password),
                "invitation": .string(String(repeating: "A", count: 43)),
            ]
            // The queue has no room: whatever is hashed gets 503.
            let answer = try await world.visitor().post("account", body)
            #expect(answer.refusal == "403 invitation_not_valid")
        }
    }
}
