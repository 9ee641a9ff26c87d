import Crypto
import Foundation
import Testing
import WardCOSE
import WardTesting

/// The test vectors of WebAuthn Level 3, section 16: a key and a signature each.
struct SpecificationVector: Decodable {
    let id: String
    let registration: Registration
    let authentication: Authentication

    struct Registration: Decodable {
        let decoded: Decoded
    }

    struct Decoded: Decodable {
        let authenticatorData: String
        let authData: AuthenticatorData
    }

    struct AuthenticatorData: Decodable {
        let credentialPublicKeyCose: String
    }

    struct Authentication: Decodable {
        let given: Given
    }

    struct Given: Decodable {
        let authenticatorData: String
        let clientDataJSON: String
        let signature: String
    }

    struct File: Decodable {
        let vectors: [SpecificationVector]
    }
}

@Suite(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
struct `The specification's test vectors` {
    let vectors: [SpecificationVector]

    init() throws {
        let url = try #require(TestVectors.url("webauthn-l3.json"))
        vectors = try JSONDecoder().decode(SpecificationVector.File.self, from: Data(contentsOf: url)).vectors
        try #require(vectors.count == 15)
    }

    @Test func `each key verifies its assertion, and Ed448 is refused by name`() throws {
        for vector in vectors {
            let encoded = hex(vector.registration.decoded.authData.credentialPublicKeyCose)
            guard !vector.id.hasSuffix("ed448") else {
                #expect(throws: COSEError(.unsupportedAlgorithm)) { try COSEKey(encoded) }
                continue
            }
            let key = try COSEKey(encoded)
            let imported = try key.verificationKey()
            let given = vector.authentication.given
            let message = hex(given.authenticatorData) + SHA256.hash(data: hex(given.clientDataJSON))
            let signature = hex(given.signature)
            #expect(imported.isValid(signature: signature, for: message), "\(vector.id)")
            #expect(!imported.isValid(signature: signature, for: Array(message.dropLast())), "\(vector.id)")
            #expect(try COSEKey(algorithm: key.algorithm, material: key.material) == key, "\(vector.id)")
        }
    }

    @Test func `each key is found at its place in the authenticator data`() throws {
        for vector in vectors where !vector.id.hasSuffix("ed448") {
            let data = hex(vector.registration.decoded.authenticatorData)
            let encoded = hex(vector.registration.decoded.authData.credentialPublicKeyCose)
            var offset = 55 + Int(data[53]) << 8 + Int(data[54])
            let key = try COSEKey.read(data.span, at: &offset)
            #expect(key.encoded == encoded, "\(vector.id)")
            #expect(offset == data.count, "\(vector.id)")
        }
    }

    @Test func `the RSA key has a modulus whose bits do not fill its bytes`() throws {
        let vector = try #require(vectors.first { $0.id.hasSuffix("rs256") })
        let key = try COSEKey(hex(vector.registration.decoded.authData.credentialPublicKeyCose))
        guard case .rsa(let n, _) = key.material else { throw COSEError(.keyTypeMismatch) }
        #expect(n.count * 8 - n[0].leadingZeroBitCount == 3482)
    }
}
