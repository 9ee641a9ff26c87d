import Testing
import WardCBOR
import WardCOSE

/// One thing wrong with a key, and why it is refused.
struct KeyRefusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let encoded: [UInt8]
    let code: COSEError.Code

    init(_ description: String, _ code: COSEError.Code, _ encoded: [UInt8]) {
        testDescription = description
        self.encoded = encoded
        self.code = code
    }

    init(_ description: String, _ code: COSEError.Code, _ map: KeyMap, _ change: (inout KeyMap) -> Void) {
        self.init(description, code, map.with(change).encoded)
    }
}

extension KeyRefusal {
    static let structure = [
        Self("nothing", .malformed, []),
        Self("an array", .malformed, [0x80]),
        Self("an empty map", .missingParameter, [0xa0]),
        Self("a byte behind the key", .trailingBytes, KeyMap.es256.encoded + [0x00]),
        Self("a second key behind the key", .trailingBytes, KeyMap.es256.encoded + KeyMap.es256.encoded),
        Self("labels in another order", .malformed, hex("a2 03 26 01 02")),
        Self("a label twice", .malformed, hex("a3 01 02 03 26 03 26")),
        Self("an indefinite length", .malformed, [0xbf] + KeyMap.es256.encoded.dropFirst() + [0xff]),
        Self("a tag around it", .malformed, [0xc1] + KeyMap.es256.encoded),
        Self("an algorithm of 2^63", .malformed, hex("a2 01 02 03 1b 8000000000000000")),
        Self("no key type", .missingParameter, .es256) { $0[1] = nil },
        Self("no algorithm", .missingParameter, .es256) { $0[3] = nil },
        Self("no curve", .missingParameter, .es256) { $0[-1] = nil },
        Self("no x", .missingParameter, .es256) { $0[-2] = nil },
        Self("no y", .missingParameter, .es256) { $0[-3] = nil },
        Self("no curve of an Ed25519 key", .missingParameter, .edDSA) { $0[-1] = nil },
        Self("no x of an Ed25519 key", .missingParameter, .edDSA) { $0[-2] = nil },
        Self("no modulus", .missingParameter, .rs256) { $0[-1] = nil },
        Self("no exponent", .missingParameter, .rs256) { $0[-2] = nil },
        Self("no ML-DSA key", .missingParameter, .mlDSA65) { $0[-1] = nil },
        Self("an algorithm by name", .malformed, .es256) { $0[3] = "ES256" },
        Self("a key type by name", .malformed, .es256) { $0[1] = "EC2" },
        Self("a curve by name", .malformed, .es256) { $0[-1] = "P-256" },
        Self("an x that is text", .malformed, .es256) { $0[-2] = "x" },
        Self("an x that is a number", .malformed, .es256) { $0[-2] = 1 },
        Self("a y that is null", .malformed, .es256) { $0[-3] = .null },
        Self("a modulus that is a number", .malformed, .rs256) { $0[-1] = 1 },
        Self("an exponent that is a number", .malformed, .rs256) { $0[-2] = 65537 },
        Self("more parameters than any key has", .malformed, .es256) { map in
            for label in 100..<200 as Range<Int64> { map[.integer(label)] = 0 }
        },
        Self("longer than any key", .keyTooLarge, .es256) { map in
            for label in 100..<103 as Range<Int64> { map[.integer(label)] = .bytes([UInt8](repeating: 0, count: 4000)) }
        },
        Self("the private part of an EC2 key", .privateParameter, .es256) { $0[-4] = .bytes([1]) },
        Self("the private part of an OKP key", .privateParameter, .edDSA) { $0[-4] = .bytes([1]) },
        Self("the private exponent of an RSA key", .privateParameter, .rs256) { $0[-3] = .bytes([1]) },
        Self("a prime of an RSA key", .privateParameter, .rs256) { $0[-4] = .bytes([1]) },
        Self("the other primes of an RSA key", .privateParameter, .rs256) { $0[-9] = [] },
        Self("the seed of an ML-DSA key", .privateParameter, .mlDSA65) { $0[-2] = .bytes([1]) },
        Self("operations without verify", .keyOperations, .es256) { $0[4] = [1, "sign"] },
        Self("no operations at all", .keyOperations, .es256) { $0[4] = [] },
        Self("operations that are not a list", .malformed, .es256) { $0[4] = 2 },
    ]

