public import WardWebAuthn

/// The relying party's calls, implemented with accounts and passkeys.
extension AccountTransaction {
    /// Stores a new ceremony.
    public func insert(_ ceremony: Ceremony) async throws {
        try await insert(CeremonyRecord(ceremony))
    }

    /// Reads and deletes a ceremony in one step.
    ///
    /// If its bytes are malformed, it is deleted and `nil` is returned.
    public func takeCeremony(id: CeremonyID) async throws -> Ceremony? {
        try await takeCeremony(id: id.bytes).flatMap { try? Ceremony(encoded: $0.payload) }
    }

    /// Reads a passkey if the account with this user handle owns it.
    public func credential(id: CredentialID, of user: UserHandle) async throws -> Passkey? {
        try await passkey(credentialID: id).flatMap { $0.record.userHandle == user ? $0 : nil }
    }

    /// Reads the passkeys of the account with this user handle, oldest first.
    public func credentials(of user: UserHandle) async throws -> [Passkey] {
        guard let account = try await account(userHandle: user) else { return [] }
        return try await passkeys(of: account.id)
    }

    /// Whether any account has a passkey with this credential ID.
    public func isRegistered(_ id: CredentialID) async throws -> Bool {
        try await passkey(credentialID: id) != nil
    }
}
