import WardAccounts
import WardRelyingParty
import WardWebAuthn

extension AccountTransaction {
    /// A verified credential as an account's passkey, not yet written.
    ///
    /// Until its owner names it, it is called after the authenticator's maker where that is known, with a number where
    /// the account has one of that name.
    func newPasskey(_ credential: CredentialRecord, of account: AccountID, at now: Int64) async throws -> Passkey {
        let taken = Set(try await passkeys(of: account).map(\.name))
        let maker = credential.aaguid.commonName ?? "Passkey"
        let numbered = (2...taken.count + 2).lazy.map { "\(maker) \($0)" }
        let name = ([maker] + numbered).first { !taken.contains($0) } ?? maker
        return Passkey(credential, of: account, named: name, createdAt: now)
    }

    /// Whether an account has a passkey that opens it.
    ///
    /// One that is bound to its device and was made without verification, as an automatic upgrade may make, is never
    /// believed to have verified anybody, and so does not: nothing may be given up for it.
    func hasOpeningPasskey(_ account: AccountID) async throws -> Bool {
        try await passkeys(of: account).contains { $0.record.backupEligible || $0.record.uvInitialized }
    }
}
