import WardAccounts
import WardRelyingParty
import WardText
import WardWebAuthn

extension Deployment {
    /// Refuses a new passkey that would not count.
    ///
    /// The person would think that it opens the account, and it does not.
    ///
    /// - Throws: ``APIError`` with `passkey_not_accepted`.
    func checkCounts(
        _ record: CredentialRecord,
        of model: VerifiedModel?,
        for id: AccountID?,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws {
        guard !policy.rules.isEmpty else { return }
        // A new account is in no group.
        let account: Account? = if let id { try await tx.account(id: id) } else { nil }
        let requirements = policy.requirements(in: account?.groups ?? [], at: now)
        guard !requirements.accepts(record, of: model, knownModels(at: now)) else { return }
        if requirements.passkeys?.isDeviceBound == true, record.backupEligible { throw APIError.needsOneDevice }
        if requirements.passkeys?.asksForAttestation == true, model == nil { throw APIError.provesNoModel }
        throw APIError(.passkeyNotAccepted, "The rules of this service do not accept a passkey of this authenticator.")
    }

    /// What is known of models of authenticators now; nothing if no rule asks for it.
    func knownModels(at now: Int64) -> KnownModels { metadata?.models(at: now) ?? .none }

    /// The attestation that a registration asks for: the authenticator's own one if a rule about the account counts only proven
    /// models, now or soon.
    ///
    /// Browsers ask people before they hand one out, so nobody else is asked for one.
    func attestation(in groups: [GroupName], at now: Int64) -> AttestationPolicy.Conveyance {
        policy.requirements(in: groups, at: now).asksForAttestation ? .direct : .none
    }

    /// Refuses to begin a passkey without a prompt for an account that a rule asks for a proven model, now or soon.
    ///
    /// Without a prompt browsers hand out no attestation, so the passkey would not count when the rule holds.
    ///
    /// - Throws: ``APIError`` with `passkey_not_accepted`.
    func checkCanBeSilent(_ account: Account, at now: Int64) throws(APIError) {
        guard !policy.requirements(in: account.groups, at: now).asksForAttestation else { throw .provesNoModel }
    }

    /// What an account can sign in with.
    func means(of account: AccountID, at now: Int64, in tx: some AccountTransaction) async throws -> AccountMeans {
        let factors = try await OtherFactors(of: account, in: tx)
        let hasLink = factors.links.contains { federation.isUsable($0.record) }
        let hasPassword = try await hasPassword(account, in: tx)
        let passkeys = try await tx.passkeys(of: account)
        return AccountMeans(passkeys, factors, knownModels(at: now), hasFirstStep: hasPassword || hasLink)
    }

    /// Removes something of an account, unless the account then lacks what the service's rules ask for.
    ///
    /// An account that lacks it anyway loses nothing by the removal. The caller's transaction must be rolled back if this throws.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction.
    ///   - removal: Removes it.
    /// - Throws: ``APIError`` with `rules_need_it`, or what the removal throws.
    func keepingRules(
        of account: Account,
        at now: Int64,
        in tx: Store.Transaction,
        _ removal: () async throws -> Void
    ) async throws {
        let requirements = policy.requirements(in: account.groups, at: now)
        guard requirements.needsTwoFactors, try await means(of: account.id, at: now, in: tx).meet(requirements) else {
            return try await removal()
        }
        try await removal()
        guard try await means(of: account.id, at: now, in: tx).meet(requirements) else {
            throw APIError(
                .rulesNeedIt,
                "The rules of this service ask for what this would remove. Add another one first."
            )
        }
    }

    /// What the service's rules say about an account, for its owner; `null` if they ask for nothing that the account lacks.
    func policyNotice(of account: Account, _ means: AccountMeans, at now: Int64) -> JSONValue {
        let requirements = policy.requirements(in: account.groups, at: now)
        func notice(_ evidence: PasskeyEvidence?, from: Int64?) -> JSONValue {
            [
                "needs": .string(evidence?.need ?? "two_factors"),
                "from": from.map { .string(JSONTime.text($0)) } ?? .null,
            ]
        }
        guard means.meet(requirements) else { return notice(requirements.passkeys, from: nil) }
        let next = requirements.announced.filter { !means.meet($0) }.min { ($0.from ?? 0) < ($1.from ?? 0) }
        return next.map { notice($0.passkeys, from: $0.from) } ?? .null
    }
}

extension PasskeyEvidence {
    /// What the account page tells the person to add.
    fileprivate var need: String {
        if asksForAttestation { return "attested_passkey" }
        return isDeviceBound ? "device_bound_passkey" : "passkey"
    }
}

extension APIError {
    fileprivate static let needsOneDevice = APIError(
        .passkeyNotAccepted,
        "The rules of this service ask for a passkey that stays on one device, such as a security key."
    )
    fileprivate static let provesNoModel = APIError(
        .passkeyNotAccepted,
        "The rules of this service ask for an authenticator that proves its model. If the browser asks, let the service see it."
    )
}
