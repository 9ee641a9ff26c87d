import WardAccounts
import WardRelyingParty
import WardText
import WardWebAuthn

/// The ceremony of a sign-in that somebody answers.
///
/// A sign-in without a name is kept by the page, so strangers who ask for one write nothing. With a name the ceremony says more
/// than the page may know, and the store keeps it.
enum BegunCeremony: Sendable {
    /// One in the store.
    case stored(CeremonyID)
    /// One that the page kept.
    case kept(Ceremony)
    /// None of this service.
    case unknown

    /// How long the use of a kept ceremony stays in the store after it has expired, in seconds.
    ///
    /// If the clock is set back by less, a right answer is still accepted only once. A wrong answer needs no such time.
    private static let grace: Int64 = 3_600

    /// Reads the text that the page sends back.
    ///
    /// - Throws: ``APIError`` with `malformed_request` for a text that is not base64url.
    init(_ text: String, _ seal: CeremonySeal) throws(APIError) {
        if let id = CeremonyID(text) {
            self = .stored(id)
        } else if let ceremony = seal.open(text) {
            self = .kept(ceremony)
        } else if Base64URL.decode(text) != nil {
            self = .unknown
        } else {
            throw .notCeremony
        }
    }

    /// Whether it is one of those whose number is limited.
    var isStored: Bool { if case .stored = self { true } else { false } }

    /// The ceremony; one in the store is deleted.
    ///
    /// - Throws: `VerificationError` with `challenge_not_found`, or the store's errors.
    func take(in tx: some AccountTransaction) async throws -> Ceremony {
        switch self {
        case .stored(let id):
            guard let ceremony = try await tx.takeCeremony(id: id) else { throw VerificationError.notBegun }
            return ceremony
        case .kept(let ceremony): return ceremony
        case .unknown: throw VerificationError.notBegun
        }
    }

    /// Stores that a kept ceremony got a right answer.
    ///
    /// - Throws: `VerificationError` with `challenge_not_found` if it was answered before, or the store's errors.
    func answered(in tx: some AccountTransaction) async throws {
        guard case .kept(let ceremony) = self else { return }
        let end = ceremony.expiresAt.addingReportingOverflow(Self.grace)
        guard !end.overflow, try await tx.insertUse(CeremonySeal.use(of: ceremony), until: end.partialValue) else {
            throw VerificationError.notBegun
        }
    }

    /// Stores that a kept ceremony got a wrong answer, so that it cannot be answered again.
    func refused(at now: Int64, _ ceiling: CeremonyCeiling, in tx: some AccountTransaction) async throws {
        guard case .kept(let ceremony) = self, now <= ceremony.expiresAt, ceiling.admitsWrongAnswer(at: now) else {
            return
        }
        _ = try await tx.insertUse(CeremonySeal.use(of: ceremony), until: ceremony.expiresAt)
    }
}

extension VerificationError {
    fileprivate static let notBegun = VerificationError(
        .challengeNotFound,
        .authentication(11),
        "no such ceremony is in progress"
    )
}
