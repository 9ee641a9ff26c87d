import Crypto
import WardCBOR
import WardTesting
import WardText
import WardWebAuthn

/// An authority of certificates: of a vendor, whose authenticators attest what they are, or of the metadata service.
struct AttestationAuthority: Sendable {
    /// Its own certificate.
    let certificate: [UInt8]
    private let key = P256.Signing.PrivateKey()
    private let name: [UInt8]

    init(_ name: String) throws {
        self.name = TestCertificate.name(organization: name)
        certificate = try TestCertificate.make(of: key.publicKey, self.name, by: key, self.name, isAuthority: true)
    }

    /// An authenticator of the vendor.
    ///
    /// - Parameter model: The model that the certificate names, if it names one.
    func device(naming model: AAGUID? = nil) throws -> AttestingDevice {
        let own = P256.Signing.PrivateKey()
        let subject = TestCertificate.name(organization: "Ward")
        let certificate = try TestCertificate.make(of: own.publicKey, subject, by: key, name, naming: model)
        return AttestingDevice(key: own, certificate: certificate)
    }

    /// A BLOB as the metadata service publishes it.
    func blob(_ models: [ListedModel], number: Int64 = 1, nextUpdate: String = "2023-12-01") throws -> [UInt8] {
        let signer = try device()
        let header: JSONValue = [
            "alg": "ES256", "typ": "JWT", "x5c": .array([.string(Base64.encode(signer.certificate))]),
        ]
        let payload: JSONValue = [
            "no": .integer(number), "nextUpdate": .string(nextUpdate), "entries": .array(models.map(\.json)),
        ]
        let signed = Base64URL.encode(header.serialized) + "." + Base64URL.encode(payload.serialized)
        let signature = try signer.key.signature(for: Array(signed.utf8)).rawRepresentation
        return Array((signed + "." + Base64URL.encode([UInt8](signature))).utf8)
    }
}

/// A model in a BLOB.
struct ListedModel: Sendable {
    let aaguid: AAGUID
    let roots: [[UInt8]]
    /// Each status with the day from which it counts.
    let reports: [(status: String, from: String)]

    fileprivate var json: JSONValue {
        [
            "aaguid": .string(aaguid.description),
            "metadataStatement": [
                "description": "Key", "attestationRootCertificates": .array(roots.map { .string(Base64.encode($0)) }),
            ],
            "statusReports": .array(
                reports.map { ["status": .string($0.status), "effectiveDate": .string($0.from)] }
            ),
        ]
    }
}

/// An authenticator that signs what it makes with a key of its vendor.
struct AttestingDevice: Sendable {
    fileprivate let key: P256.Signing.PrivateKey
    fileprivate let certificate: [UInt8]
    /// Whether its signatures are wrong.
    var isBroken = false

    fileprivate init(key: P256.Signing.PrivateKey, certificate: [UInt8]) {
        self.key = key
        self.certificate = certificate
    }

    fileprivate func attested(_ response: RegistrationResponse) throws -> RegistrationResponse {
        let data = try AttestationObject(response.attestationObject).authenticatorData.bytes
        let message = data + Array(SHA256.hash(data: response.clientDataJSON)) + (isBroken ? [0] : [])
        var statement = CBORWriter()
        statement.writeMap(count: 3)
        statement.write(text: "alg")
        statement.write(integer: -7)
        statement.write(text: "sig")
        statement.write(bytes: [UInt8](try key.signature(for: message).derRepresentation))
        statement.write(text: "x5c")
        statement.writeArray(count: 1)
        statement.write(bytes: certificate)
        var attested = response
        attested.attestationObject = AttestationObject.assemble(
            format: "packed",
            statement: statement.bytes,
            authenticatorData: data
        )
        return attested
    }
}

extension VirtualAuthenticator {
    /// Makes the authenticator say that it is of a model, and attest it like a device.
    mutating func attest(as model: AAGUID, with device: AttestingDevice) {
        behaviour.aaguid = model
        faults.registration = { (try? device.attested($0)) ?? $0 }
    }
}

/// Certificates with just what attestation needs.
private enum TestCertificate {
    static func name(organization: String) -> [UInt8] {
        func attribute(_ type: UInt8, _ tag: UInt8, _ text: String) -> [UInt8] {
            element(0x31, element(0x30, [0x06, 0x03, 0x55, 0x04, type], element(tag, Array(text.utf8))))
        }
        // L3 #sctn-packed-attestation-cert-requirements.
        return element(
            0x30,
            attribute(6, 0x13, "SE"),
            attribute(10, 0x0c, organization),
            attribute(11, 0x0c, "Authenticator Attestation"),
            attribute(3, 0x0c, "Test")
        )
    }

    static func make(
        of subjectKey: P256.Signing.PublicKey,
        _ subject: [UInt8],
        by issuerKey: P256.Signing.PrivateKey,
        _ issuer: [UInt8],
        isAuthority: Bool = false,
        naming model: AAGUID? = nil
    ) throws -> [UInt8] {
        // ecdsa-with-SHA256
        let algorithm = element(0x30, [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])
        let signed = element(
            0x30,
            element(0xa0, [0x02, 0x01, 0x02]),
            [0x02, 0x01, 0x07],
            algorithm,
            issuer,
            element(
                0x30,
                element(0x17, Array("230101000000Z".utf8)),
                element(0x18, Array("99991231235959Z".utf8))
            ),
            subject,
            [UInt8](subjectKey.derRepresentation),
            element(0xa3, element(0x30, extensions(isAuthority: isAuthority, naming: model)))
        )
        let signature = [UInt8](try issuerKey.signature(for: signed).derRepresentation)
        return element(0x30, signed, algorithm, element(0x03, [0] + signature))
    }

    private static func extensions(isAuthority: Bool, naming model: AAGUID?) -> [UInt8] {
        let critical: [UInt8] = [0x01, 0x01, 0xff]
        // Basic constraints.
        var all = element(
            0x30,
            [0x06, 0x03, 0x55, 0x1d, 0x13],
            critical,
            element(0x04, element(0x30, isAuthority ? critical : []))
        )
        if isAuthority {
            // Key usage: it signs certificates.
            all += element(0x30, [0x06, 0x03, 0x55, 0x1d, 0x0f], critical, element(0x04, [0x03, 0x02, 0x00, 0x06]))
        }
        if let model {
            // id-fido-gen-ce-aaguid
            let identifier: [UInt8] = [
                0x06, 0x0b, 0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0xe5, 0x1c, 0x01, 0x01, 0x04,
            ]
            all += element(0x30, identifier, element(0x04, element(0x04, model.bytes)))
        }
        return all
    }

    private static func element(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        let content = parts.flatMap(\.self)
        let length: [UInt8] =
            switch content.count {
            case ..<0x80: [UInt8(content.count)]
            case ..<0x100: [0x81, UInt8(content.count)]
            default: [0x82, UInt8(content.count >> 8), UInt8(content.count & 0xff)]
            }
        return [tag] + length + content
    }
}
