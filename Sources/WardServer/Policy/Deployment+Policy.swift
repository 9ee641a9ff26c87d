import WardAccounts
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
        for id: AccountID?,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws {
        guard !policy.rules.isEmpty else { return }
        // A new account is in no group.
        let account: Account? = if let id { try await tx.account(id: id) } else { nil }
        let requirements = policy.requirements(in: account?.groups ?? [], at: now)
        guard !requirements.accepts(record) else { return }
        throw APIError(
            .passkeyNotAccepted,
            requirements.passkeys?.isDeviceBound == true && record.backupEligible
                ? "The rules of this service ask for a passkey that stays on one device, such as a security key."
                : "The rules of this service do not accept a passkey of this authenticator."
        )
    }

    /// What the service's rules say about an account, for its owner; `null` if they ask for nothing that the account lacks.
    func policyNotice(
        of account: Account,
        _ passkeys: [Passkey],
        hasSecondStep: Bool,
        at now: Int64
    ) -> JSONValue {
        let requirements = policy.requirements(in: account.groups, at: now)
        func lacks(_ evidence: PasskeyEvidence?, twoFactors: Bool) -> Bool {
            if let evidence { return !passkeys.contains { evidence.accepts($0.record) } }
            return twoFactors && !hasSecondStep && !passkeys.contains(where: \.canVerify)
        }
        func notice(_ evidence: PasskeyEvidence?, from: Int64?) -> JSONValue {
            [
                "needs": evidence.map { $0.isDeviceBound ? "device_bound_passkey" : "passkey" } ?? "two_factors",
                "from": from.map { .string(JSONTime.text($0)) } ?? .null,
            ]
        }
        if lacks(requirements.passkeys, twoFactors: requirements.needsTwoFactors) {
            return notice(requirements.passkeys, from: nil)
        }
        let next = requirements.announced.filter { lacks($0.passkeys, twoFactors: $0.needsTwoFactors) }
            .min { ($0.from ?? 0) < ($1.from ?? 0) }
        return next.map { notice($0.passkeys, from: $0.from) } ?? .null
    }
}
