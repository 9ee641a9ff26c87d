import Foundation
import Testing
import WardAttestation
import WardRelyingParty
import WardText
import WardWebAuthn

/// Registrations under `Tests/TestVectors/attestation`, which OpenSSL signed.
@Suite struct `Attestation with ML-DSA` {
    struct Example: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let id: String
        let clientDataJSON: String
        let attestationObject: String
        let root: String

        var testDescription: String { name }

        static let all: [Example] = {
            let source = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            let tests = source.deletingLastPathComponent().deletingLastPathComponent()
            let file = tests.appendingPathComponent("TestVectors/attestation/ml-dsa.json")
            return (try? JSONDecoder().decode([Example].self, from: Data(contentsOf: file))) ?? []
        }()

        func published() throws -> Published {
            Published(
                testDescription: name,
                rpID: "example.org",
                origin: "https://example.org",
                response: RegistrationResponse(
                    id: try #require(CredentialID(base64URL: id)),
                    clientDataJSON: try #require(Base64URL.decode(clientDataJSON)),
                    attestationObject: try #require(Base64URL.decode(attestationObject)),
                    transports: [.internal]
                ),
                now: 1_800_000_000
            )
        }

        func judge() throws -> AttestationRequirements {
            AttestationRequirements(anchors: try TrustAnchors(der: [try #require(Base64URL.decode(root))]))
        }
    }

    @Test func `there are two of each`() {
        #expect(Example.all.count == 4)
    }

    @Test(arguments: Example.all.filter { !$0.name.contains("44") })
    func `keys and signatures of ML-DSA-65 and -87 are verified`(_ example: Example) throws {
        let published = try example.published()
        let registration = try published.verify(judge: try example.judge())
        #expect(registration.attestation.trust == .chain(to: try #require(Base64URL.decode(example.root))))
        // The signature of the statement, and that of the certificate, with one bit changed.
        for part in ["sig", "x5c"] {
            var object = try published.object.bytes
            let at = try #require(object.firstRange(of: [UInt8(0x60 + part.utf8.count)] + Array(part.utf8))).upperBound
            object[at + (part == "sig" ? 1_000 : 3_500)] ^= 1
            #expect(throws: VerificationError.self) {
                try published.verify(judge: try example.judge(), attestationObject: object)
            }
        }
    }

    @Test(arguments: Example.all.filter { $0.name.contains("44") })
    func `ML-DSA-44 is refused by name`(_ example: Example) throws {
        let error = #expect(throws: VerificationError.self) {
            try example.published().verify(judge: try example.judge())
        }
        #expect(error?.detail.contains("ML-DSA-44") == true)
    }
}
