import Crypto
import CryptoExtras
import Testing
import WardServer
import WardText

/// A token that is refused for one thing that it says; everything else in it is true.
struct TokenLie: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let refusal: FederationRefusal
    var change: @Sendable (inout TokenMaker) -> Void = { _ in }
    var key: @Sendable (inout [String: JSONValue]) -> Void = { _ in }
    var token: @Sendable (String) -> String = { $0 }
    var accessToken: String? = "access"
}

@Suite struct `An ID token of an identity provider` {
    private static let now = TokenMaker.now

    private static func verified(
        _ maker: TokenMaker,
        _ lie: TokenLie? = nil,
        at time: Int64 = now
    ) throws -> FederatedIdentity {
        let text = try maker.token()
        let keys = try ProviderKeys(maker.keySet { lie?.key(&$0) })
        return try ProviderIDToken(lie?.token(text) ?? text).verified(
            with: keys,
            for: IDTokenExpectation(
                issuer: TokenMaker.issuer,
                clientID: TokenMaker.clientID,
                nonce: "n-1",
                accessToken: lie == nil ? "access" : lie?.accessToken
            ),
            at: time
        )
    }

    @Test func `is accepted with each algorithm, and says who signed in`() throws {
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let keys: [ProviderKey] = [.es256(.init()), .rs256(rsa), .ps256(rsa), .edDSA(.init())]
        for key in keys {
            var maker = TokenMaker(key)
            let identity = try Self.verified(maker)
            #expect(identity.issuer == TokenMaker.issuer && identity.subject == "ada-1815")
            #expect(identity.label == "ada@example.com")
            // The left half of the hash of the access token.
            let hash =
                key.algorithm == "EdDSA"
                ? Array(SHA512.hash(data: Array("access".utf8)).prefix(32))
                : Array(SHA256.hash(data: Array("access".utf8)).prefix(16))
            maker.claims["at_hash"] = .string(Base64URL.encode(hash))
            #expect(throws: Never.self) { try Self.verified(maker) }
            // Another key of the same kind did not sign.
            maker.signature = { message in
                switch key {
                case .es256: try ProviderKey.es256(.init()).signature(of: message)
                case .rs256: try ProviderKey.rs256(.init(keySize: .bits2048)).signature(of: message)
                case .ps256: try ProviderKey.ps256(.init(keySize: .bits2048)).signature(of: message)
                case .edDSA: try ProviderKey.edDSA(.init()).signature(of: message)
                }
            }
            #expect(throws: FederationRefusal.tokenSignature) { try Self.verified(maker) }
        }
    }

    @Test func `is accepted in the other forms that the specification allows`() throws {
        var maker = TokenMaker()
        maker.claims["aud"] = .array([.string(TokenMaker.clientID)])
        maker.claims["azp"] = .string(TokenMaker.clientID)
        maker.claims["exp"] = .number(Double(Self.now) + 0.5)
        maker.header["kid"] = nil
        #expect(throws: Never.self) { try Self.verified(maker) }
        // Clocks may differ by a minute.
        maker.claims["exp"] = .integer(Self.now - 59)
        maker.claims["iat"] = .integer(Self.now + 60)
        #expect(throws: Never.self) { try Self.verified(maker) }
    }

    @Test(arguments: TokenLie.all) func `is refused for`(_ lie: TokenLie) throws {
        var maker = TokenMaker()
        lie.change(&maker)
        #expect(throws: lie.refusal) { try Self.verified(maker, lie) }
    }

    @Test func `has a key that only one entry of the set names`() throws {
        let (one, other) = (TokenMaker(), TokenMaker())
        func check(_ makers: [TokenMaker], _ keyID: JSONValue?) throws {
            var maker = one
            maker.header["kid"] = keyID
            let entries = try makers.flatMap { try JSONValue($0.keySet())["keys"]?.arrayValue ?? [] }
            let keys = try ProviderKeys(JSONValue.object([.init("keys", .array(entries))]).serialized)
            _ = try ProviderIDToken(maker.token()).verified(
                with: keys,
                for: IDTokenExpectation(
                    issuer: TokenMaker.issuer,
                    clientID: TokenMaker.clientID,
                    nonce: "n-1",
                    accessToken: nil
                ),
                at: Self.now
            )
        }
        #expect(throws: Never.self) { try check([one], "one") }
        #expect(throws: FederationRefusal.keyUnknown) { try check([one, other], "one") }
        // Without a key ID, no choice may be left.
        #expect(throws: Never.self) { try check([one], nil) }
        #expect(throws: FederationRefusal.keyUnknown) { try check([one, other], nil) }
        #expect(throws: FederationRefusal.keyUnknown) { try check([], nil) }
        for text in ["[]", "{}", "{\"keys\":{}}", ""] {
            #expect(throws: FederationRefusal.keysUnreadable) { try ProviderKeys(Array(text.utf8)) }
        }
    }
}

