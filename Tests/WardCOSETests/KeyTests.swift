import Testing
import WardCBOR
import WardCOSE

@Suite struct `Keys` {
    @Test func `a key says what it is made of`() throws {
        let ec2 = try COSEKey(KeyMap.es256.encoded)
        #expect(ec2.algorithm == .es256)
        #expect(ec2.material == .ec2(curve: .p256, x: KeyMap.es256.x, y: KeyMap.es256[-3]?.bytesValue ?? []))
        let okp = try COSEKey(KeyMap.edDSA.encoded)
        #expect(okp.algorithm == .edDSA)
        #expect(okp.material == .okp(curve: .ed25519, x: KeyMap.edDSA.x))
        let rsa = try COSEKey(KeyMap.rs256.encoded)
        #expect(rsa.algorithm == .rs256)
        #expect(rsa.material == .rsa(n: OpenSSLFixture.modulus, e: [1, 0, 1]))
        let akp = try COSEKey(KeyMap.mlDSA65.encoded)
        #expect(akp.material == .akp(publicKey: [UInt8](repeating: 5, count: 1952)))
    }

    @Test(arguments: [KeyMap.es256, .es384, .edDSA, .rs256, .mlDSA65])
    func `a key made from its material is encoded the same`(map: KeyMap) throws {
        let key = try COSEKey(map.encoded)
        let again = try COSEKey(algorithm: key.algorithm, material: key.material)
        #expect(again == key)
        #expect(again.encoded == map.encoded)
        #expect(Set([key, again]).count == 1)
    }

    @Test func `material that does not fit its algorithm makes no key`() throws {
        let ec2 = try COSEKey(KeyMap.es256.encoded).material
        #expect(throws: COSEError(.curveMismatch)) { try COSEKey(algorithm: .es384, material: ec2) }
        #expect(throws: COSEError(.keyTypeMismatch)) { try COSEKey(algorithm: .edDSA, material: ec2) }
        #expect(throws: COSEError(.attestationOnlyAlgorithm)) { try COSEKey(algorithm: .rs1, material: ec2) }
        #expect(throws: COSEError(.wrongLength)) {
            try COSEKey(algorithm: .es256, material: .ec2(curve: .p256, x: [1], y: [1]))
        }
    }

    @Test func `a key is read from the middle of authenticator data and the offset moves behind it`() throws {
        for map in [KeyMap.es256, .edDSA, .rs256, .mlDSA65] {
            let bytes = [0xff, 0xff] + map.encoded + [0xa0, 0x01]
            var offset = 2
            let key = try COSEKey.read(bytes.span, at: &offset)
            #expect(offset == 2 + map.encoded.count)
            #expect(try key == COSEKey(map.encoded))
            #expect(try key.material == COSEKey(map.encoded).material)
            _ = try key.verificationKey()
        }
    }

    @Test func `where no key begins the offset stays`() {
        let bytes = KeyMap.es256.encoded
        for start in [1, bytes.count, bytes.count + 1, Int.max] {
            var offset = start
            #expect(throws: COSEError(.malformed)) { try COSEKey.read(bytes.span, at: &offset) }
            #expect(offset == start)
        }
    }

    @Test func `labels without meaning are ignored and kept`() throws {
        let map = KeyMap.es256.with {
            $0[2] = .bytes([1, 2, 3])
            $0[5] = .bytes([4])
            $0[-70_000] = ["a": [1]]
            $0["vendor"] = .null
        }
        let key = try COSEKey(map.encoded)
        #expect(key.encoded == map.encoded)
        #expect(try key.material == COSEKey(KeyMap.es256.encoded).material)
        #expect(try key != COSEKey(KeyMap.es256.encoded))
    }

    @Test func `operations with verify are accepted`() throws {
        for operations in [[2], ["verify"], [1, 2], [.null, -1, .bytes([]), [2], ["a": 1], true, "verify"]]
            as [CBORValue]
        {
            _ = try COSEKey(KeyMap.es256.with { $0[4] = operations }.encoded)
        }
    }

    @Test(arguments: [2048, 2049, 2055, 2056, 3482, 4096, 8191, 8192])
    func `RSA moduli of any number of bits within the limits are accepted`(bits: Int) throws {
        let key = try COSEKey(KeyMap.rs256.with { $0[-1] = KeyMap.modulus(bits: bits) }.encoded)
        let imported = try key.verificationKey()
        #expect(!imported.isValid(signature: [UInt8](repeating: 1, count: (bits + 7) / 8), for: []))
    }

    @Test(arguments: [[3], [17], [1, 0, 1], [0xff, 0xff, 0xff, 0xff]] as [[UInt8]])
    func `odd RSA exponents from 3 to 32 bits are accepted`(exponent: [UInt8]) throws {
        _ = try COSEKey(KeyMap.rs256.with { $0[-2] = .bytes(exponent) }.encoded).verificationKey()
    }

    @Test func `Ed25519 coordinates just below the field are accepted`() throws {
        let below = [
            "ee" + String(repeating: "ff", count: 29) + "fe7f", "edfe" + String(repeating: "ff", count: 30),
            "eb" + String(repeating: "ff", count: 30) + "7f",
        ]
        for coordinate in below {
            _ = try COSEKey(KeyMap.edDSA.with { $0[-2] = .bytes(hex(coordinate)) }.encoded)
        }
    }

    @Test func `algorithms have the names and numbers that IANA gave them`() {
        let registered: [(COSEAlgorithmIdentifier, Int, String, Bool)] = [
            (.es256, -7, "ES256", true), (.es384, -35, "ES384", true), (.es512, -36, "ES512", true),
            (.edDSA, -8, "EdDSA", true), (.esp256, -9, "ESP256", true), (.esp384, -51, "ESP384", true),
            (.esp512, -52, "ESP512", true), (.ed25519, -19, "Ed25519", true), (.rs256, -257, "RS256", true),
            (.rs384, -258, "RS384", true), (.rs512, -259, "RS512", true), (.ps256, -37, "PS256", true),
            (.ps384, -38, "PS384", true), (.ps512, -39, "PS512", true), (.mlDSA44, -48, "ML-DSA-44", false),
            (.mlDSA65, -49, "ML-DSA-65", true), (.mlDSA87, -50, "ML-DSA-87", true), (.es256K, -47, "ES256K", false),
            (.ed448, -53, "Ed448", false), (.rs1, -65_535, "RS1", false),
        ]
        for (algorithm, number, name, isSupported) in registered {
            #expect(algorithm.rawValue == number)
            #expect(algorithm.name == name)
            #expect(algorithm.isSupported == isSupported)
        }
        #expect(COSEAlgorithmIdentifier(rawValue: 12).name == "12")
    }

    @Test func `errors print the code and the detail and compare by code`() {
        #expect("\(COSEError(.weakKey))" == "weak_key")
        #expect("\(COSEError(.wrongLength, "x of 1 bytes"))" == "wrong_length: x of 1 bytes")
        #expect(COSEError(.wrongLength, "a") == COSEError(.wrongLength, "b"))
        #expect(Set([COSEError(.wrongLength, "a"), COSEError(.wrongLength, "b"), COSEError(.weakKey)]).count == 2)
    }
}
