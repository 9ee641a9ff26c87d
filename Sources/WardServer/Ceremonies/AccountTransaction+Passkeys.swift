import WardAccounts
import WardRelyingParty
import WardWebAuthn

extension Passkey {
    /// Whether a sign-in with the passkey can count as verified.
    ///
    /// It cannot if the passkey is bound to one device and was created without verification: a person who finds the device
    /// could set a PIN.
    var canVerify: Bool { record.backupEligible || record.uvInitialized }
}

extension AccountTransaction {
    /// Creates a passkey of the account from a verified credential, without storing it.
    ///
    /// Its first name is the name of the authenticator model if that is known, otherwise the page's name for it. A number
    /// follows if the account already has a passkey with that name.
    ///
    /// - Throws: ``APIError`` with `too_many_passkeys`, or the store's errors.
    func newPasskey(
        _ credential: CredentialRecord,
        of account: AccountID,
        named name: String? = nil,
        at now: Int64,
        isRecovery: Bool = false
    ) async throws -> Passkey {
        let passkeys = try await passkeys(of: account)
        try PasskeyLimits.check(passkeys, adding: credential, isRecovery: isRecovery)
        let taken = Set(passkeys.map(\.name))
        let first = credential.aaguid.commonName ?? name ?? "Passkey"
        let numbered = (2...taken.count + 2).lazy.map { "\(first) \($0)" }
        let name = ([first] + numbered).first { !taken.contains($0) } ?? first
        return Passkey(credential, of: account, named: name, createdAt: now)
    }

    /// Whether the account has a passkey that can sign in, even if the service requires verification.
    ///
    /// A device-bound passkey that was created without user verification (for example without a prompt) never counts as
    /// verified. A service that requires verification refuses it, so it does not count here.
    func hasOpeningPasskey(_ account: AccountID) async throws -> Bool {
        try await passkeys(of: account).contains(where: \.canVerify)
    }

    /// Whether the account has a passkey that its owner certainly has: it was used to sign in, or the owner was verified when
    /// it was created.
    ///
    /// A passkey that was created without a prompt counts after its first sign-in, because the authenticator may never have
    /// stored it.
    func hasProvenPasskey(_ account: AccountID) async throws -> Bool {
        try await passkeys(of: account).contains { $0.lastUsedAt != nil || $0.record.uvInitialized }
    }
}
