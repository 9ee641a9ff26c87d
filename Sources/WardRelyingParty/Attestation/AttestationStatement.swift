public import WardWebAuthn

/// What a verifier of attestation statements works on.
public struct AttestationStatement: Sendable {
    /// The statement's format.
    public let format: String
    /// The statement as canonical CBOR.
    public let statement: [UInt8]
    /// The authenticator data the statement speaks of.
    public let authenticatorData: AuthenticatorData
    /// The new credential, from the authenticator data.
    public let credential: AuthenticatorData.AttestedCredential
    /// SHA-256 of the client data.
    public let clientDataHash: [UInt8]
    /// When it is verified, in seconds since 1970; for formats whose statements grow old.
    public let now: Int64

    /// What most formats sign, or hash into what they sign: authenticator data and the hash of the client data.
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

    /// Another statement about the same credential, as the format `compound` holds several.
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

/// What a statement proved once its format's procedure succeeded; whether anybody trusts it comes later.
///
/// WebAuthn Level 3, [§6.5.3](https://www.w3.org/TR/webauthn-3/#sctn-attestation-types).
public enum AttestationEvidence: Hashable, Sendable {
    /// Nothing is claimed.
    case none
    /// Signed by the credential's own key: nothing is known of the authenticator.
    case selfAttestation
    /// Signed by a key that these certificates vouch for, the leaf first, each in DER.
    case certificates([[UInt8]])
    /// Several statements of other formats, and what each of them proved.
    case compound([Part])
    /// The format is not verified here; what it claims was not looked at.
    case unverified

    /// One statement inside a compound one.
    public struct Part: Hashable, Sendable {
        /// The statement's format; never `compound`.
        public let format: String
        /// What it proved.
        public let evidence: AttestationEvidence

        /// Takes both.
        public init(format: String, evidence: AttestationEvidence) {
            self.format = format
            self.evidence = evidence
        }
    }

    /// How far this goes where nobody judges it.
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
    /// Nobody vouches for the authenticator.
    case none
    /// The credential's own key vouches for itself.
    case selfAttestation
    /// A chain that ends at an anchor the service trusts, which is given in DER.
    case chain(to: [UInt8])
    /// There are certificates, but nobody asked whom they lead to.
    case notAssessed
}

/// The outcome of steps 21 to 24 of a registration.
public struct VerifiedAttestation: Hashable, Sendable {
    /// The statement's format.
    public let format: String
    /// What the statement proved.
    public let evidence: AttestationEvidence
    /// How far it is trusted.
    public let trust: AttestationTrust

    package init(format: String, evidence: AttestationEvidence, trust: AttestationTrust) {
        self.format = format
        self.evidence = evidence
        self.trust = trust
    }
}

/// Why a statement does not hold.
public struct AttestationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which rule of the format it breaks.
    public let detail: String
    /// One line for a log.
    public var description: String { detail }

    /// Names the rule, with the section it comes from.
    public init(_ detail: String) { self.detail = detail }
}

/// The procedure of one attestation format.
///
/// WebAuthn Level 3, [§8](https://www.w3.org/TR/webauthn-3/#sctn-defined-attestation-formats).
public protocol AttestationFormat: Sendable {
    /// The format's identifier, case-sensitive.
    var identifier: String { get }

    /// Runs the format's verification procedure.
    ///
    /// - Parameter statement: The statement and what it speaks of.
    /// - Returns: What it proved, or `unverified` where this verifier does not cover the variant.
    /// - Throws: ``AttestationError`` naming the rule that is broken.
    func verify(_ statement: AttestationStatement) throws(AttestationError) -> AttestationEvidence
}

/// The formats a relying party can verify, by identifier.
public struct AttestationFormats: Sendable {
    private var formats: [String: any AttestationFormat] = [:]

    /// `none` and the self-signed variant of `packed`: what needs no certificates.
    public static let basic = AttestationFormats([NoneAttestation(), PackedSelfAttestation()])

    /// Takes verifiers; a later one replaces an earlier one of the same identifier.
    public init(_ formats: [any AttestationFormat]) {
        for format in formats { self.formats[format.identifier] = format }
    }

    /// The verifier of a format, compared case-sensitively, or `nil`.
    public subscript(identifier: String) -> (any AttestationFormat)? { formats[identifier] }

    /// The identifiers, sorted.
    public var identifiers: [String] { formats.keys.sorted() }
}
