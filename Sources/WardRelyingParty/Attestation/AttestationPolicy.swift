/// How a service requests attestation, and which attestation it trusts.
public struct AttestationPolicy: Sendable {
    /// The attestation that is requested from the client.
    public var conveyance: Conveyance
    /// The formats that can be verified.
    public var formats: AttestationFormats
    /// Whether a format that cannot be verified is accepted as unverified; `false` refuses it.
    public var acceptsUnverifiedFormats: Bool
    /// Decides steps 23 and 24 of a registration.
    ///
    /// With `nil`, no attestation is trusted and none is refused.
    public var judge: (any AttestationJudge)?

    /// No attestation is requested.
    ///
    /// A statement that comes anyway is verified if possible, and nothing depends on it.
    public static let notRequired = AttestationPolicy(conveyance: .none)

    /// Creates a policy.
    public init(
        conveyance: Conveyance,
        formats: AttestationFormats = .basic,
        acceptsUnverifiedFormats: Bool = true,
        judge: (any AttestationJudge)? = nil
    ) {
        self.conveyance = conveyance
        self.formats = formats
        self.acceptsUnverifiedFormats = acceptsUnverifiedFormats
        self.judge = judge
    }
}

/// Decides whether the evidence of an attestation is enough for a service.
public protocol AttestationJudge: Sendable {
    /// Finds the trust anchors and decides.
    ///
    /// - Parameters:
    ///   - evidence: What the statement proved.
    ///   - statement: The statement and the data that it covers.
    ///   - now: Seconds since 1970.
    /// - Returns: How far the attestation is trusted.
    /// - Throws: ``AttestationRefusal`` if the evidence is not enough.
    func judge(
        _ evidence: AttestationEvidence,
        of statement: AttestationStatement,
        at now: Int64
    ) throws(AttestationRefusal) -> AttestationTrust
}

/// The reason why a service refuses an authenticator although its attestation is valid.
public struct AttestationRefusal: Error, Hashable, Sendable {
    /// The kind of refusal.
    public enum Reason: Hashable, Sendable {
        /// No trust anchor confirms the authenticator.
        case notTrusted
        /// The format is not allowed.
        case formatNotAllowed
        /// The model is not allowed, or has known problems.
        case authenticatorNotAllowed
    }

    /// The kind of refusal.
    public let reason: Reason
    /// The expected and the found value.
    public let detail: String

    /// Creates a refusal.
    public init(_ reason: Reason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }
}
