import Testing
import WardCBOR
import WardCOSE
import WardText

@Suite struct `Keys that other libraries stored` {
    /// A map in the order of its pairs, which is not the canonical one.
    private func map(_ pairs: [(CBORValue, CBORValue)]) -> [UInt8] {
        [0xa0 | UInt8(pairs.count)] + pairs.flatMap { $0.encoded() + $1.encoded() }
    }

    @Test func `a map in another order is the same key`() throws {
        let key = try COSEKey(KeyMap.es256.encoded)
        let stored = map([-3, -2, -1, 3, 1].map { ($0, KeyMap.es256[$0] ?? .null) })
        #expect(throws: COSEError(.malformed)) { try COSEKey(stored) }
        #expect(try COSEKey(stored: stored) == key)
        #expect(try COSEKey(stored: key.encoded) == key)
    }

    @Test func `zeros before the numbers of RSA do not matter`() throws {
        let key = try COSEKey(KeyMap.rs256.encoded)
        let stored = KeyMap.rs256.with {
            $0[-1] = .bytes([0] + OpenSSLFixture.modulus)
            $0[-2] = .bytes([0, 1, 0, 1])
        }
        #expect(throws: COSEError(.invalidModulus)) { try COSEKey(stored.encoded) }
        #expect(try COSEKey(stored: stored.encoded) == key)
    }

    @Test func `a coordinate that lost its zeros, or has some more, is filled up or cut`() throws {
        // Keys until one has a coordinate that begins with a zero: one of 128 does.
        var found: COSEKey?
        while found == nil {
            let key = try COSEPrivateKey.generate(.es256).publicKey
            if case .ec2(_, let x, _) = key.material, x.first == 0 { found = key }
        }
        let key = try #require(found)
        guard case .ec2(_, let x, let y) = key.material else { throw COSEError(.malformed) }
        for number in [Array(x.drop { $0 == 0 }), [0, 0] + x] {
            let stored = KeyMap.es256.with {
                $0[-2] = .bytes(number)
                $0[-3] = .bytes(y)
            }
            #expect(throws: COSEError(.wrongLength)) { try COSEKey(stored.encoded) }
            #expect(try COSEKey(stored: stored.encoded) == key)
        }
    }

    @Test func `every other check stays`() throws {
        let refused: [(KeyMap, COSEError.Code)] = [
            (KeyMap.es256.with { $0[-4] = .bytes([1]) }, .privateParameter),
            (KeyMap.es256.with { $0[-2] = .bytes([UInt8](repeating: 1, count: 33)) }, .wrongLength),
            (KeyMap.es256.with { $0[-1] = 2 }, .curveMismatch),
            (KeyMap.es256.with { $0[3] = nil }, .missingParameter),
            (KeyMap.es256.with { $0[-3] = true }, .compressedPoint),
            (KeyMap.rs256.with { $0[-1] = KeyMap.modulus(bits: 1024) }, .keyTooSmall),
            (KeyMap.rs256.with { $0[-1] = .bytes([0, 0, 0]) }, .invalidModulus),
        ]
        for (key, code) in refused {
            #expect(throws: COSEError(code)) { try COSEKey(stored: key.encoded) }
        }
        let key = KeyMap.es256.encoded
        #expect(throws: COSEError(.trailingBytes)) { try COSEKey(stored: key + [0]) }
        #expect(throws: COSEError.self) { try COSEKey(stored: map([(1, 2), (1, 2), (3, -7)])) }
        #expect(throws: COSEError.self) { try COSEKey(stored: []) }
        #expect(throws: COSEError.self) { try COSEKey(stored: [0x80]) }
    }
}

@Suite struct `Keys from other forms` {
    static let algorithms: [COSEAlgorithmIdentifier] = [.es256, .es384, .es512, .edDSA, .mlDSA65, .mlDSA87]

    @Test(arguments: algorithms)
    func `what leaves as SubjectPublicKeyInfo comes back`(algorithm: COSEAlgorithmIdentifier) throws {
        let key = try COSEPrivateKey.generate(algorithm).publicKey
        let info = try key.subjectPublicKeyInfo()
        #expect(try COSEKey(subjectPublicKeyInfo: info, algorithm: algorithm) == key)
        for damaged in [Array(info.dropLast()), info + [0], Array(info.dropFirst()), []] {
            #expect(throws: COSEError.self) { try COSEKey(subjectPublicKeyInfo: damaged, algorithm: algorithm) }
        }
        for other in Self.algorithms where other != algorithm {
            #expect(throws: COSEError.self) { try COSEKey(subjectPublicKeyInfo: info, algorithm: other) }
        }
    }

