import HTTPTypes
import Testing
import WardTesting
import WardText

@Suite struct `A proof of the device` {
    struct Rejection: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let proof: @Sendable (DeviceKey, _ challenge: String) throws -> String

        static let all = [
            Self(testDescription: "the key of somebody else") { _, challenge in try DeviceKey().proof(challenge) },
            Self(testDescription: "somebody's key in the header") { _, challenge in
                let thief = DeviceKey()
                return try thief.proof(challenge, registers: true)
            },
            Self(testDescription: "another type") { key, challenge in
                try key.proof(challenge) { $0.header["typ"] = "JWT" }
            },
            Self(testDescription: "alg none") { key, challenge in
                try key.proof(challenge) { $0.header["alg"] = "none" }
            },
            Self(testDescription: "the algorithm of another kind of key") { key, challenge in
                try key.proof(challenge) { $0.header["alg"] = "RS256" }
            },
            Self(testDescription: "another session") { key, challenge in
                try key.proof(challenge) { $0.payload["sub"] = "RKcIx30JTJU3UYWmtCDlnw" }
            },
            Self(testDescription: "another address") { key, challenge in
                try key.proof(challenge) {
                    $0.payload["aud"] = "https://example.com/device-session/registration"
                }
            },
            Self(testDescription: "an address that is no text") { key, challenge in
                try key.proof(challenge) { $0.payload["aud"] = ["https://example.org"] }
            },
            Self(testDescription: "no challenge") { key, challenge in
                try key.proof(challenge) { $0.payload["jti"] = nil }
            },
            Self(testDescription: "no JSON") { _, _ in "AAAA.AAAA.AAAA" },
        ]
    }

    @Test(arguments: Rejection.all)
    func `with one fault renews nothing`(rejection: Rejection) async throws {
        try await withService(.secure) { world in
            let (ada, key) = (world.visitor(), DeviceKey())
            let session = try await ada.bind(key, after: ada.register("ada"), in: world).deviceSession
            let challenge = try await ada.refreshChallenge(session)
            let before = ada.bound
            let answer = try await ada.refresh(session, rejection.proof(key, challenge))
            #expect(answer.refusal == "400 device_proof_not_valid")
            #expect(ada.bound == before)
            #expect(try await ada.refresh(session, key.proof(challenge)).status == .ok, "the challenge is not used up")
        }
    }

    @Test func `an RSA key does not sign for an EC key of the same session, nor the other way round`() async throws {
        try await withService(.secure) { world in
            let (ada, key) = (world.visitor(), try DeviceKey(rsa: 2_048))
            let session = try await ada.bind(key, after: ada.register("ada"), in: world).deviceSession
            let challenge = try await ada.refreshChallenge(session)
            let other = try DeviceKey().proof(challenge)
            #expect(try await ada.refresh(session, other).refusal == "400 device_proof_not_valid")
            #expect(try await ada.refresh(session, key.proof(challenge)).status == .ok)
        }
    }

    @Test func `counts once: replayed, it gets a new challenge and no cookie`() async throws {
        try await withService(.secure) { world in
            let (ada, key) = (world.visitor(), DeviceKey())
            let session = try await ada.bind(key, after: ada.register("ada"), in: world).deviceSession
            let proof = try await key.proof(ada.refreshChallenge(session))
            let thief = world.visitor()
            thief.cookie = ada.cookie
            #expect(try await ada.refresh(session, proof).status == .ok)
            for _ in 0..<3 {
                let answer = try await thief.refresh(session, proof)
                #expect(answer.refusal == "403 device_challenge" && thief.bound == nil)
            }
        }
    }

    @Test func `counts for a minute, and never from the future`() async throws {
        try await withService(.secure) { world in
            let (ada, key) = (world.visitor(), DeviceKey())
            let session = try await ada.bind(key, after: ada.register("ada"), in: world).deviceSession
            let challenge = try await ada.refreshChallenge(session)
            world.effects.advance(by: 60)
            let late = try await ada.refresh(session, key.proof(challenge))
            #expect(late.refusal == "403 device_challenge")
            world.effects.advance(by: -61)
            #expect(try await ada.refresh(session, key.proof(challenge)).refusal == "403 device_challenge")
            world.effects.advance(by: 60)
            #expect(try await ada.refresh(session, key.proof(challenge)).status == .ok)
        }
    }

    @Test func `a challenge of another session, of the registration, or made up, is none`() async throws {
        try await withService(.secure) { world in
            let (ada, key, eve, hers) = (world.visitor(), DeviceKey(), world.visitor(), DeviceKey())
            let signIn = try await ada.register("ada")
            let registration = try ada.challenge(in: signIn)
            let session = try await ada.bind(key, after: signIn, in: world).deviceSession
            let other = try await eve.bind(hers, after: eve.register("eve"), in: world).deviceSession
            let foreign = try await eve.refreshChallenge(other)
            let own = try await ada.refreshChallenge(session)
            var bytes = try #require(Base64URL.decode(own))
            bytes[bytes.count - 1] ^= 1
            for challenge in [foreign, registration, Base64URL.encode(bytes), "", "AAAA", own + "A"] {
                let answer = try await ada.refresh(session, key.proof(challenge))
                #expect(answer.refusal == "403 device_challenge")
            }
            #expect(try await ada.refresh(session, key.proof(own)).status == .ok)
        }
    }

    @Test func `a thief with the session's cookie and its ID gets no cookie`() async throws {
        try await withService(.secure) { world in
            let (ada, key, thief) = (world.visitor(), DeviceKey(), world.visitor())
            let session = try await ada.bind(key, after: ada.register("ada"), in: world).deviceSession
            thief.cookie = ada.cookie
            let challenge = try await thief.refreshChallenge(session)
            #expect(
                try await thief.refresh(session, DeviceKey().proof(challenge)).refusal == "400 device_proof_not_valid"
            )
            #expect(thief.bound == nil)
            // A thief who asks for challenges stops nobody.
            for _ in 0..<20 { _ = try await thief.refreshChallenge(session) }
            #expect(try await ada.refresh(session, key.proof(challenge)).status == .ok)
        }
    }

    @Test func `an ID without its session's cookie tells nothing about it`() async throws {
        try await withService(.secure) { world in
            let (ada, eve) = (world.visitor(), world.visitor())
            let session = try await ada.bind(DeviceKey(), after: ada.register("ada"), in: world).deviceSession
            try await eve.bind(DeviceKey(), after: eve.register("eve"), in: world)
            for visitor in [eve, world.visitor()] {
                let known = try await visitor.refresh(session)
                let unknown = try await visitor.refresh("RKcIx30JTJU3UYWmtCDlnw")
                #expect(known.status == .ok && known["continue"] == false)
                #expect(unknown.status == .ok && unknown["continue"] == false)
            }
            for id in ["", "x", "\"", String(repeating: "A", count: 5_000)] {
                #expect(try await ada.refresh(id).refusal == "400 malformed_request")
            }
            ada.origin = "https://example.org"
            #expect(try await ada.refresh(session).refusal == "403 origin_not_allowed")
        }
    }
}
