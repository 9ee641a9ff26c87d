import Foundation
import Testing
import WardCOSE
import WardTesting

/// One file of Project Wycheproof and the algorithm its keys are for.
struct WycheproofFile: Sendable, CustomTestStringConvertible {
    let name: String
    let algorithm: COSEAlgorithmIdentifier
    let count: Int
    var testDescription: String { name }

    static let all = [
        Self(name: "ecdsa_secp256r1_sha256_test", algorithm: .es256, count: 484),
        Self(name: "ecdsa_secp384r1_sha384_test", algorithm: .es384, count: 504),
        Self(name: "ecdsa_secp521r1_sha512_test", algorithm: .es512, count: 542),
        Self(name: "ed25519_test", algorithm: .edDSA, count: 151),
        Self(name: "rsa_signature_2048_sha256_test", algorithm: .rs256, count: 259),
        Self(name: "rsa_pss_2048_sha256_mgf1_32_test", algorithm: .ps256, count: 108),
    ]

    struct Contents: Decodable {
        let testGroups: [Group]
    }

    struct Group: Decodable {
        let publicKey: PublicKey
        let tests: [Case]
    }

    struct PublicKey: Decodable {
        let uncompressed: String?
        let pk: String?
        let modulus: String?
        let publicExponent: String?
    }

    struct Case: Decodable {
        let tcId: Int
        let comment: String
        let msg: String
        let sig: String
        let result: String
    }
}

@Suite(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
struct `Project Wycheproof` {
    /// What the project leaves open, and how Ward decides.
    ///
    /// The one case is a PKCS #1 signature whose hash identifier lacks its NULL: refused, as RFC 8017, section 8.2.2 encodes
    /// and compares and has no other spelling.
    static let acceptable = ["Missing NULL in the ASN encoding": false]

    @Test(arguments: WycheproofFile.all)
    func `each signature is decided as published`(file: WycheproofFile) throws {
        let url = try #require(TestVectors.url("wycheproof/\(file.name).json"))
        let contents = try JSONDecoder().decode(WycheproofFile.Contents.self, from: Data(contentsOf: url))
        var count = 0
        for group in contents.testGroups {
            let key = try COSEKey(algorithm: file.algorithm, material: material(group.publicKey, file.algorithm))
            let imported = try key.verificationKey()
            for test in group.tests {
                let isPublishedValid =
                    test.result == "acceptable" ? Self.acceptable[test.comment] : test.result == "valid"
                let expected = try #require(isPublishedValid as Bool?)
                let isValid = imported.isValid(signature: hex(test.sig), for: hex(test.msg))
                #expect(isValid == expected, "\(test.tcId): \(test.comment)")
                count += 1
            }
        }
        #expect(count == file.count)
    }

    private func material(
        _ key: WycheproofFile.PublicKey,
        _ algorithm: COSEAlgorithmIdentifier
    ) throws -> COSEKey.Material {
        if let modulus = key.modulus, let exponent = key.publicExponent {
            return .rsa(n: Array(hex(modulus).drop { $0 == 0 }), e: Array(hex(exponent).drop { $0 == 0 }))
        }
        if let bytes = key.pk { return .okp(curve: .ed25519, x: hex(bytes)) }
        let point = hex(try #require(key.uncompressed)).dropFirst()
        let curve: COSEKey.Curve = algorithm == .es256 ? .p256 : algorithm == .es384 ? .p384 : .p521
        return .ec2(
            curve: curve,
            x: Array(point.prefix(curve.coordinateLength)),
            y: Array(point.dropFirst(curve.coordinateLength))
        )
    }
}