    @Test func `keys of OpenSSL are read`() throws {
        let rsa = try COSEKey(subjectPublicKeyInfo: OpenSSLFixture.rsaInfo, algorithm: .ps256)
        #expect(rsa.material == .rsa(n: OpenSSLFixture.modulus, e: [1, 0, 1]) && rsa.algorithm == .ps256)
        #expect(throws: COSEError(.malformed)) {
            try COSEKey(subjectPublicKeyInfo: OpenSSLFixture.rsaInfo + [0], algorithm: .rs256)
        }
        for (info, algorithm) in [
            (OpenSSLFixture.p256Info, COSEAlgorithmIdentifier.es256), (OpenSSLFixture.p384Info, .es384),
            (OpenSSLFixture.p521Info, .es512), (OpenSSLFixture.ed25519Info, .edDSA),
        ] {
            let key = try COSEKey(subjectPublicKeyInfo: info, algorithm: algorithm)
            #expect(try key.subjectPublicKeyInfo() == info)
        }
    }

    /// The examples of RFC 7517, appendix A.1, and RFC 8037, appendix A.2.
    @Test func `the published JSON Web Keys are read`() throws {
        let point = try JSONValue(
            utf8(
                #"{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","#
                    + #""y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","use":"enc","kid":"1"}"#
            )
        )
        #expect(throws: COSEError(.keyOperations)) { try COSEKey(jwk: point) }
        let members = try #require(point.objectValue)
        let signing = JSONValue.object(members.map { $0.name == "use" ? .init("use", "sig") : $0 })
        let key = try COSEKey(jwk: signing)
        #expect(key.algorithm == .es256 && (try? key.verificationKey()) != nil)
        #expect(try COSEKey(jwk: signing, algorithm: .esp256).algorithm == .esp256)
        let ed25519: JSONValue = [
            "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        ]
        #expect(try COSEKey(jwk: ed25519).encoded == KeyMap.edDSA.encoded)
        let rsa: JSONValue = [
            "kty": "RSA", "n": .string(Base64URL.encode(OpenSSLFixture.modulus)), "e": "AQAB", "key_ops": ["verify"],
        ]
        #expect(throws: COSEError(.missingParameter)) { try COSEKey(jwk: rsa) }
        #expect(try COSEKey(jwk: rsa, algorithm: .rs256).encoded == KeyMap.rs256.encoded)
        let pub = JSONValue.string(Base64URL.encode([UInt8](repeating: 5, count: 1952)))
        #expect(try COSEKey(jwk: ["kty": "AKP", "alg": "ML-DSA-65", "pub": pub]).encoded == KeyMap.mlDSA65.encoded)
    }

    static let refused: [(JSONValue, COSEError.Code)] = [
        ([], .malformed), ("x", .malformed), ([:], .missingParameter),
        (["kty": "OKP", "crv": "Ed25519"], .missingParameter),
        (["kty": "OKP", "crv": "Ed25519", "x": "a+b="], .malformed),
        (["kty": "OKP", "crv": "Ed25519", "x": 7], .malformed),
        (["kty": "OKP", "crv": "Ed25519", "x": "AAAA"], .wrongLength),
        (["kty": "OKP", "crv": "Ed25519", "x": "AAAA", "d": "AAAA"], .privateParameter),
        (["kty": "OKP", "crv": "Ed448", "alg": "EdDSA", "x": "AAAA"], .curveMismatch),
        (["kty": "EC", "crv": "Ed25519", "x": "AAAA", "y": "AAAA"], .curveMismatch),
        (["kty": "EC", "crv": "P-256", "alg": "ES384", "x": "AAAA", "y": "AAAA"], .curveMismatch),
        (["kty": "oct", "alg": "ES256", "k": "AAAA"], .keyTypeMismatch),
        (["kty": "EC", "crv": "P-256", "alg": "HS256"], .unknownAlgorithm),
        (["crv": "Ed25519", "x": "AAAA"], .missingParameter),
        (["kty": "OKP", "crv": "Ed25519", "key_ops": ["sign"], "x": "AAAA"], .keyOperations),
    ]

    @Test func `other objects are refused, each for its reason`() {
        for (jwk, code) in Self.refused {
            #expect(throws: COSEError(code), "\(jwk)") { try COSEKey(jwk: jwk) }
        }
    }

    @Test func `an algorithm that the caller expects is not overridden by the key`() {
        let jwk: JSONValue = ["kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "x": "AAAA"]
        #expect(throws: COSEError(.keyTypeMismatch)) { try COSEKey(jwk: jwk, algorithm: .es256) }
    }
}
