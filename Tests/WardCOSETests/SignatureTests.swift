import Testing
import WardCBOR
import WardCOSE

@Suite struct `Signatures` {
    static let made: [COSEAlgorithmIdentifier] = [
        .es256, .es384, .es512, .esp256, .esp384, .esp512, .edDSA, .ed25519, .mlDSA65, .mlDSA87,
    ]

    @Test(arguments: made)
    func `what a key signs its public half accepts, and nothing else`(algorithm: COSEAlgorithmIdentifier) throws {
        let message = Array("Ward".utf8)
        let key = try COSEPrivateKey.generate(algorithm)
        let other = try COSEPrivateKey.generate(algorithm).publicKey.verificationKey()
        let imported = try COSEKey(key.publicKey.encoded).verificationKey()
        #expect(imported.algorithm == algorithm)
        for message in [message, [], [UInt8](repeating: 0x61, count: 10_000)] {
            let signature = try key.sign(message)
            #expect(imported.isValid(signature: signature, for: message))
            #expect(!imported.isValid(signature: signature, for: message + [0]))
            #expect(!imported.isValid(signature: signature + [0], for: message))
            #expect(!imported.isValid(signature: Array(signature.dropLast()), for: message))
            #expect(!imported.isValid(signature: [], for: message))
            #expect(!other.isValid(signature: signature, for: message))
        }
    }

    @Test(arguments: [COSEAlgorithmIdentifier.es256, .es384, .es512, .edDSA])
    func `no flipped bit leaves a signature valid`(algorithm: COSEAlgorithmIdentifier) throws {
        let message = Array("Ward".utf8)
        let key = try COSEPrivateKey.generate(algorithm)
        let imported = try key.publicKey.verificationKey()
        let signature = try key.sign(message)
        for offset in signature.indices {
            var spoiled = signature
            for bit in 0..<8 {
                spoiled[offset] = signature[offset] ^ 1 << UInt8(bit)
                #expect(!imported.isValid(signature: spoiled, for: message))
            }
        }
    }

    @Test(arguments: made)
    func `a key survives being written down`(algorithm: COSEAlgorithmIdentifier) throws {
        let key = try COSEPrivateKey.generate(algorithm)
        let again = try COSEPrivateKey(algorithm: algorithm, rawRepresentation: key.rawRepresentation)
        #expect(again.publicKey == key.publicKey)
        #expect(again.algorithm == algorithm)
        #expect(again.rawRepresentation == key.rawRepresentation)
        #expect(try key.publicKey.verificationKey().isValid(signature: again.sign([1]), for: [1]))
    }

    @Test(arguments: made)
    func `bytes that are not private key make none`(algorithm: COSEAlgorithmIdentifier) throws {
        let length = try COSEPrivateKey.generate(algorithm).rawRepresentation.count
        for wrong in [0, 1, length - 1, length + 1] {
            #expect(throws: COSEError(.invalidPrivateKey)) {
                try COSEPrivateKey(algorithm: algorithm, rawRepresentation: [UInt8](repeating: 1, count: wrong))
            }
        }
    }

    @Test func `scalars outside the order of the curve are not private keys`() {
        for byte in [0x00, 0xff] as [UInt8] {
            for (algorithm, length) in [(.es256, 32), (.es384, 48), (.es512, 66)] as [(COSEAlgorithmIdentifier, Int)] {
                #expect(throws: COSEError(.invalidPrivateKey)) {
                    try COSEPrivateKey(algorithm: algorithm, rawRepresentation: [UInt8](repeating: byte, count: length))
                }
            }
        }
    }

    @Test func `algorithms without private keys here are named in the refusal`() {
        #expect(throws: COSEError(.unsupportedAlgorithm)) { try COSEPrivateKey.generate(.rs256) }
        #expect(throws: COSEError(.unsupportedAlgorithm)) { try COSEPrivateKey.generate(.ed448) }
        #expect(throws: COSEError(.unsupportedAlgorithm)) {
            try COSEPrivateKey(algorithm: .ps256, rawRepresentation: [1])
        }
        #expect(throws: COSEError(.attestationOnlyAlgorithm)) { try COSEPrivateKey.generate(.rs1) }
        #expect(throws: COSEError(.unknownAlgorithm)) { try COSEPrivateKey.generate(.init(rawValue: 0)) }
    }

    @Test(arguments: made)
    func `printing and dumping a private key shows nothing of it`(algorithm: COSEAlgorithmIdentifier) throws {
        let key = try COSEPrivateKey.generate(algorithm)
        var dumped = ""
        dump(key, to: &dumped)
        let printed = "\(key) \(String(reflecting: key)) \(dumped)".lowercased()
        #expect(printed.contains("coseprivatekey(\(algorithm.name.lowercased()))"))
        let secret = key.rawRepresentation
        #expect(!printed.contains(secret.map { String($0) }.joined(separator: ", ")))
        #expect(!printed.contains("privatekey."))
    }

    @Test(
        arguments: [
            (.rs256, OpenSSLFixture.rs256), (.rs384, OpenSSLFixture.rs384), (.rs512, OpenSSLFixture.rs512),
            (.ps256, OpenSSLFixture.ps256), (.ps384, OpenSSLFixture.ps384), (.ps512, OpenSSLFixture.ps512),
        ] as [(COSEAlgorithmIdentifier, [UInt8])]
    )
    func `RSA signatures of OpenSSL are valid for their own algorithm alone`(
        algorithm: COSEAlgorithmIdentifier,
        signature: [UInt8]
    ) throws {
        let all: [COSEAlgorithmIdentifier] = [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        for candidate in all {
            let map = KeyMap.rs256.with { $0[3] = .integer(Int64(candidate.rawValue)) }
            let key = try COSEKey(map.encoded).verificationKey()
            #expect(key.isValid(signature: signature, for: OpenSSLFixture.message) == (candidate == algorithm))
            #expect(!key.isValid(signature: signature, for: []))
            #expect(!key.isValid(signature: [0] + signature, for: OpenSSLFixture.message))
            #expect(!key.isValid(signature: Array(signature.dropLast()), for: OpenSSLFixture.message))
            #expect(!key.isValid(signature: OpenSSLFixture.rs1, for: OpenSSLFixture.message))
            #expect(!key.isValid(signature: OpenSSLFixture.ps256WithoutSalt, for: OpenSSLFixture.message))
        }
    }
}
