internal import Crypto
internal import WardAuthenticator
internal import WardCOSE
internal import WardCTAP
internal import WardVault
internal import WardWebAuthn

/// The vault as a store of the authenticator.
///
/// It lists passkeys from the index, and decrypts an item only to sign.
struct VaultPasskeyStore: PasskeyStore {
    let vault: Vault
    /// The item for a new passkey.
    ///
    /// With `nil` the vault chooses the item.
    var home: ItemID?
    /// The folder with the data of sites, for domains that share their accounts; `nil` for none.
    var siteData: String?
    /// The source of random bytes for new secrets.
    var effects: Effects = .live

    var algorithms: [COSEAlgorithmIdentifier] { SoftwarePasskeyKey.algorithms }

    func list(for rpID: String, among ids: [CredentialID]?) async throws(PasskeyStoreError) -> [PasskeyInfo] {
        do {
            var found: [PasskeyInfo] = []
            // If the service reported that it does not know a passkey, the passkey can still be used if the service lists it.
            // The report may have been wrong.
            for (_, passkey) in try await vault.passkeys(for: rpID, includingHidden: ids != nil)
            where passkey.canSign && ids?.contains(passkey.credentialID) ?? true {
                let isBackedUp = try await vault.isBackedUp(credentialID: passkey.credentialID)
                found.append(PasskeyInfo(passkey, isBackedUp: isBackedUp))
            }
            return found
        } catch {
            throw PasskeyStoreError(reporting: error)
        }
    }

    func makeKey(for passkey: NewPasskey) throws(PasskeyStoreError) -> SoftwarePasskeyKey {
        try SoftwarePasskeyKey(drawing: passkey.algorithm, effects: effects)
    }

    func create(
        _ passkey: NewPasskey,
        with key: SoftwarePasskeyKey,
        replacing replaced: [CredentialID]
    ) async throws(PasskeyStoreError) {
        do {
            // In the transaction the vault itself finds the passkeys that are replaced: those of the same account and
            // algorithm.
            try await vault.addPasskey(
                try StoredPasskey(passkey, key),
                into: home,
                replacesSameAccount: !replaced.isEmpty,
                joining: siteData == nil ? .none : await SharedCredentials.here(siteData ?? "")
            )
        } catch {
            throw PasskeyStoreError(reporting: error)
        }
    }

    func sign(
        _ message: [UInt8],
        with id: CredentialID,
        for rpID: String
    ) async throws(PasskeyStoreError) -> [UInt8] {
        do { return try await passkey(id, rpID).signingKey().sign(message) } catch {
            throw PasskeyStoreError(reporting: error)
        }
    }

    func hmacSecret(
        of salts: PRFSalts,
        with id: CredentialID,
        for rpID: String,
        isVerified: Bool
    ) async throws(PasskeyStoreError) -> PRFSalts? {
        do {
            let passkey = try await passkey(id, rpID)
            return SoftwarePasskeyKey(privateKey: try passkey.signingKey(), hmacSecrets: passkey.prf.map { .init($0) })
                .hmacSecret(of: salts, isVerified: isVerified)
        } catch {
            throw PasskeyStoreError(reporting: error)
        }
    }

    func largeBlob(of id: CredentialID, for rpID: String) async throws(PasskeyStoreError) -> [UInt8]? {
        do { return try await passkey(id, rpID).largeBlob?.revealed } catch {
            throw PasskeyStoreError(reporting: error)
        }
    }

    func write(largeBlob: [UInt8], of id: CredentialID, for rpID: String) async throws(PasskeyStoreError) {
        do {
            _ = try await passkey(id, rpID)
            try await vault.setLargeBlob(SecretBytes(largeBlob), credentialID: id)
        } catch {
            throw PasskeyStoreError(reporting: error)
        }
    }

    func noteUse(of id: CredentialID, for rpID: String, at time: Int64) async throws(PasskeyStoreError) {
        // On a read-only disk the sign-in still works, but the use is not recorded.
        guard !vault.isReadOnly else { return }
        do { try await vault.recordUse(of: id) } catch { throw PasskeyStoreError(reporting: error) }
    }

    private func passkey(_ id: CredentialID, _ rpID: String) async throws -> StoredPasskey {
        guard let found = try await vault.passkey(credentialID: id)?.passkey, found.rpID == rpID
        else { throw PasskeyStoreError(.missing, "no passkey has this credential ID") }
        return found
    }
}

extension PasskeyStoreError {
    fileprivate init(reporting error: any Error) {
        switch error {
        case let error as PasskeyStoreError: self = error
        case let error as VaultError where error.code == .locked || error.code == .closed:
            self.init(.locked, "the vault was locked meanwhile")
        case let error as VaultError where error.code == .diskFull: self.init(.full, error.detail)
        case let error as VaultError: self.init(.failed, error.detail)
        default: self.init(.failed, "\(type(of: error))")
        }
    }
}

extension PasskeyInfo {
    fileprivate init(_ passkey: ItemSummary.Passkey, isBackedUp: Bool) {
        self.init(
            id: passkey.credentialID,
            rpID: passkey.rpID,
            userHandle: passkey.userHandle,
            userName: passkey.userName,
            userDisplayName: passkey.userDisplayName,
            algorithm: passkey.algorithm,
            protection: passkey.protection.flatMap { CredentialProtectionPolicy(level: UInt64(clamping: $0)) },
            isBackupEligible: passkey.isBackupEligible,
            isBackedUp: isBackedUp,
            createdAt: passkey.createdAt
        )
    }
}

extension SoftwarePasskeyKey.HMACSecrets {
    fileprivate init(_ secrets: StoredPasskey.PRFSecrets) {
        self.init(
            withVerification: SymmetricKey(data: secrets.withVerification.revealed),
            withoutVerification: secrets.withoutVerification.map { SymmetricKey(data: $0.revealed) }
        )
    }
}

extension StoredPasskey {
    /// A new passkey in the form in which the vault stores it.
    fileprivate init(_ passkey: NewPasskey, _ key: SoftwarePasskeyKey) throws(VaultError) {
        func bytes(_ key: SymmetricKey) -> SecretBytes {
            SecretBytes(unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })
        }
        self.init(
            credentialID: passkey.id,
            rpID: passkey.rpID,
            rpName: passkey.rpName,
            userHandle: passkey.userHandle,
            userName: passkey.userName,
            userDisplayName: passkey.userDisplayName,
            algorithm: passkey.algorithm,
            privateKey: try StoredPasskey.encodePrivateKey(key.privateKey),
            prf: key.hmacSecrets.map { secrets in
                PRFSecrets(
                    withVerification: bytes(secrets.withVerification),
                    withoutVerification: secrets.withoutVerification.map { bytes($0) }
                )
            },
            isBackupEligible: key.isBackupEligible,
            createdAt: passkey.createdAt,
            createdBy: passkey.isUpgrade ? .upgrade : .user,
            protection: passkey.protection?.level.map { Int($0) }
        )
    }
}
