import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText

/// A service that browsers reach over https, so that they can bind sessions.
extension ServerConfiguration {
    static var secure: Self { ServerConfiguration(rpID: "example.com") }
}

@Suite struct `Binding a session to a device` {
    @Test func `is offered after each sign-in of a browser over https`() async throws {
        try await withService(.secure) { world in
            let ada = world.visitor()
            let field = try #require(HTTPField.Name("Secure-Session-Registration"))
            for answer in [
                try await ada.register("ada"), try await ada.signIn(), try await ada.signIn("ada"),
                try await world.visitor().create("eve"),
            ] {
                let value = try #require(answer.headers[field])
                let start = "(ES256 RS256);path=\"/device-session/registration\";challenge=\""
                #expect(value.hasPrefix(start))
            }
            let wrong = try await world.visitor().signIn("eve", password: "not the password of eve")
            #expect(wrong.status == .unauthorized && wrong.headers[field] == nil)
        }
    }

    @Test func `is not offered over http, to a client with a token, or where it is off`() async throws {
        let field = try #require(HTTPField.Name("Secure-Session-Registration"))
        try await withService { world in
            let answer = try await world.visitor().register("ada")
            #expect(answer.status == .created && answer.headers[field] == nil)
        }
        var off = ServerConfiguration.secure
        off.bindsSessionsToDevices = false
        try await withService(off) { world in
            let answer = try await world.visitor().register("ada")
            #expect(answer.status == .created && answer.headers[field] == nil)
        }
        try await withService(.secure) { world in
            let client = world.visitor()
            client.fields = HTTPFields("Ward-Session", "token")
            let answer = try await client.register("ada")
            #expect(answer["token"]?.stringValue != nil && answer.headers[field] == nil)
        }
    }

    @Test func `answers with the cookie, and says when the browser needs it`() async throws {
        try await withService(.secure) { world in
            let ada = world.visitor()
            let answer = try await ada.bind(DeviceKey(), after: ada.register("ada"), in: world)
            let cookie = try #require(answer.headers[values: .setCookie].first)
            #expect(cookie.hasPrefix("__Host-ward-bound="))
            #expect(cookie.hasSuffix("; Max-Age=290; Path=/; HttpOnly; SameSite=Lax; Secure"))
            #expect(answer["refresh_url"] == "/device-session/refresh")
            #expect(answer["scope", "include_site"] == false)
            let outside = answer["scope", "scope_specification"]?.arrayValue ?? []
            #expect(outside.contains(["type": "exclude", "domain": "*", "path": "/assets"]))
            let expected: JSONValue = [
                [
                    "type": "cookie", "name": "__Host-ward-bound",
                    "attributes": "Path=/; HttpOnly; SameSite=Lax; Secure",
                ]
            ]
            #expect(answer["credentials"] == expected)
            let sessions = try await ada.get("account/sessions")["sessions"]?.arrayValue ?? []
            #expect(sessions.map { $0["id"] } == [answer["session_identifier"]])
            #expect(sessions.map { $0["deviceBound"] } == [true])
            let events = try await ada.get("account/activity")["activity"]?.arrayValue ?? []
            #expect(events.first?["event"] == "session_bound")
        }
    }

    @Test func `takes a key of RSA, but none of 1,024 bits`() async throws {
        try await withService(.secure) { world in
            let (ada, key) = (world.visitor(), try DeviceKey(rsa: 2_048))
            let session = try await ada.bind(key, after: ada.register("ada"), in: world).deviceSession
            #expect(try await ada.renew(key, session).status == .ok)
            let eve = world.visitor()
            let challenge = try eve.challenge(in: try await eve.register("eve"))
            let weak = try DeviceKey(rsa: 1_024).proof(challenge, registers: true)
            #expect(try await eve.registerDevice(weak).refusal == "400 device_proof_not_valid")
        }
    }

    struct Rejection: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let proof: @Sendable (DeviceKey, _ challenge: String) throws -> String

