import WardAccounts
import WardRelyingParty
import WardWebAuthn

extension Passkey {
    /// Whether a sign-in with it can count as verified.
    ///
    /// A passkey of one device that was made without verification cannot: whoever finds the device could set a PIN.
    var canVerify: Bool { record.backupEligible || record.uvInitialized }
}

extension AccountTransaction {
    /// Makes a passkey of the account from a verified credential, without writing it.
    ///
    /// Its first name is the name of the authenticator model if that is known, with a number if the account already has
    /// a passkey with that name.
    ///
    /// - Throws: ``APIError`` with `too_many_passkeys`, or the store's errors.
    func newPasskey(_ credential: CredentialRecord, of account: AccountID, at now: Int64) async throws -> Passkey {
        let passkeys = try await passkeys(of: account)
        try PasskeyLimits.check(passkeys, adding: credential)
        let taken = Set(passkeys.map(\.name))
        let maker = credential.aaguid.commonName ?? "Passkey"
        let numbered = (2...taken.count + 2).lazy.map { "\(maker) \($0)" }
        let name = ([maker] + numbered).first { !taken.contains($0) } ?? maker
        return Passkey(credential, of: account, named: name, createdAt: now)
    }

    /// Whether the account has a passkey that can sign in, whatever the service requires.
    ///
    /// A device-bound passkey that was created without user verification (for example by an automatic upgrade) never
    /// counts as verified. A service that requires verification refuses it, so it does not count here.
    func hasOpeningPasskey(_ account: AccountID) async throws -> Bool {
        try await passkeys(of: account).contains(where: \.canVerify)
    }

    /// Whether the account has a passkey that its owner surely has: it signed in, or the owner was verified when making
    /// it.
    ///
    /// A passkey from an automatic upgrade counts after its first sign-in, because it may never have been stored.
    func hasProvenPasskey(_ account: AccountID) async throws -> Bool {
        try await passkeys(of: account).contains { $0.lastUsedAt != nil || $0.record.uvInitialized }
    }
}
