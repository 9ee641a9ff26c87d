import Crypto
import Foundation
import Synchronization
import WardAttestation
import WardCBOR
import WardRelyingParty
import WardTesting
import WardWebAuthn
import X509

/// A vendor's root and one authenticator's certificate under it, so that a packed statement takes two verifications.
struct VendorAttestation {
    let policy: RelyingPartyPolicy
    let faults: Faults

    init() throws {
        let rootKey = P256.Signing.PrivateKey()
        let leafKey = P256.Signing.PrivateKey()
        let rootName = try DistinguishedName { CommonName("Benchmark Root") }
        let root = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(rootKey.publicKey),
            notValidBefore: Date(timeIntervalSince1970: 1_500_000_000),
            notValidAfter: Date(timeIntervalSince1970: 4_000_000_000),
            issuer: rootName,
            subject: rootName,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) },
            issuerPrivateKey: .init(rootKey)
        )
        let leaf = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(leafKey.publicKey),
            notValidBefore: Date(timeIntervalSince1970: 1_500_000_000),
            notValidAfter: Date(timeIntervalSince1970: 4_000_000_000),
            issuer: rootName,
            subject: try DistinguishedName {
                CountryName("SE")
                OrganizationName("Benchmark")
                OrganizationalUnitName("Authenticator Attestation")
                CommonName("Benchmark Authenticator")
            },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init { Critical(BasicConstraints.notCertificateAuthority) },
            issuerPrivateKey: .init(rootKey)
        )
        let leafDER = Array(try leaf.serializeAsPEM().derBytes)
        let anchors = try TrustAnchors(der: [Array(try root.serializeAsPEM().derBytes)])
        var policy = RelyingPartyPolicy()
        policy.attestation = AttestationPolicy(
            conveyance: .direct,
            formats: .all,
            judge: AttestationRequirements(anchors: anchors)
        )
        self.policy = policy
        faults = Self.signing(leafKey, leafDER)
    }

    /// Replaces a statement by one of the vendor's: what it signs passes by just before.
    private static func signing(_ key: P256.Signing.PrivateKey, _ certificate: [UInt8]) -> Faults {
        let seen = Mutex(Seen())
        var faults = Faults()
        faults.clientDataJSON = { bytes in
            seen.withLock { $0.clientData = bytes }
            return bytes
        }
        faults.authenticatorData = { bytes in
            seen.withLock { $0.data = bytes }
            return bytes
        }
        faults.statement = { original in
            let (data, clientData) = seen.withLock { ($0.data, $0.clientData) }
            guard let signature = try? key.signature(for: data + SHA256.hash(data: clientData)) else { return original }
            var writer = CBORWriter()
            writer.writeMap(count: 3)
            writer.write(text: "alg")
            writer.write(integer: -7)
            writer.write(text: "sig")
            writer.write(bytes: Array(signature.derRepresentation))
            writer.write(text: "x5c")
            writer.writeArray(count: 1)
            writer.write(bytes: certificate)
            return writer.bytes
        }
        return faults
    }

    private struct Seen {
        var clientData: [UInt8] = []
        var data: [UInt8] = []
    }
}