    static let algorithms = [
        Self("algorithm 0", .unknownAlgorithm, .es256) { $0[3] = 0 },
        Self("a hash as algorithm", .unknownAlgorithm, .es256) { $0[3] = -16 },
        Self("an encryption as algorithm", .unknownAlgorithm, .es256) { $0[3] = 3 },
        Self("an algorithm nobody registered", .unknownAlgorithm, .es256) { $0[3] = -65_536 },
        Self("the smallest number there is", .unknownAlgorithm, .es256) { $0[3] = .integer(.min) },
        Self("ES256K", .unsupportedAlgorithm, .es256) {
            $0[3] = -47; $0[-1] = 8
        },
        Self("Ed448", .unsupportedAlgorithm, .edDSA) {
            $0[3] = -53; $0[-1] = 7
        },
        Self("ML-DSA-44", .unsupportedAlgorithm, .mlDSA65) { $0[3] = -48 },
        Self("SHA-1", .attestationOnlyAlgorithm, .rs256) { $0[3] = -65_535 },
        Self("ES256 with a key of type OKP", .keyTypeMismatch, .edDSA) { $0[3] = -7 },
        Self("ES256 with a key of type RSA", .keyTypeMismatch, .rs256) { $0[3] = -7 },
        Self("EdDSA with a key of type EC2", .keyTypeMismatch, .es256) { $0[3] = -8 },
        Self("RS256 with a key of type EC2", .keyTypeMismatch, .es256) { $0[3] = -257 },
        Self("PS256 with a key of type OKP", .keyTypeMismatch, .edDSA) { $0[3] = -37 },
        Self("ML-DSA-65 with a key of type OKP", .keyTypeMismatch, .mlDSA65) { $0[1] = 1 },
        Self("EdDSA with a key of type AKP", .keyTypeMismatch, .mlDSA65) { $0[3] = -8 },
        Self("a symmetric key", .keyTypeMismatch, .es256) { $0[1] = 4 },
        Self("key type 0", .keyTypeMismatch, .es256) { $0[1] = 0 },
        Self("ES256 on P-384", .curveMismatch, .es384) { $0[3] = -7 },
        Self("ES256 on P-521", .curveMismatch, .es256) { $0[-1] = 3 },
        Self("ES256 on secp256k1", .curveMismatch, .es256) { $0[-1] = 8 },
        Self("ES256 on Ed25519", .curveMismatch, .es256) { $0[-1] = 6 },
        Self("ES256 on curve 0", .curveMismatch, .es256) { $0[-1] = 0 },
        Self("ES384 on P-256", .curveMismatch, .es256) { $0[3] = -35 },
        Self("ES512 on P-256", .curveMismatch, .es256) { $0[3] = -36 },
        Self("ESP256 on P-384", .curveMismatch, .es384) { $0[3] = -9 },
        Self("ESP384 on P-256", .curveMismatch, .es256) { $0[3] = -51 },
        Self("ESP512 on P-256", .curveMismatch, .es256) { $0[3] = -52 },
        Self("EdDSA on Ed448", .curveMismatch, .edDSA) { $0[-1] = 7 },
        Self("EdDSA on X25519", .curveMismatch, .edDSA) { $0[-1] = 4 },
        Self("Ed25519 on Ed448", .curveMismatch, .edDSA) {
            $0[3] = -19; $0[-1] = 7
        },
    ]