@Suite struct `A federated identity` {
    @Test func `has a key that no other pair of issuer and subject has`() {
        func key(_ issuer: String, _ subject: String) -> [UInt8] {
            FederatedIdentity(issuer: issuer, subject: subject, label: nil).key
        }
        let keys = [
            key("https://a.example", "1"), key("https://a.example", "11"), key("https://a.example1", "1"),
            key("https://b.example", "1"),
        ]
        #expect(Set(keys).count == 4)
        #expect(keys.allSatisfy { $0.count == 32 })
        // The text that is shown is no part of it.
        #expect(FederatedIdentity(issuer: "https://a.example", subject: "1", label: "x").key == keys[0])
    }

    @Test func `shows a text of bounded length without control characters`() {
        func label(_ text: String) -> String? { FederatedIdentity(issuer: "i", subject: "s", label: text).label }
        #expect(label("ada@example.com") == "ada@example.com")
        #expect(label("a\u{202e}b\u{0}c\nd") == "abcd")
        #expect(label(String(repeating: "é", count: 500))?.unicodeScalars.count == 128)
        #expect(label("\u{7}") == nil)
        #expect(label("") == nil)
    }
}

extension TokenLie {
    private static let now = TokenMaker.now

    static let all: [TokenLie] = [
        // Step 2.
        TokenLie(testDescription: "another issuer", refusal: .tokenIssuer) {
            $0.claims["iss"] = "https://evil.example"
        },
        TokenLie(testDescription: "the issuer with a slash", refusal: .tokenIssuer) {
            $0.claims["iss"] = .string(TokenMaker.issuer + "/")
        },
        TokenLie(testDescription: "no issuer", refusal: .tokenIssuer) { $0.claims["iss"] = nil },
        // Step 3.
        TokenLie(testDescription: "another audience", refusal: .tokenAudience) { $0.claims["aud"] = "another" },
        TokenLie(testDescription: "no audience", refusal: .tokenAudience) { $0.claims["aud"] = nil },
        TokenLie(testDescription: "an empty list of audiences", refusal: .tokenAudience) { $0.claims["aud"] = [] },
        TokenLie(testDescription: "an audience that nobody trusts, too", refusal: .tokenAudience) {
            $0.claims["aud"] = .array([.string(TokenMaker.clientID), "another"])
            $0.claims["azp"] = .string(TokenMaker.clientID)
        },
        // Steps 4 and 5.
        TokenLie(testDescription: "another authorized party", refusal: .tokenAudience) { $0.claims["azp"] = "another" },
        TokenLie(testDescription: "an authorized party that is a number", refusal: .tokenAudience) {
            $0.claims["azp"] = 1
        },
        // Step 6.
        TokenLie(testDescription: "a signature with one bit changed", refusal: .tokenSignature) { maker in
            let key = maker.key
            maker.signature = { message in
                var signature = try key.signature(of: message)
                signature[10] ^= 1
                return signature
            }
        },
        TokenLie(testDescription: "a signature of zeros", refusal: .tokenSignature) {
            $0.signature = { _ in [UInt8](repeating: 0, count: 64) }
        },
        TokenLie(testDescription: "no signature", refusal: .tokenSignature) { $0.signature = { _ in [] } },
        TokenLie(testDescription: "a key ID that is unknown", refusal: .keyUnknown) { $0.header["kid"] = "two" },
        TokenLie(testDescription: "a key for encryption", refusal: .keyUnusable, key: { $0["use"] = "enc" }),
        TokenLie(testDescription: "a private key", refusal: .keyUnusable, key: { $0["d"] = "AAAA" }),
        TokenLie(
            testDescription: "a key that is not on the curve",
            refusal: .keyUnusable,
            key: { $0["x"] = .string(Base64URL.encode([UInt8](repeating: 1, count: 32))) }
        ),
        TokenLie(testDescription: "an extension that is critical", refusal: .tokenExtension) {
            $0.header["crit"] = ["b64"]
        },
        // Step 7.
        TokenLie(testDescription: "another algorithm than the key's", refusal: .keyUnusable) {
            $0.header["alg"] = "RS256"
        },
        TokenLie(testDescription: "a key for another algorithm", refusal: .keyUnusable, key: { $0["alg"] = "ES384" }),
        TokenLie(testDescription: "the algorithm none", refusal: .tokenAlgorithm) {
            $0.header["alg"] = "none"
            $0.signature = { _ in [] }
        },
        TokenLie(testDescription: "the algorithm None", refusal: .tokenAlgorithm) {
            $0.header["alg"] = "None"
            $0.signature = { _ in [] }
        },
        TokenLie(testDescription: "no algorithm", refusal: .tokenAlgorithm) { $0.header["alg"] = nil },
        // Step 8: the public key as the secret of a keyed hash.
        TokenLie(testDescription: "a keyed hash with the public key", refusal: .tokenAlgorithm) { maker in
            let key = maker.keySet()
            maker.header["alg"] = "HS256"
            maker.signature = { message in
                Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
            }
        },
        TokenLie(
            testDescription: "a keyed hash whose key is in the key set",
            refusal: .tokenAlgorithm,
            change: { maker in
                maker.header["alg"] = "HS256"
                maker.signature = { message in
                    Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: Array("key".utf8))))
                }
            },
            key: { $0 = ["kty": "oct", "kid": "one", "k": .string(Base64URL.encode(Array("key".utf8)))] }
        ),
        // Step 9.
        TokenLie(testDescription: "expired", refusal: .tokenExpired) { $0.claims["exp"] = .integer(now - 60) },
        TokenLie(testDescription: "no expiry", refusal: .tokenExpired) { $0.claims["exp"] = nil },
        TokenLie(testDescription: "an expiry that is a text", refusal: .tokenExpired) { $0.claims["exp"] = "2099" },
        TokenLie(testDescription: "an expiry beyond all numbers", refusal: .tokenExpired) {
            $0.claims["exp"] = .number(1e300)
        },
        // Step 10.
        TokenLie(testDescription: "made tomorrow", refusal: .tokenTime) { $0.claims["iat"] = .integer(now + 61) },
        TokenLie(testDescription: "made long ago", refusal: .tokenTime) { $0.claims["iat"] = .integer(now - 661) },
        TokenLie(testDescription: "no time", refusal: .tokenTime) { $0.claims["iat"] = nil },
        TokenLie(testDescription: "the first of all times", refusal: .tokenTime) { $0.claims["iat"] = .integer(.min) },
        TokenLie(testDescription: "not before tomorrow", refusal: .tokenTime) {
            $0.claims["nbf"] = .integer(now + 86_400)
        },
        // Step 11.
        TokenLie(testDescription: "another nonce", refusal: .tokenNonce) { $0.claims["nonce"] = "n-2" },
        TokenLie(testDescription: "no nonce", refusal: .tokenNonce) { $0.claims["nonce"] = nil },
        // Section 3.1.3.8.
        TokenLie(testDescription: "the hash of another access token", refusal: .tokenAccessHash) {
            $0.claims["at_hash"] = .string(Base64URL.encode(Array(SHA256.hash(data: Array("other".utf8)).prefix(16))))
        },
        TokenLie(testDescription: "an empty hash of the access token", refusal: .tokenAccessHash) {
            $0.claims["at_hash"] = ""
        },
        TokenLie(
            testDescription: "the hash of an access token that did not come",
            refusal: .tokenAccessHash,
            change: {
                $0.claims["at_hash"] = .string(
                    Base64URL.encode(Array(SHA256.hash(data: Array("access".utf8)).prefix(16)))
                )
            },
            accessToken: nil
        ),
        // Section 2.
        TokenLie(testDescription: "no subject", refusal: .tokenSubject) { $0.claims["sub"] = nil },
        TokenLie(testDescription: "an empty subject", refusal: .tokenSubject) { $0.claims["sub"] = "" },
        TokenLie(testDescription: "a subject of 256 characters", refusal: .tokenSubject) {
            $0.claims["sub"] = .string(String(repeating: "a", count: 256))
        },
        TokenLie(testDescription: "a subject that is not ASCII", refusal: .tokenSubject) { $0.claims["sub"] = "adá" },
        TokenLie(testDescription: "a subject that is a number", refusal: .tokenSubject) { $0.claims["sub"] = 1815 },
        // The form.
        TokenLie(
            testDescription: "half a token",
            refusal: .tokenUnreadable,
            token: { String($0.prefix($0.count / 2)) }
        ),
        TokenLie(testDescription: "four parts", refusal: .tokenUnreadable, token: { $0 + ".more" }),
        TokenLie(testDescription: "an encrypted token", refusal: .tokenUnreadable, token: { $0 + ".a.b" }),
        TokenLie(testDescription: "padding", refusal: .tokenUnreadable, token: { $0 + "=" }),
        TokenLie(
            testDescription: "a token without end",
            refusal: .tokenUnreadable,
            token: { $0 + String(repeating: "A", count: ProviderIDToken.maximumLength) }
        ),
        TokenLie(
            testDescription: "a member twice",
            refusal: .tokenUnreadable,
            token: { token in
                let parts = token.split(separator: ".")
                let twice = Base64URL.encode(Array(#"{"alg":"ES256","alg":"none","kid":"one"}"#.utf8))
                return "\(twice).\(parts[1]).\(parts[2])"
            }
        ),
    ]

    /// Those about claims and header that no clock decides.
    static let withoutTime = all.filter { lie in
        let refusals: [FederationRefusal] = [
            .tokenIssuer, .tokenAudience, .tokenSignature, .keyUnknown, .tokenExtension, .tokenAlgorithm, .tokenNonce,
            .tokenAccessHash, .tokenSubject,
        ]
        return refusals.contains(lie.refusal) && lie.accessToken != nil
    }
}
