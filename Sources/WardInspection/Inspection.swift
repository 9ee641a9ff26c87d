public import WardText
public import WardWebAuthn

/// The result of an inspection: all decoded values and, if there was enough input, the verdict of every step.
public struct Inspection: Sendable {
    /// Whether a relying party accepts the message; `nil` if nothing was verified.
    public enum Verdict: String, Hashable, Sendable {
        /// Every step that could be checked passed.
        case accepted
        /// A step failed.
        case refused
    }

    /// The values that a relying party stores.
    public struct Credential: Hashable, Sendable {
        /// Its ID.
        public let id: CredentialID
        /// The credential's public key in COSE form.
        public let publicKey: [UInt8]
        /// The key's algorithm.
        public let algorithm: Int
        /// The authenticator's model, at registration.
        public let aaguid: AAGUID?
        /// The signature counter.
        public let signCount: UInt32
        /// Whether the credential is backup eligible.
        public let backupEligible: Bool
        /// Whether the credential is backed up.
        public let backedUp: Bool
        /// Whether the person was verified.
        public let userVerified: Bool
    }

    /// Whether a relying party accepts the message.
    public let verdict: Verdict?
    /// The error code, if the message is refused.
    public var code: String?
    /// The step that failed, if the message is refused.
    public var step: String?
    /// The expected and the found value.
    public var detail: String?
    /// The attestation's format.
    public var format: String?
    /// How far the attestation is trusted: `none`, `self`, `chain`, `not_assessed`.
    public var trust: String?
    /// The values that a relying party stores.
    public var credential: Credential?
    /// The risk signals of an accepted sign-in.
    public var signals: [String] = []
    /// All steps with their verdicts.
    public var steps: [StepReport] = []
    /// All decoded values.
    public var decoded: [InspectedField] = []

    init(_ verdict: Verdict?) { self.verdict = verdict }

    /// The verdict as JSON.
    ///
    /// Missing values are `null`. The member `signals` exists only if there are risk signals.
    public var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("verdict", verdict.map { .string($0.rawValue) } ?? .null),
            .init("code", code.map { .string($0) } ?? .null),
            .init("step", step.map { .string($0) } ?? .null),
            .init("detail", detail.map { .string($0) } ?? .null),
            .init("format", format.map { .string($0) } ?? .null),
            .init("trust", trust.map { .string($0) } ?? .null),
            .init("credential", credential?.json ?? .null),
        ]
        if !signals.isEmpty { members.append(.init("signals", .array(signals.map { .string($0) }))) }
        return .object(members)
    }

    /// ``json`` with all steps and all decoded values.
    public var fullJSON: JSONValue {
        guard case .object(let members) = json else { return json }
        return .object(
            members + [.init("steps", .array(steps.map(\.json))), .init("decoded", .array(decoded.map(\.json)))]
        )
    }
}

extension Inspection.Credential {
    /// The credential as JSON.
    public var json: JSONValue {
        [
            "id": .string(id.base64URL), "publicKey": .string(Base64URL.encode(publicKey)),
            "algorithm": .integer(Int64(algorithm)), "aaguid": aaguid.map { .string($0.description) } ?? .null,
            "signCount": .integer(Int64(signCount)), "backupEligible": .bool(backupEligible),
            "backedUp": .bool(backedUp), "userVerified": .bool(userVerified),
        ]
    }
}
