public import WardWebAuthn

/// An attestation statement and the data that it covers.
public struct AttestationStatement: Sendable {
    /// The statement's format.
    public let format: String
    /// The statement as canonical CBOR.
    public let statement: [UInt8]
    /// The authenticator data that the statement covers.
    public let authenticatorData: AuthenticatorData
    /// The new credential, from the authenticator data.
    public let credential: AuthenticatorData.AttestedCredential
    /// SHA-256 of the client data.
    public let clientDataHash: [UInt8]
    /// The time of verification, in seconds since 1970, for formats with time limits.
    public let now: Int64

    /// The bytes that most formats sign or hash: the authenticator data and the hash of the client data.
    public var signedBytes: [UInt8] { authenticatorData.bytes + clientDataHash }

    package init(
        format: String,
        statement: [UInt8],
        authenticatorData: AuthenticatorData,
        credential: AuthenticatorData.AttestedCredential,
        clientDataHash: [UInt8],
        now: Int64
    ) {
        self.format = format
        self.statement = statement
        self.authenticatorData = authenticatorData
        self.credential = credential
        self.clientDataHash = clientDataHash
        self.now = now
    }

    /// Another statement about the same credential, for the format `compound`.
    package func part(format: String, statement: [UInt8]) -> AttestationStatement {
        AttestationStatement(
            format: format,
            statement: statement,
            authenticatorData: authenticatorData,
            credential: credential,
            clientDataHash: clientDataHash,
            now: now
        )
    }
}

/// The evidence of a statement after its format's procedure succeeded.
///
/// Whether the evidence is trusted is decided later.
///
/// WebAuthn Level 3, [§6.5.3](https://www.w3.org/TR/webauthn-3/#sctn-attestation-types).
public enum AttestationEvidence: Hashable, Sendable {
    /// The statement has no claims.
    case none
    /// Signed with the credential's own key, which proves nothing about the authenticator.
    case selfAttestation
    /// Signed with a key of these certificates: the leaf first, each in DER.
    case certificates([[UInt8]])
    /// Several statements of other formats, each with its evidence.
    case compound([Part])
    /// The format is not verified here, so its claims are unchecked.
    case unverified

    /// One statement inside a compound statement.
    public struct Part: Hashable, Sendable {
        /// The statement's format; never `compound`.
        public let format: String
        /// The evidence of the statement.
        public let evidence: AttestationEvidence

        /// Creates a part.
        public init(format: String, evidence: AttestationEvidence) {
            self.format = format
            self.evidence = evidence
        }
    }

    /// The trust if there is no judge.
    var unjudgedTrust: AttestationTrust {
        switch self {
        case .none, .unverified: .none
        case .selfAttestation: .selfAttestation
        case .certificates: .notAssessed
        case .compound(let parts):
            if parts.contains(where: { $0.evidence.unjudgedTrust == .notAssessed }) {
                .notAssessed
            } else if parts.contains(where: { $0.evidence.unjudgedTrust == .selfAttestation }) {
                .selfAttestation
            } else {
                .none
            }
        }
    }
}

/// How far an attestation is trusted.
public enum AttestationTrust: Hashable, Sendable {
    /// Nothing confirms the authenticator.
    case none
    /// Only the credential's own key confirms the authenticator.
    case selfAttestation
    /// A certificate chain to a trust anchor of the service; the anchor is in DER.
    case chain(to: [UInt8])
    /// There are certificates, but no judge assessed them.
    case notAssessed
}

/// The result of steps 21 to 24 of a registration.
public struct VerifiedAttestation: Hashable, Sendable {
    /// The statement's format.
    public let format: String
    /// The evidence of the statement.
    public let evidence: AttestationEvidence
    /// How far the attestation is trusted.
    public let trust: AttestationTrust

    package init(format: String, evidence: AttestationEvidence, trust: AttestationTrust) {
        self.format = format
        self.evidence = evidence
        self.trust = trust
    }
}

/// The reason why a statement is not valid.
public struct AttestationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule of the format that is broken.
    public let detail: String
    /// A description on one line, for a log.
    public var description: String { detail }

    /// Creates an error from a rule and its section.
    public init(_ detail: String) { self.detail = detail }
}

/// The verification procedure of one attestation format.
///
/// WebAuthn Level 3, [§8](https://www.w3.org/TR/webauthn-3/#sctn-defined-attestation-formats).
public protocol AttestationFormat: Sendable {
    /// The format's identifier, case-sensitive.
    var identifier: String { get }

    /// Runs the format's verification procedure.
    ///
    /// - Parameter statement: The statement and the data that it covers.
    /// - Returns: The evidence, or `unverified` if this verifier does not support the variant.
    /// - Throws: ``AttestationError`` with the rule that is broken.
    func verify(_ statement: AttestationStatement) throws(AttestationError) -> AttestationEvidence
}

/// The formats that a relying party can verify, by identifier.
public struct AttestationFormats: Sendable {
    private var formats: [String: any AttestationFormat] = [:]

    /// The formats without certificates: `none` and self attestation of `packed`.
    public static let basic = AttestationFormats([NoneAttestation(), PackedSelfAttestation()])

    /// Creates a set of formats.
    ///
    /// A later one replaces an earlier one with the same identifier.
    public init(_ formats: [any AttestationFormat]) {
        for format in formats { self.formats[format.identifier] = format }
    }

    /// The verifier of a format, or `nil`.
    ///
    /// Identifiers are case-sensitive.
    public subscript(identifier: String) -> (any AttestationFormat)? { formats[identifier] }

    /// The identifiers, sorted.
    public var identifiers: [String] { formats.keys.sorted() }
}
