import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText
import WardWebAuthn

@Suite struct `Ceremonies` {
    @Test(arguments: TestedStore.allCases)
    func `bug class 9: a challenge is answered once, also when the first answer was wrong`(
        store: TestedStore
    ) async throws {
        try await store.run { world in
            let ada = world.visitor()
            let making = try await ada.beginRegistration(["username": "ada"])
            let made = try ada.authenticator.create(making.options)
            #expect(try await ada.finishRegistration(making.ceremony, made).status == .created)
            #expect(try await ada.finishRegistration(making.ceremony, made).refusal == "400 challenge_not_found")

            let right = try await ada.beginSignIn()
            let answer = try ada.authenticator.get(right.options)
            #expect(try await ada.finishSignIn(right.ceremony, answer).status == .ok)
            #expect(try await ada.finishSignIn(right.ceremony, answer).refusal == "400 challenge_not_found")

            // Also when the answer was right, and the name was taken meanwhile.
            let bob = world.visitor()
            let late = try await bob.beginRegistration(["username": "ada"])
            let refused = try bob.authenticator.create(late.options)
            #expect(try await bob.finishRegistration(late.ceremony, refused).refusal == "409 username_taken")
            #expect(try await bob.finishRegistration(late.ceremony, refused).refusal == "400 challenge_not_found")

            let spoiled = try await ada.beginSignIn()
            var wrong = try ada.authenticator.get(spoiled.options)
            let good = wrong
            wrong.signature[10] ^= 1
            #expect(try await ada.finishSignIn(spoiled.ceremony, wrong).refusal == "401 sign_in_failed")
            #expect(try await ada.finishSignIn(spoiled.ceremony, good).refusal == "400 challenge_not_found")
        }
    }

