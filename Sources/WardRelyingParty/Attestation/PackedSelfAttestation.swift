internal import WardCBOR
package import WardCOSE
internal import WardWebAuthn

/// Self attestation in the format `packed`.
///
/// Statements with certificates are not verified by this type.
///
/// WebAuthn Level 3, [§8.2](https://www.w3.org/TR/webauthn-3/#sctn-packed-attestation).
public struct PackedSelfAttestation: AttestationFormat {
    /// `packed`.
    public var identifier: String { "packed" }

    /// Creates the format, for ``AttestationFormats``.
    public init() {}

    /// Verifies self attestation.
    ///
    /// - Parameter statement: The statement and the data that it covers.
    /// - Returns: ``AttestationEvidence/selfAttestation``, or `unverified` if there are certificates.
    /// - Throws: ``AttestationError`` with the rule that is broken.
    public func verify(_ statement: AttestationStatement) throws(AttestationError) -> AttestationEvidence {
        // L3 #sctn-packed-attestation, step 1: the statement has the format's syntax.
        let parts = try PackedStatement(statement.statement)
        guard parts.certificates == nil else { return .unverified }
        // Step 3 (x5c not present): alg matches the algorithm of the credential's public key.
        guard parts.algorithm == statement.credential.publicKey.algorithm else {
            throw AttestationError("§8.2: alg is \(parts.algorithm.rawValue), not the algorithm of the credential key")
        }
        // Then sig is a valid signature over authenticatorData and clientDataHash under the credential's key.
        guard let key = try? statement.credential.publicKey.verificationKey(),
            key.isValid(
                signature: parts.signature,
                for: statement.authenticatorData.bytes + statement.clientDataHash
            )
        else { throw AttestationError("§8.2: sig is not valid for the credential's own key") }
        return .selfAttestation
    }
}

/// The members of a packed statement.
package struct PackedStatement {
    package let algorithm: COSEAlgorithmIdentifier
    package let signature: [UInt8]
    /// The certificates in DER, leaf first; `nil` in self attestation.
    package let certificates: [[UInt8]]?

    package init(_ statement: [UInt8]) throws(AttestationError) {
        guard let value = try? CBORValue.decode(statement, rules: .webAuthn), case .map(let pairs) = value else {
            throw AttestationError("§8.2: the statement is not a map")
        }
        var algorithm: COSEAlgorithmIdentifier?
        var signature: [UInt8]?
        var certificates: [[UInt8]]?
        for pair in pairs {
            switch (pair.key, pair.value) {
            case (.text("alg"), .unsigned(let number)):
                algorithm = Int(exactly: number).map(COSEAlgorithmIdentifier.init)
            case (.text("alg"), .negative(let number)):
                algorithm = Int(exactly: number).map { COSEAlgorithmIdentifier(rawValue: -1 - $0) }
            case (.text("sig"), .bytes(let bytes)): signature = bytes
            case (.text("x5c"), .array(let elements)):
                var chain: [[UInt8]] = []
                for element in elements {
                    guard case .bytes(let bytes) = element else {
                        throw AttestationError("§8.2: x5c must contain only byte strings")
                    }
                    chain.append(bytes)
                }
                guard !chain.isEmpty else { throw AttestationError("§8.2: x5c must contain at least one certificate") }
                certificates = chain
            default: throw AttestationError("§8.2: a member is unknown or of the wrong type")
            }
        }
        guard let algorithm, let signature else { throw AttestationError("§8.2: alg and sig are required") }
        self.algorithm = algorithm
        self.signature = signature
        self.certificates = certificates
    }
}
