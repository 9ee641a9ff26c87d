internal import WardCOSE
package import WardText

/// A signed text whose header contains the signer's certificates: SafetyNet's responses and the metadata service's
/// BLOB.
///
/// Reading the text does not verify it. ``checkSignature()`` verifies the signature, and trust anchors decide about the
/// certificates.
///
/// RFC 7515, section 7.1 (compact serialization) and section 4.1.6 (`x5c`).
package struct JSONWebSignature: Sendable {
    package let header: JSONValue
    /// `alg` of the header.
    package let algorithm: String
    /// The certificates in DER, the signer's first.
    package let certificates: [[UInt8]]
    /// The signed payload, decoded.
    package let payload: [UInt8]

    private let signed: [UInt8]
    private let signature: [UInt8]

    /// Reads the three parts.
    ///
    /// - Parameter text: ASCII; the caller limits its size.
    /// - Throws: ``JSONWebSignatureError`` for any other form.
    package init(_ text: [UInt8]) throws(JSONWebSignatureError) {
        let dots = text.indices.filter { text[$0] == UInt8(ascii: ".") }
        guard dots.count == 2 else { throw JSONWebSignatureError("\(dots.count + 1) parts, not 3") }
        let input = text.span
        guard let head = Base64URL.decode(input, 0..<dots[0]),
            let payload = Base64URL.decode(input, (dots[0] + 1)..<dots[1]),
            let signature = Base64URL.decode(input, (dots[1] + 1)..<text.count)
        else { throw JSONWebSignatureError("a part is not base64url") }
        guard let header = try? JSONValue(head), let algorithm = header["alg"]?.stringValue else {
            throw JSONWebSignatureError("the header is not JSON with the member alg")
        }
        // RFC 7515, section 4.1.11: a verifier must refuse unknown critical parameters; none is supported here.
        guard header["crit"] == nil else { throw JSONWebSignatureError("the header has critical parameters") }
        guard let elements = header["x5c"]?.arrayValue, !elements.isEmpty, elements.count <= 8 else {
            throw JSONWebSignatureError("the header has no certificates, or more than 8")
        }
        var certificates: [[UInt8]] = []
        for element in elements {
            guard let text = element.stringValue, let certificate = Base64.decode(text) else {
                throw JSONWebSignatureError("a certificate is not base64")
            }
            certificates.append(certificate)
        }
        self.header = header
        self.algorithm = algorithm
        self.certificates = certificates
        self.payload = payload
        self.signature = signature
        signed = Array(text[..<dots[1]])
    }

    /// Checks that the first certificate's key signed the text.
    ///
    /// - Returns: That certificate.
    /// - Throws: ``JSONWebSignatureError`` if the signature is not valid or its algorithm is not supported.
    package func checkSignature() throws(JSONWebSignatureError) -> AttestationCertificate {
        guard let algorithm = Self.algorithms[algorithm] else {
            throw JSONWebSignatureError("the algorithm \(self.algorithm.printable) is not accepted")
        }
        let certificate: AttestationCertificate
        let key: VerificationKey
        do {
            certificate = try AttestationCertificate(certificates.first ?? [])
            key = try certificate.verificationKey(algorithm)
        } catch {
            throw JSONWebSignatureError("the signer's certificate: \(error)")
        }
        // RFC 7518, section 3.4: ECDSA signatures are both numbers, concatenated. The metadata service's own example
        // has the DER form instead, which is accepted too: its first byte and length cannot both occur in a pair of
        // P-256 numbers.
        let isPair = [.es256, .es384, .es512].contains(algorithm) && ![70, 71, 72].contains(signature.count)
        let signature = isPair ? Self.der(signature) : signature
        guard key.isValid(signature: signature, for: signed) else {
            throw JSONWebSignatureError("the signature is not valid")
        }
        return certificate
    }

    /// RFC 7518, section 3.1: the public-key algorithms.
    private static let algorithms: [String: COSEAlgorithmIdentifier] = [
        "ES256": .es256, "ES384": .es384, "ES512": .es512, "EdDSA": .edDSA, "PS256": .ps256, "PS384": .ps384,
        "PS512": .ps512, "RS256": .rs256, "RS384": .rs384, "RS512": .rs512,
    ]

    /// Two numbers of equal length as a DER sequence for verification.
    ///
    /// Other bytes are returned unchanged. Their verification then fails.
    private static func der(_ raw: [UInt8]) -> [UInt8] {
        guard raw.count.isMultiple(of: 2), (64...132).contains(raw.count) else { return [] }
        var contents: [UInt8] = []
        for half in [raw.prefix(raw.count / 2), raw.suffix(raw.count / 2)] {
            var number = Array(half.drop { $0 == 0 })
            if number.first.map({ $0 >= 0x80 }) ?? true { number.insert(0, at: 0) }
            contents += [0x02, UInt8(truncatingIfNeeded: number.count)] + number
        }
        return [0x30] + (contents.count < 0x80 ? [] : [0x81]) + [UInt8(truncatingIfNeeded: contents.count)] + contents
    }
}

/// The reason why a signed text is refused.
package struct JSONWebSignatureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The expected and the found value.
    package let description: String

    init(_ description: String) { self.description = description }
}
