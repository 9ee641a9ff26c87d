import Testing
import WardRelyingParty
import WardTesting
import WardWebAuthn

/// The two calls of a registration and the two of a sign-in, over a store.
@Suite struct `Ceremonies over a store` {
    /// A fixture and a store in which its person has a credential.
    private func begun() async throws -> (RelyingPartyFixture, MemoryCredentialStore) {
        var fixture = try RelyingPartyFixture()
        let store = MemoryCredentialStore()
        let start = try await fixture.relyingParty.beginRegistration(for: fixture.user, in: store)
        let json = try fixture.authenticator.create(start.options).json
        _ = try await fixture.relyingParty.finishRegistration(start.ceremony, json, in: store)
        return (fixture, store)
    }

    private func refusal(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "accepted"
        } catch let error as VerificationError {
            return "\(error.code.name) at \(error.step)"
        } catch {
            return "\(error)"
        }
    }

    @Test func `an answer that is read already finishes as its text does`() async throws {
        var fixture = try RelyingPartyFixture()
        let (relyingParty, store) = (fixture.relyingParty, MemoryCredentialStore())
        let making = try await relyingParty.beginRegistration(for: fixture.user, in: store)
        let made = try fixture.authenticator.create(making.options)
        let verified = try await relyingParty.finishRegistration(making.ceremony, made, in: store)
        #expect(verified.credential.id == made.id)
        let using = try await relyingParty.beginAuthentication(in: store)
        let answer = try fixture.authenticator.get(using.options)
        let signedIn = try await relyingParty.finishAuthentication(using.ceremony, answer, in: store)
        #expect(signedIn.credential.id == made.id && signedIn.verified.userVerified)
        // The challenge is used up, whichever form came.
        let again = await refusal {
            _ = try await relyingParty.finishAuthentication(using.ceremony, answer.json, in: store)
        }
        #expect(again == "challenge_not_found at 7.2.11")
    }

    @Test(arguments: CredentialStoreSuite.checks)
    func `the store in memory behaves like every credential store`(check: CredentialStoreSuite.Check) async throws {
        try await check.run(on: MemoryCredentialStore())
    }

    @Test func `two calls make an account's passkey and two sign in`() async throws {
        var (fixture, store) = try await begun()
        let record = try #require(store.credentials.first)
        #expect(record.userHandle == fixture.user.id && record.rpID == "example.com")
        #expect(store.ceremonyCount == 0)
        for user in [nil, fixture.user.id] {
            let start = try await fixture.relyingParty.beginAuthentication(of: user, in: store)
            #expect(start.options.allowCredentials == (user == nil ? [] : [record.descriptor]))
            let json = try fixture.authenticator.get(start.options).json
            let verified = try await fixture.relyingParty.finishAuthentication(start.ceremony, json, in: store)
            #expect(verified.credential.userHandle == fixture.user.id)
        }
    }

    @Test func `an authenticator that has a credential of the account is asked for no second`() async throws {
        var (fixture, store) = try await begun()
        let start = try await fixture.relyingParty.beginRegistration(for: fixture.user, in: store)
        #expect(start.options.excludeCredentials == store.credentials.map(\.descriptor))
        #expect(throws: VirtualAuthenticator.Refusal.excluded) { try fixture.authenticator.create(start.options) }
    }

    @Test func `bug class 9: a challenge is answered once, whether the answer holds or not`() async throws {
        var (fixture, store) = try await begun()
        let start = try await fixture.relyingParty.beginAuthentication(in: store)
        let good = try fixture.authenticator.get(start.options)
        var bad = good
        bad.signature = bad.signature.flipped(at: 9)
        let missing = refused(.challengeNotFound, .authentication(11))
        let first = await refusal {
            _ = try await fixture.relyingParty.finishAuthentication(start.ceremony, bad.json, in: store)
        }
        #expect(first == refused(.signatureInvalid, .authentication(21)))
        #expect(store.ceremonyCount == 0)
        let second = await refusal {
            _ = try await fixture.relyingParty.finishAuthentication(start.ceremony, good.json, in: store)
        }
        #expect(second == missing)

        let again = try await fixture.relyingParty.beginAuthentication(in: store)
        let json = try fixture.authenticator.get(again.options).json
        _ = try await fixture.relyingParty.finishAuthentication(again.ceremony, json, in: store)
        let replayed = await refusal {
            _ = try await fixture.relyingParty.finishAuthentication(again.ceremony, json, in: store)
        }
        #expect(replayed == missing)
    }

    @Test func `bug class 9: a registration's challenge too`() async throws {
        var (fixture, store) = try await begun()
        fixture.user = RelyingPartyFixture.person(2)
        let start = try await fixture.relyingParty.beginRegistration(for: fixture.user, in: store)
        let good = try fixture.authenticator.create(start.options)
        var bad = good
        bad.id = try #require(CredentialID([1]))
        let first = await refusal {
            _ = try await fixture.relyingParty.finishRegistration(start.ceremony, bad.json, in: store)
        }
        #expect(first == refused(.credentialIDMismatch, .registration(25)))
        let second = await refusal {
            _ = try await fixture.relyingParty.finishRegistration(start.ceremony, good.json, in: store)
        }
        #expect(second == refused(.challengeNotFound, .registration(8)))
        #expect(store.credentials.count == 1)
    }

    @Test func `every early refusal uses the ceremony up as well`() async throws {
        var (fixture, store) = try await begun()
        // Nobody named, an unknown credential, the wrong kind, out of time: refused before verification begins.
        let unnamed = try await fixture.relyingParty.beginAuthentication(in: store)
        var response = try fixture.authenticator.get(unnamed.options)
        response.userHandle = nil
        #expect(
            await refusal {
                _ = try await fixture.relyingParty.finishAuthentication(unnamed.ceremony, response.json, in: store)
            }
                == refused(.userHandleMissing, .authentication(6))
        )
        let unknown = try await fixture.relyingParty.beginAuthentication(in: store)
        response = try fixture.authenticator.get(unknown.options)
        response.id = try #require(CredentialID([1]))
        #expect(
            await refusal {
                _ = try await fixture.relyingParty.finishAuthentication(unknown.ceremony, response.json, in: store)
            }
                == refused(.credentialNotFound, .authentication(6))
        )
        let wrongKind = try await fixture.relyingParty.beginRegistration(for: fixture.user, in: store)
        #expect(
            await refusal {
                _ = try await fixture.relyingParty.finishAuthentication(wrongKind.ceremony, response.json, in: store)
            }
                != "accepted"
        )
        let late = try await fixture.relyingParty.beginAuthentication(in: store)
        response = try fixture.authenticator.get(late.options)
        fixture.world.advance(by: 300)
        #expect(
            await refusal {
                _ = try await fixture.relyingParty.finishAuthentication(late.ceremony, response.json, in: store)
            }
                == refused(.challengeExpired, .authentication(1))
        )
        #expect(store.ceremonyCount == 0)
    }

    @Test func `an answer that cannot be read is not an answer, and leaves the ceremony for one that can`() async throws
    {
        var (fixture, store) = try await begun()
        let start = try await fixture.relyingParty.beginAuthentication(in: store)
        await #expect(throws: WebAuthnError(.malformedJSON, "")) {
            try await fixture.relyingParty.finishAuthentication(start.ceremony, [], in: store)
        }
        let json = try fixture.authenticator.get(start.options).json
        _ = try await fixture.relyingParty.finishAuthentication(start.ceremony, json, in: store)
    }

    @Test func `bug class 38: a credential is registered once, for nobody else either`() async throws {
        var (fixture, store) = try await begun()
        let victim = try #require(store.credentials.first)
        fixture.user = RelyingPartyFixture.person(2)
        let start = try await fixture.relyingParty.beginRegistration(for: fixture.user, in: store)
        // The attacker attests the victim's identifier with a key of their own.
        fixture.authenticator.faults.authenticatorData = { Array($0[..<55]) + victim.id.bytes + $0[87...] }
        fixture.authenticator.faults.registration = { response in
            var response = response
            response.id = victim.id
            return response
        }
        let json = try fixture.authenticator.create(start.options).json
        #expect(
            await refusal { _ = try await fixture.relyingParty.finishRegistration(start.ceremony, json, in: store) }
                == refused(.credentialExists, .registration(26))
        )
        #expect(store.credentials == [victim])
    }

    @Test func `bug class 12: a refused sign-in changes nothing of the record`() async throws {
        var (fixture, store) = try await begun()
        let before = store.credentials
        fixture.authenticator.behaviour.isBackedUp = false
        fixture.authenticator.behaviour.signCountStep = 9
        for spoil in [
            { (response: inout AuthenticationResponse) in response.signature[8] ^= 1 },
            { (response: inout AuthenticationResponse) in response.authenticatorData[36] ^= 1 },
        ] {
            let start = try await fixture.relyingParty.beginAuthentication(in: store)
            var response = try fixture.authenticator.get(start.options)
            spoil(&response)
            #expect(
                await refusal {
                    _ = try await fixture.relyingParty.finishAuthentication(start.ceremony, response.json, in: store)
                }
                    != "accepted"
            )
            #expect(store.credentials == before)
        }
    }

    @Test func `bug class 13: the counter and the backup state of a sign-in are kept`() async throws {
        var (fixture, store) = try await begun()
        fixture.authenticator.behaviour.signCountStep = 5
        for (expected, isBackedUp) in [(UInt32(5), false), (10, true)] {
            fixture.authenticator.behaviour.isBackedUp = isBackedUp
            let start = try await fixture.relyingParty.beginAuthentication(in: store)
            let json = try fixture.authenticator.get(start.options).json
            let verified = try await fixture.relyingParty.finishAuthentication(start.ceremony, json, in: store)
            #expect(verified.credential.signCount == expected && verified.credential.backedUp == isBackedUp)
            #expect(store.credentials == [verified.credential])
        }
    }

    @Test func `the service may refuse what passed every check, and then nothing is kept`() async throws {
        var fixture = try RelyingPartyFixture()
        let store = MemoryCredentialStore()
        let relyingParty = fixture.relyingParty
        let start = try await relyingParty.beginRegistration(for: fixture.user, in: store)
        let response = try fixture.authenticator.create(start.options)
        let result = try await store.withTransaction { transaction in
            try await relyingParty.finishRegistration(start.ceremony, response, in: transaction) { verified in
                #expect(verified.credential.userHandle == RelyingPartyFixture.person(1).id)
                throw CeremonyRefusal("the name is taken")
            }
        }
        #expect(throws: VerificationError(.accountRefused, .registration(29), "")) { try result.get() }
        if case .failure(let error) = result { #expect(error.step.number == 29 && error.detail == "the name is taken") }
        #expect(store.credentials.isEmpty && store.ceremonyCount == 0)
    }

    @Test func `nobody is asked about a registration that does not hold`() async throws {
        var fixture = try RelyingPartyFixture()
        let store = MemoryCredentialStore()
        let relyingParty = fixture.relyingParty
        let start = try await relyingParty.beginRegistration(for: fixture.user, in: store)
        fixture.authenticator.faults.authenticatorData = { $0.flipped(at: 0) }
        let response = try fixture.authenticator.create(start.options)
        let result = try await store.withTransaction { transaction in
            try await relyingParty.finishRegistration(start.ceremony, response, in: transaction) { _ in
                Issue.record("asked before every check was passed")
                throw CeremonyRefusal("too early")
            }
        }
        #expect(throws: VerificationError(.rpIDMismatch, .registration(14), "")) { try result.get() }
    }

    @Test func `what a store throws undoes everything, the ceremony included`() async throws {
        struct Broken: Error {}
        var fixture = try RelyingPartyFixture()
        let store = MemoryCredentialStore()
        let relyingParty = fixture.relyingParty
        let start = try await relyingParty.beginRegistration(for: fixture.user, in: store)
        let response = try fixture.authenticator.create(start.options)
        await #expect(throws: Broken.self) {
            try await store.withTransaction { transaction in
                _ = try await relyingParty.finishRegistration(start.ceremony, response, in: transaction) { _ in
                    throw Broken()
                }
            }
        }
        #expect(store.ceremonyCount == 1 && store.credentials.isEmpty)
        _ = try await relyingParty.finishRegistration(start.ceremony, response.json, in: store)
    }

    @Test func `a sign-in may be refused after every check, and then nothing of the record changes`() async throws {
        var (fixture, store) = try await begun()
        let (relyingParty, before) = (fixture.relyingParty, store.credentials)
        fixture.authenticator.behaviour.signCountStep = 3
        let start = try await relyingParty.beginAuthentication(in: store)
        let response = try fixture.authenticator.get(start.options)
        let result = try await store.withTransaction { transaction in
            try await relyingParty.finishAuthentication(start.ceremony, response, in: transaction) {
                credential,
                verified in
                #expect(credential == verified.credential && credential.signCount == 3)
                throw CeremonyRefusal("the account is closed")
            }
        }
        if case .failure(let error) = result {
            #expect(error.code == .accountRefused && error.step.description == "7.2.24")
        } else {
            Issue.record("accepted")
        }
        #expect(store.credentials == before && store.ceremonyCount == 0)
    }

    @Test func `an answer to decoys is checked to the end, against a key that nobody has`() async throws {
        var (fixture, store) = try await begun()
        let relyingParty = fixture.relyingParty
        let decoys = try #require(DecoyCredentials(secret: [UInt8](repeating: 7, count: DecoyCredentials.secretLength)))
        let asked = decoys.credentials(for: "nobody")
        for (given, isAsked, expected) in [
            (decoys, true, refused(.signatureInvalid, .authentication(21))),
            (decoys, false, refused(.credentialNotFound, .authentication(6))),
            (nil, true, refused(.credentialNotFound, .authentication(6))),
        ] as [(DecoyCredentials?, Bool, String)] {
            let (options, ceremony) = relyingParty.authenticationOptions(
                allowing: asked,
                user: decoys.userHandle(for: "nobody")
            )
            try await store.withTransaction { $0.insert(ceremony) }
            fixture.authenticator.behaviour.returnsUserHandle = false
            var open = options
            open.allowCredentials = []
            var response = try fixture.authenticator.get(open)
            if isAsked { response.id = try #require(asked.first?.id) }
            let json = response.json
            let refusal = await refusal {
                _ = try await relyingParty.finishAuthentication(ceremony.id, json, in: store, decoys: given) { _, _ in
                    Issue.record("a decoy signed in")
                }
            }
            #expect(refusal == expected)
        }
        #expect(store.ceremonyCount == 0)
    }

    @Test func `a challenge used fifty times at once signs in once`() async throws {
        let (sound, store) = try await begun()
        var fixture = sound
        let relyingParty = fixture.relyingParty
        let start = try await relyingParty.beginAuthentication(in: store)
        let json = try fixture.authenticator.get(start.options).json
        let outcomes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await refusal { _ = try await relyingParty.finishAuthentication(start.ceremony, json, in: store) }
                }
            }
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes == ["accepted": 1, refused(.challengeNotFound, .authentication(11)): 49])
    }

    @Test func `a registration answered fifty times at once makes one credential`() async throws {
        var fixture = try RelyingPartyFixture()
        let store = MemoryCredentialStore()
        let relyingParty = fixture.relyingParty
        let start = try await relyingParty.beginRegistration(for: fixture.user, in: store)
        let json = try fixture.authenticator.create(start.options).json
        let accepted = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { (try? await relyingParty.finishRegistration(start.ceremony, json, in: store)) != nil }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(accepted == 1 && store.credentials.count == 1)
    }

    @Test func `a body that waits for something else commits nothing`() async throws {
        let (fixture, store) = try await begun()
        let ceremony = fixture.relyingParty.authenticationOptions().ceremony
        await #expect(throws: SuspendedTransactionError.self) {
            try await store.withTransaction { transaction in
                transaction.insert(ceremony)
                try await Task.sleep(for: .seconds(2))
                transaction.insert(ceremony)
            }
        }
        #expect(store.ceremonyCount == 0)
    }
}
