internal import Crypto
internal import WardAuthenticator
internal import WardCOSE
internal import WardVault
internal import WardWebAuthn

/// The vault as the store of the authenticator.
struct VaultCredentialStore: WardAuthenticator.CredentialStore {
    let vault: Vault
    /// The item for a new passkey; with `nil` the vault finds one.
    var home: ItemID?

    func credentials(
        for relyingPartyID: String,
        among ids: [CredentialID]?
    ) async throws(CredentialStoreError) -> [StoredCredential] {
        do {
            var found: [StoredCredential] = []
            // A hidden passkey still answers if its credential ID is listed, because the site may have been wrong.
            for entry in try await vault.passkeys(for: relyingPartyID, includingHidden: ids != nil) {
                guard let id = CredentialID(entry.passkey.credentialID), ids?.contains(id) ?? true,
                    let (_, passkey) = try await vault.passkey(credentialID: id.bytes)
                else { continue }
                // Skip a key of another manager that this authenticator cannot use, instead of failing for all.
                let isBackedUp = try await vault.isBackedUp(credentialID: id.bytes)
                if let credential = try? StoredCredential(passkey, isBackedUp: isBackedUp) { found.append(credential) }
            }
            return found
        } catch {
            throw CredentialStoreError(reporting: error)
        }
    }

    func save(
        _ credential: StoredCredential,
        replacing replaced: [CredentialID]
    ) async throws(CredentialStoreError) {
        do {
            // The vault itself finds the replaced passkeys of the same account, in the same transaction.
            try await vault.addPasskey(try Passkey(credential), into: home, replacesSameAccount: !replaced.isEmpty)
        } catch {
            throw CredentialStoreError(reporting: error)
        }
    }

    func write(
        largeBlob: [UInt8],
        of id: CredentialID,
        for relyingPartyID: String
    ) async throws(CredentialStoreError) {
        do {
            guard let found = try await vault.passkey(credentialID: id.bytes),
                found.passkey.relyingPartyID == relyingPartyID
            else { throw CredentialStoreError(.failed, "there is no such passkey") }
            try await vault.setLargeBlob(SecretBytes(largeBlob), credentialID: id.bytes)
        } catch {
            throw CredentialStoreError(reporting: error)
        }
    }

    func noteUse(
        of id: CredentialID,
        for relyingPartyID: String,
        at time: Int64
    ) async throws(CredentialStoreError) {
        // A vault on a read-only disk still signs in, without recording the use.
        guard !vault.isReadOnly else { return }
        do { try await vault.recordUse(of: id.bytes) } catch { throw CredentialStoreError(reporting: error) }
    }
}

extension CredentialStoreError {
    fileprivate init(reporting error: any Error) {
        switch error {
        case let error as CredentialStoreError: self = error
        case let error as VaultError where error.code == .locked || error.code == .closed:
            self.init(.locked, "the vault was locked meanwhile")
        case let error as VaultError where error.code == .diskFull: self.init(.full, error.detail)
        case let error as VaultError: self.init(.failed, error.detail)
        default: self.init(.failed, "\(type(of: error))")
        }
    }
}

extension StoredCredential {
    /// A passkey of the vault with its key.
    ///
    /// - Throws: `VaultError` with `malformedItem` if the key cannot sign.
    fileprivate init(_ passkey: Passkey, isBackedUp: Bool) throws(VaultError) {
        guard let id = CredentialID(passkey.credentialID), let userHandle = UserHandle(passkey.userHandle) else {
            throw VaultError(.malformedItem, "the passkey has no name or no user handle")
        }
        self.init(
            id: id,
            relyingPartyID: passkey.relyingPartyID,
            relyingPartyName: passkey.relyingPartyName,
            userHandle: userHandle,
            userName: passkey.userName,
            userDisplayName: passkey.userDisplayName,
            privateKey: try passkey.signingKey(),
            hmacSecrets: passkey.prf.map { secrets in
                HMACSecrets(
                    withVerification: SymmetricKey(data: secrets.withVerification.revealed),
                    withoutVerification: secrets.withoutVerification.map { SymmetricKey(data: $0.revealed) }
                )
            },
            protection: passkey.protection.flatMap { CredentialProtectionPolicy(level: UInt64(clamping: $0)) },
            isBackupEligible: passkey.isBackupEligible,
            isBackedUp: isBackedUp,
            createdAt: passkey.createdAt,
            isUpgrade: passkey.createdBy == .upgrade,
            largeBlob: passkey.largeBlob?.revealed
        )
    }
}

extension Passkey {
    /// Converts a credential to the vault's type.
    fileprivate init(_ credential: StoredCredential) throws(VaultError) {
        func bytes(_ key: SymmetricKey) -> SecretBytes {
            SecretBytes(unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })
        }
        self.init(
            credentialID: credential.id.bytes,
            relyingPartyID: credential.relyingPartyID,
            relyingPartyName: credential.relyingPartyName,
            userHandle: credential.userHandle.bytes,
            userName: credential.userName,
            userDisplayName: credential.userDisplayName,
            algorithm: credential.privateKey.algorithm,
            privateKey: try Passkey.encodePrivateKey(credential.privateKey),
            prf: credential.hmacSecrets.map { secrets in
                PRFSecrets(
                    withVerification: bytes(secrets.withVerification),
                    withoutVerification: secrets.withoutVerification.map { bytes($0) }
                )
            },
            isBackupEligible: credential.isBackupEligible,
            isBackedUp: credential.isBackedUp,
            createdAt: credential.createdAt,
            createdBy: credential.isUpgrade ? .upgrade : .user,
            protection: credential.protection?.level.map { Int($0) },
            largeBlob: credential.largeBlob.map { SecretBytes($0) }
        )
    }
}