        static let all = [
            Self(testDescription: "another type") { key, challenge in
                try key.proof(challenge, registers: true) { $0.header["typ"] = "JWT" }
            },
            Self(testDescription: "no type") { key, challenge in
                try key.proof(challenge, registers: true) { $0.header["typ"] = nil }
            },
            Self(testDescription: "a critical extension") { key, challenge in
                try key.proof(challenge, registers: true) { $0.header["crit"] = ["b64"] }
            },
            Self(testDescription: "alg none") { key, challenge in
                try key.proof(challenge, registers: true) { $0.header["alg"] = "none" }
            },
            Self(testDescription: "an algorithm that was not offered") { key, challenge in
                try key.proof(challenge, registers: true) { $0.header["alg"] = "ES384" }
            },
            Self(testDescription: "the algorithm of another kind of key") { key, challenge in
                try key.proof(challenge, registers: true) { $0.header["alg"] = "RS256" }
            },
            Self(testDescription: "no key") { key, challenge in try key.proof(challenge) },
            Self(testDescription: "the key of somebody else") { key, challenge in
                try key.proof(challenge, registers: true) { $0.header["jwk"] = DeviceKey().jwk }
            },
            Self(testDescription: "a point that is not on the curve") { key, challenge in
                try key.proof(challenge, registers: true) { parts in
                    let zeros = JSONValue.string(Base64URL.encode([UInt8](repeating: 1, count: 32)))
                    parts.header["jwk"] = ["kty": "EC", "crv": "P-256", "x": zeros, "y": zeros]
                }
            },
            Self(testDescription: "no challenge") { key, challenge in
                try key.proof(challenge, registers: true) { $0.payload["jti"] = nil }
            },
            Self(testDescription: "another challenge") { key, challenge in
                var bytes = try #require(Base64URL.decode(challenge))
                bytes[bytes.count - 1] ^= 1
                return try key.proof(Base64URL.encode(bytes), registers: true)
            },
            Self(testDescription: "another session") { key, challenge in
                try key.proof(challenge, registers: true) { $0.payload["sub"] = "RKcIx30JTJU3UYWmtCDlnw" }
            },
            Self(testDescription: "another address") { key, challenge in
                try key.proof(challenge, registers: true) { $0.payload["aud"] = "https://example.org/" }
            },
            Self(testDescription: "a changed signature") { key, challenge in
                let proof = try key.proof(challenge, registers: true)
                let flipped = proof.hasSuffix("AA") ? "BB" : "AA"
                return proof.dropLast(4) + flipped + flipped
            },
            Self(testDescription: "no signature") { key, challenge in
                let proof = try key.proof(challenge, registers: true)
                return proof.split(separator: ".").dropLast().joined(separator: ".") + "."
            },
            Self(testDescription: "two parts") { key, challenge in
                try key.proof(challenge, registers: true).split(separator: ".").dropLast().joined(separator: ".")
            },
            Self(testDescription: "no JSON") { _, _ in "AAAA.AAAA.AAAA" },
            Self(testDescription: "a duplicate member") { _, _ in
                let header = Base64URL.encode(Array("{\"typ\":\"dbsc+jwt\",\"alg\":\"ES256\",\"alg\":\"ES256\"}".utf8))
                return "\(header).\(header).AAAA"
            },
            Self(testDescription: "nothing") { _, _ in "\"\"" },
            Self(testDescription: "too long") { key, challenge in
                try key.proof(challenge, registers: true) {
                    $0.payload["more"] = .string(String(repeating: "x", count: 8_192))
                }
            },
        ]
    }

    @Test(arguments: Rejection.all)
    func `a registration with one fault binds nothing`(rejection: Rejection) async throws {
        try await withService(.secure) { world in
            let (ada, key) = (world.visitor(), DeviceKey())
            let challenge = try ada.challenge(in: try await ada.register("ada"))
            let answer = try await ada.registerDevice(rejection.proof(key, challenge))
            #expect(answer.refusal == "400 device_proof_not_valid")
            #expect(ada.bound == nil)
            world.effects.advance(by: 11)
            #expect(try await ada.isSignedIn(), "the session is as it was")
            // The same proof without the fault is taken.
            #expect(try await ada.registerDevice(key.proof(challenge, registers: true)).status == .ok)
        }
    }

    @Test func `takes the draft's place of the key too, and a proof that names session and address`() async throws {
        try await withService(.secure) { world in
            let (ada, key) = (world.visitor(), DeviceKey())
            let challenge = try ada.challenge(in: try await ada.register("ada"))
            let session = try await ada.get("account/sessions")["sessions"]?.arrayValue?.first?["id"] ?? .null
            let proof = try key.proof(challenge) { parts in
                parts.payload["key"] = key.jwk
                parts.payload["sub"] = session
                parts.payload["aud"] = "https://example.com/device-session/registration"
                parts.payload["iat"] = 1
            }
            #expect(try await ada.registerDevice("\"\(proof)\";more=1").status == .ok)
        }
    }

    // MARK: The thief

    @Test func `a stolen cookie registers no other key, neither before nor after the owner's`() async throws {
        try await withService(.secure) { world in
            let (ada, thief, key) = (world.visitor(), world.visitor(), DeviceKey())
            let signIn = try await ada.register("ada")
            thief.cookie = ada.cookie
            // The thief has an account too, and so a challenge.
            let other = world.visitor()
            let foreign = try other.challenge(in: try await other.register("eve"))
            let challenge = try ada.challenge(in: signIn)
            #expect(
                try await thief.registerDevice(DeviceKey().proof(foreign, registers: true)).refusal
                    == "400 device_proof_not_valid"
            )
            let session = try await ada.bind(key, after: signIn, in: world).deviceSession
            thief.bound = nil
            #expect(
                try await thief.registerDevice(DeviceKey().proof(challenge, registers: true)).refusal
                    == "401 device_proof_required"
            )
            // Even a thief with both cookies and the challenge of the sign-in changes no key.
            thief.bound = ada.bound
            let again = try await thief.registerDevice(DeviceKey().proof(challenge, registers: true))
            #expect(again.refusal == "400 device_proof_not_valid" || again.refusal == "409 session_bound")
            #expect(try await ada.renew(key, session).status == .ok)
            #expect(try await thief.renew(DeviceKey(), session).refusal == "400 device_proof_not_valid")
        }
    }

    @Test func `of two registrations with one challenge the first counts`() async throws {
        try await withService(.secure) { world in
            let (ada, key) = (world.visitor(), DeviceKey())
            let challenge = try ada.challenge(in: try await ada.register("ada"))
            let session = try await ada.registerDevice(key.proof(challenge, registers: true)).deviceSession
            let second = try await ada.registerDevice(DeviceKey().proof(challenge, registers: true))
            #expect(second.refusal == "409 session_bound")
            #expect(try await ada.renew(key, session).status == .ok)
        }
    }

    @Test func `a challenge to register counts for a minute, and never from the future`() async throws {
        for (seconds, isTaken) in [(Int64(59), true), (60, false), (-1, false)] {
            try await withService(.secure) { world in
                let ada = world.visitor()
                let challenge = try ada.challenge(in: try await ada.register("ada"))
                world.effects.advance(by: seconds)
                let answer = try await ada.registerDevice(DeviceKey().proof(challenge, registers: true))
                #expect((answer.status == .ok) == isTaken)
            }
        }
    }

    @Test func `a page of another site, and a request without a session, register nothing`() async throws {
        try await withService(.secure) { world in
            let (ada, key) = (world.visitor(), DeviceKey())
            let proof = try await key.proof(ada.challenge(in: ada.register("ada")), registers: true)
            ada.origin = "https://example.org"
            #expect(try await ada.registerDevice(proof).refusal == "403 origin_not_allowed")
            ada.origin = "https://example.com"
            let cookie = ada.cookie
            ada.cookie = nil
            #expect(try await ada.registerDevice(proof).refusal == "401 not_signed_in")
            ada.cookie = cookie
            let none = try await ada.send(.post, "/device-session/registration", nil)
            #expect(none.refusal == "400 malformed_request")
            #expect(try await ada.registerDevice(proof).status == .ok)
        }
    }
}