    static let numbers = [
        Self("a compressed point, y even", .compressedPoint, .es256) { $0[-3] = false },
        Self("a compressed point, y odd", .compressedPoint, .es256) { $0[-3] = true },
        Self("an empty x", .wrongLength, .es256) { $0[-2] = .bytes([]) },
        Self("x without its last byte", .wrongLength, .es256) { $0[-2] = .bytes(Array($0.x.dropLast())) },
        Self("x with a zero in front", .wrongLength, .es256) { $0[-2] = .bytes([0] + $0.x) },
        Self("y without its first byte", .wrongLength, .es256) { $0[-3] = .bytes(Array($0.x.dropFirst())) },
        Self("y with a zero behind", .wrongLength, .es256) { $0[-3] = .bytes($0.x + [0]) },
        Self("P-256 coordinates for P-384", .wrongLength, .es256) {
            $0[3] = -35; $0[-1] = 2
        },
        Self("an Ed25519 key of 31 bytes", .wrongLength, .edDSA) { $0[-2] = .bytes(Array($0.x.dropLast())) },
        Self("an Ed25519 key of 33 bytes", .wrongLength, .edDSA) { $0[-2] = .bytes($0.x + [0]) },
        Self("an ML-DSA-65 key of another size", .wrongLength, .mlDSA65) { $0[-1] = .bytes([1]) },
        Self("an ML-DSA-65 key as ML-DSA-87", .wrongLength, .mlDSA65) { $0[3] = -50 },
        Self("an Ed25519 coordinate of p", .pointNotOnCurve, .edDSA) { $0[-2] = ed25519("ed", "ff", "7f") },
        Self("an Ed25519 coordinate of 2^255 - 1", .pointNotOnCurve, .edDSA) { $0[-2] = ed25519("ff", "ff", "ff") },
        Self("the neutral element of Ed25519", .weakKey, .edDSA) { $0[-2] = ed25519("01", "00", "00") },
        Self("the neutral element with a sign", .weakKey, .edDSA) { $0[-2] = ed25519("01", "00", "80") },
        Self("the point of order 2", .weakKey, .edDSA) { $0[-2] = ed25519("ec", "ff", "7f") },
        Self("a point of order 4", .weakKey, .edDSA) { $0[-2] = ed25519("00", "00", "00") },
        Self("the other point of order 4", .weakKey, .edDSA) { $0[-2] = ed25519("00", "00", "80") },
        Self("a point of order 8", .weakKey, .edDSA) {
            $0[-2] = .bytes(hex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"))
        },
        Self("another point of order 8", .weakKey, .edDSA) {
            $0[-2] = .bytes(hex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"))
        },
        Self("a modulus of 2047 bits", .keyTooSmall, .rs256) { $0[-1] = KeyMap.modulus(bits: 2047) },
        Self("a modulus of 1024 bits", .keyTooSmall, .rs256) { $0[-1] = KeyMap.modulus(bits: 1024) },
        Self("a modulus of 1", .keyTooSmall, .rs256) { $0[-1] = .bytes([1]) },
        Self("a modulus of 8193 bits", .keyTooLarge, .rs256) { $0[-1] = KeyMap.modulus(bits: 8193) },
        Self("a modulus of 16384 bits", .keyTooLarge, .rs256) { $0[-1] = KeyMap.modulus(bits: 16_384) },
        Self("an empty modulus", .invalidModulus, .rs256) { $0[-1] = .bytes([]) },
        Self("a modulus with a zero in front", .invalidModulus, .rs256) {
            $0[-1] = .bytes([0] + OpenSSLFixture.modulus)
        },
        Self("an even modulus", .invalidModulus, .rs256) { $0[-1] = .bytes(OpenSSLFixture.modulus.dropLast() + [2]) },
        Self("an empty exponent", .invalidExponent, .rs256) { $0[-2] = .bytes([]) },
        Self("an exponent of 0", .invalidExponent, .rs256) { $0[-2] = .bytes([0]) },
        Self("an exponent of 1", .invalidExponent, .rs256) { $0[-2] = .bytes([1]) },
        Self("an exponent of 2", .invalidExponent, .rs256) { $0[-2] = .bytes([2]) },
        Self("an even exponent", .invalidExponent, .rs256) { $0[-2] = .bytes([1, 0, 0]) },
        Self("an exponent with a zero in front", .invalidExponent, .rs256) { $0[-2] = .bytes([0, 1, 0, 1]) },
        Self("an exponent of 33 bits", .invalidExponent, .rs256) { $0[-2] = .bytes([1, 0, 0, 0, 1]) },
    ]

    /// 32 bytes: the first, thirty in between, the last.
    private static func ed25519(_ first: String, _ middle: String, _ last: String) -> CBORValue {
        .bytes(hex(first + String(repeating: middle, count: 30) + last))
    }
}

extension KeyMap {
    var x: [UInt8] { self[-2]?.bytesValue ?? [] }
}

@Suite struct `Keys that are refused` {
    @Test(arguments: KeyRefusal.structure + KeyRefusal.algorithms + KeyRefusal.numbers)
    func `one thing wrong is refused for what it is`(refusal: KeyRefusal) {
        #expect(throws: COSEError(refusal.code)) { try COSEKey(refusal.encoded) }
    }

    @Test(arguments: [KeyMap.es256, .es384, .edDSA, .rs256, .mlDSA65])
    func `what they were made from is accepted`(map: KeyMap) throws {
        let key = try COSEKey(map.encoded)
        #expect(key.encoded == map.encoded)
        _ = try key.verificationKey()
    }

    @Test func `coordinates that are not a point are found when the key is imported`() throws {
        let offCurve: [(String, KeyMap)] = [
            ("y changed", .es256.with { $0[-3] = .bytes($0.x) }),
            ("x changed", .es256.with { $0[-2] = .bytes([1] + $0.x.dropFirst()) }),
            (
                "all zero",
                .es256.with {
                    $0[-2] = .bytes([UInt8](repeating: 0, count: 32)); $0[-3] = $0[-2]
                }
            ),
            ("above the field", .es256.with { $0[-2] = .bytes([UInt8](repeating: 0xff, count: 32)) }),
            (
                "a point of P-256 on P-384",
                .es384.with { $0[-2] = .bytes([UInt8](repeating: 0, count: 16) + KeyMap.es256.x) }
            ),
        ]
        for (name, map) in offCurve {
            let key = try COSEKey(map.encoded)
            #expect(throws: COSEError(.pointNotOnCurve), "\(name)") { try key.verificationKey() }
        }
    }

    @Test func `every shorter key is malformed`() {
        for map in [KeyMap.es256, .edDSA, .rs256] {
            let encoded = map.encoded
            for length in 0..<encoded.count {
                #expect(throws: COSEError(.malformed)) { try COSEKey(Array(encoded.prefix(length))) }
            }
        }
    }

    @Test func `no flipped bit makes another key of an ES256 key`() {
        let encoded = KeyMap.es256.encoded
        for offset in encoded.indices {
            for bit in 0..<8 {
                var spoiled = encoded
                spoiled[offset] ^= 1 << UInt8(bit)
                #expect(throws: COSEError.self) { try COSEKey(spoiled).verificationKey() }
            }
        }
    }

    @Test func `flipped bits in other keys are refused or make a key that is exactly those bytes`() {
        for map in [KeyMap.edDSA, .rs256] {
            for offset in map.encoded.indices {
                for bit in 0..<8 {
                    var spoiled = map.encoded
                    spoiled[offset] ^= 1 << UInt8(bit)
                    guard let key = try? COSEKey(spoiled) else { continue }
                    #expect(key.encoded == spoiled)
                    if let imported = try? key.verificationKey() {
                        #expect(!imported.isValid(signature: [], for: []))
                    }
                }
            }
        }
    }
}
