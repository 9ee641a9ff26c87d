public import WardWebAuthn

/// What a service wants to know of authenticators, and whom it believes.
public struct AttestationPolicy: Sendable {
    /// What is asked of the client.
    public var conveyance: AttestationConveyancePreference
    /// Which formats can be verified.
    public var formats: AttestationFormats
    /// Whether a format that cannot be verified here is carried along as unverified; `false` refuses it.
    public var acceptsUnverifiedFormats: Bool
    /// Decides steps 23 and 24 of a registration; `nil` trusts nobody and refuses nobody.
    public var judge: (any AttestationJudge)?

    /// Nothing is asked, and what comes all the same is checked where it can be and never relied upon.
    public static let notRequired = AttestationPolicy(conveyance: .none)

    /// Takes all four.
    public init(
        conveyance: AttestationConveyancePreference,
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

/// Decides whether what an attestation proved is enough for a service.
public protocol AttestationJudge: Sendable {
    /// Finds the trust anchors and judges.
    ///
    /// - Parameters:
    ///   - evidence: What the format's procedure proved.
    ///   - statement: The statement and what it speaks of.
    ///   - now: Seconds since 1970.
    /// - Returns: How far the attestation is trusted.
    /// - Throws: ``AttestationRefusal`` when that is not enough.
    func judge(
        _ evidence: AttestationEvidence,
        of statement: AttestationStatement,
        at now: Int64
    ) throws(AttestationRefusal) -> AttestationTrust
}

/// Why a service does not take an authenticator whose attestation holds.
public struct AttestationRefusal: Error, Hashable, Sendable {
    /// The kind of refusal.
    public enum Reason: Hashable, Sendable {
        /// Nobody trusted vouches for it.
        case notTrusted
        /// The format is not taken.
        case formatNotAllowed
        /// The model is not taken, or known to be broken.
        case authenticatorNotAllowed
    }

    /// The kind of refusal.
    public let reason: Reason
    /// What was expected and found.
    public let detail: String

    /// Takes both.
    public init(_ reason: Reason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }
}