    /// The page keeps a sign-in without a name; the store keeps one with a name.
    @Test(arguments: [[:], ["username": "ada"]] as [JSONValue])
    func `a ceremony is answered once, also after it has expired and the clock was set back`(
        asked: JSONValue
    ) async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let start = try await ada.beginSignIn(asked)
            let answer = try ada.authenticator.get(start.options)
            #expect(try await ada.finishSignIn(start.ceremony, answer).status == .ok)
            world.effects.advance(by: 1_800)
            try await Sweeping.sweep(store, at: world.effects.now)
            world.effects.advance(by: -1_800)
            #expect(try await ada.finishSignIn(start.ceremony, answer).refusal == "400 challenge_not_found")
        }
    }

    @Test func `a ceremony that the page kept survives no change, and no other service's key`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let start = try await ada.beginSignIn()
            let answer = try ada.authenticator.get(start.options)
            let bytes = try #require(Base64URL.decode(start.ceremony))
            for changed in [Array(bytes.dropLast()), bytes.dropLast() + [bytes[bytes.count - 1] ^ 1]] {
                let refused = try await ada.finishSignIn(Base64URL.encode(changed), answer)
                #expect(refused.refusal == "400 challenge_not_found")
            }
            #expect(try await ada.finishSignIn("?", answer).refusal == "400 malformed_request")
            try await withService { (other) async throws -> Void in
                let refused = try await other.visitor().finishSignIn(start.ceremony, answer)
                #expect(refused.refusal == "400 challenge_not_found")
            }
            #expect(try await ada.finishSignIn(start.ceremony, answer).status == .ok)
        }
    }

    @Test func `a ceremony that the page kept ends after five minutes`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let start = try await ada.beginSignIn()
            let answer = try ada.authenticator.get(start.options)
            world.effects.advance(by: 301)
            #expect(try await ada.finishSignIn(start.ceremony, answer).status != .ok)
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `one challenge used fifty times at once signs in exactly once`(store: TestedStore) async throws {
        try await store.run { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let start = try await ada.beginSignIn()
            let response = try ada.authenticator.get(start.options)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await world.visitor().finishSignIn(start.ceremony, response).status.code }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: 1, 400: 49])
        }
    }

    @Test func `bug class 10: the challenge that counts is the signed one, of the ceremony that is named`() async throws
    {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let first = try await ada.beginSignIn()
            let second = try await ada.beginSignIn()
            let response = try ada.authenticator.get(first.options)
            #expect(try await ada.finishSignIn(second.ceremony, response).refusal == "400 challenge_mismatch")

            // A challenge beside the signed one is not a challenge.
            let third = try await ada.beginSignIn()
            let old = try ada.authenticator.get(first.options)
            let body: JSONValue = [
                "ceremony": .string(third.ceremony), "credential": old.value,
                "challenge": .string(third.options.challenge.base64URL),
            ]
            #expect(try await ada.post("sign-in/verify", body).refusal == "400 challenge_mismatch")
        }
    }

    @Test(arguments: [nil, "ada"])
    func `bug class 11: a ceremony ends after five minutes, with a name and without one`(name: String?) async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let body: JSONValue = name.map { ["username": .string($0)] } ?? [:]
            let inTime = try await ada.beginSignIn(body)
            let late = try await ada.beginSignIn(body)
            #expect(inTime.options.timeout == 300_000)
            world.effects.advance(by: 299)
            let response = try ada.authenticator.get(inTime.options)
            #expect(try await ada.finishSignIn(inTime.ceremony, response).status == .ok)
            world.effects.advance(by: 1)
            let answer = try await ada.finishSignIn(late.ceremony, try ada.authenticator.get(late.options))
            #expect(answer.refusal == "400 challenge_expired")
        }
    }

    @Test func `a registration ends after five minutes`() async throws {
        try await withService { world in
            let ada = world.visitor()
            let start = try await ada.beginRegistration(["username": "ada"])
            world.effects.advance(by: 300)
            let answer = try await ada.finishRegistration(start.ceremony, try ada.authenticator.create(start.options))
            #expect(answer.refusal == "400 challenge_expired")
        }
    }

    @Test func `a ceremony of one kind does not count as the other`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let making = try await ada.beginRegistration(["username": "bob"])
            let using = try await ada.beginSignIn(["username": "ada"])
            let used = try ada.authenticator.get(using.options)
            #expect(try await ada.finishSignIn(making.ceremony, used).refusal == "400 ceremony_mismatch")
            let made = try ada.authenticator.create(making.options)
            #expect(try await ada.finishRegistration(using.ceremony, made).refusal == "400 ceremony_mismatch")
            let kept = try await ada.beginSignIn()
            #expect(try await ada.finishRegistration(kept.ceremony, made).refusal == "400 malformed_request")
        }
    }

    @Test func `challenges, ceremonies and user handles never repeat`() async throws {
        try await withService { world in
            let ada = world.visitor()
            var seen: [Set<String>] = [[], [], []]
            for _ in 0..<50 {
                let start = try await ada.beginRegistration(["username": "ada"])
                seen[0].insert(start.ceremony)
                seen[1].insert(start.options.challenge.base64URL)
                seen[2].insert(start.options.user.id.base64URL)
                #expect(start.options.challenge.bytes.count == 32)
                #expect(start.options.user.id.bytes.count == 64)
            }
            #expect(seen.allSatisfy { $0.count == 50 })
        }
    }

    @Test func `what is asked for is a passkey`() async throws {
        try await withService { world in
            let start = try await world.visitor().beginRegistration(["username": "ada"])
            #expect(start.options.authenticatorSelection?.residentKey == .required)
            #expect(start.options.authenticatorSelection?.userVerification == .preferred)
            #expect(start.options.rp.id == "localhost")
            #expect(start.options.attestation == .none)
            #expect(start.options.excludeCredentials.isEmpty)
            let using = try await world.visitor().beginSignIn()
            #expect(using.options.allowCredentials.isEmpty)
            #expect(using.options.userVerification == .preferred)
        }
    }
}
