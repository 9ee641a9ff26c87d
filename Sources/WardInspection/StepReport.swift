public import WardRelyingParty
public import WardText

/// The verdict of one step of the standard's procedure.
public struct StepReport: Hashable, Sendable {
    /// A verdict of a step.
    public enum Verdict: String, Hashable, Sendable {
        /// The step passed.
        case passed
        /// The step failed, and the ceremony ends here.
        case failed
        /// The step needs a value that was not given.
        case notChecked = "not_checked"
        /// An earlier step failed.
        case notReached = "not_reached"
    }

    /// The step.
    public let step: VerificationStep
    /// What the step checks, in a few words.
    public let title: String
    /// The verdict.
    public let verdict: Verdict
    /// The reason, if it is not obvious.
    public let reason: String?

    /// The step as JSON.
    public var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("step", .string("\(step)")), .init("title", .string(title)),
            .init("verdict", .string(verdict.rawValue)),
        ]
        if let reason { members.append(.init("reason", .string(reason))) }
        return .object(members)
    }

    /// The steps of a procedure, each with its verdict.
    static func all(
        _ procedure: VerificationStep.Procedure,
        failure: VerificationError?,
        unchecked: [Int: String]
    ) -> [StepReport] {
        let order = titles(procedure)
        let failed = failure.flatMap { failure in order.firstIndex { $0.0 == failure.step.number } }
        return order.enumerated().map { index, entry in
            let (number, title) = entry
            var verdict = Verdict.passed
            var reason: String?
            if let failure, index == (failed ?? 0) {
                (verdict, reason) = (.failed, "\(failure.code.name): \(failure.detail)")
            } else if let failed, index > failed {
                verdict = .notReached
            } else if let why = unchecked[number] {
                (verdict, reason) = (.notChecked, why)
            }
            return StepReport(step: VerificationStep(procedure, number), title: title, verdict: verdict, reason: reason)
        }
    }

    private static func titles(_ procedure: VerificationStep.Procedure) -> [(Int, String)] {
        switch procedure {
        case .registration:
            [
                (1, "the ceremony is current"), (6, "the client data is JSON"), (7, "type is webauthn.create"),
                (8, "the challenge is the one sent"), (9, "the origin is expected"), (10, "framing is expected"),
                (11, "the framing origin is expected"), (13, "the attestation object reads"),
                (14, "the RP ID hash is ours"), (15, "user present"), (16, "user verified, if required"),
                (17, "backed up only if eligible"), (18, "backup eligibility is taken"),
                (20, "the algorithm was asked for, the key is sound"), (21, "the attestation format is taken"),
                (22, "the attestation statement holds"), (24, "the attestation is trusted enough"),
                (25, "the credential id is the attested one, at most 1,023 bytes"), (26, "nobody has the credential"),
            ]
        case .authentication:
            [
                (1, "the ceremony is current"), (5, "the credential was allowed"),
                (6, "the account owns the credential"),
                (9, "the client data is JSON"), (10, "type is webauthn.get"), (11, "the challenge is the one sent"),
                (12, "the origin is expected"), (13, "framing is expected"), (14, "the framing origin is expected"),
                (7, "the authenticator data reads"), (15, "the RP ID hash is ours"), (16, "user present"),
                (17, "user verified, if required"), (18, "backed up only if eligible"),
                (19, "backup eligibility is the record's"), (21, "the signature holds"), (22, "the counter grew"),
            ]
        }
    }
}
