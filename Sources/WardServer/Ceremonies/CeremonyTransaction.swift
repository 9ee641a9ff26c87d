import WardAccounts
import WardRelyingParty
import WardWebAuthn

/// An account transaction as the relying party sees it: ceremonies and credentials, and no accounts.
///
/// A credential is stored as a passkey with a name, an owner and times that the relying party knows nothing of, so what
/// it inserts and updates is only noted here: the handler writes it, in the same transaction, with the rest.
final class CeremonyTransaction<Base: AccountTransaction>: CredentialTransaction {
    /// Whose credential was looked up.
    private(set) var account: Account?
    /// The passkey it was found in.
    private(set) var passkey: Passkey?

    private let base: Base
    private let decoys: Decoys
    private var taken: Ceremony?

    init(_ base: Base, decoys: Decoys) {
        self.base = base
        self.decoys = decoys
    }

    func insert(_ ceremony: Ceremony) throws {
        try base.insert(
            CeremonyRecord(id: ceremony.id.bytes, payload: ceremony.encoded, expiresAt: ceremony.expiresAt)
        )
    }

    func takeCeremony(id: CeremonyID) throws -> Ceremony? {
        guard let record = try base.takeCeremony(id: id.bytes) else { return nil }
        taken = try? Ceremony(encoded: record.payload)
        return taken
    }

    func credential(id: CredentialID, of user: UserHandle) throws -> CredentialRecord? {
        let owner = try base.account(userHandle: user.bytes)
        let found = try base.passkey(credentialID: id.bytes)
        guard let owner else {
            // Begun with a name nobody has: checked to the end like any other, against a key nobody has either.
            return taken.flatMap { CeremonyPurpose.decoy.isPurpose(of: $0) ? decoys.record(id, of: user, in: $0) : nil }
        }
        guard let found, found.accountID == owner.id, let record = CredentialRecord(found, of: user) else { return nil }
        (account, passkey) = (owner, found)
        return record
    }

    func credentials(of user: UserHandle) throws -> [CredentialRecord] {
        guard let owner = try base.account(userHandle: user.bytes) else { return [] }
        return try base.passkeys(of: owner.id).compactMap { CredentialRecord($0, of: user) }
    }

    func isRegistered(_ id: CredentialID) throws -> Bool {
        try base.passkey(credentialID: id.bytes) != nil
    }

    func insert(_ credential: CredentialRecord) throws {}
    func update(_ credential: CredentialRecord) throws {}
}

extension CredentialRecord {
    /// `nil` for a record that no registration can have made.
    init?(_ passkey: Passkey, of user: UserHandle) {
        guard let id = CredentialID(passkey.credentialID), let aaguid = AAGUID(passkey.aaguid) else { return nil }
        self.init(
            id: id,
            userHandle: user,
            publicKey: passkey.publicKey,
            signCount: passkey.signCount,
            uvInitialized: passkey.uvInitialized,
            transports: passkey.transports.map { AuthenticatorTransport(rawValue: $0) },
            backupEligible: passkey.backupEligible,
            backedUp: passkey.backedUp,
            aaguid: aaguid,
            attestationFormat: passkey.attestationFormat,
            attestationObject: passkey.attestationObject,
            clientDataJSON: passkey.clientDataJSON,
            rpID: passkey.rpID
        )
    }
}

extension Passkey {
    /// A new passkey, as registered.
    init(_ record: CredentialRecord, of account: AccountID, named name: String, at now: Int64) {
        self.init(
            credentialID: record.id.bytes,
            accountID: account,
            name: name,
            publicKey: record.publicKey,
            signCount: record.signCount,
            uvInitialized: record.uvInitialized,
            transports: record.transports.map(\.rawValue),
            backupEligible: record.backupEligible,
            backedUp: record.backedUp,
            aaguid: record.aaguid.bytes,
            attestationFormat: record.attestationFormat,
            attestationObject: record.attestationObject,
            clientDataJSON: record.clientDataJSON,
            rpID: record.rpID,
            createdAt: now,
            lastUsedAt: nil
        )
    }

    /// Takes over what a sign-in changed.
    mutating func note(_ record: CredentialRecord, at now: Int64) {
        signCount = record.signCount
        uvInitialized = record.uvInitialized
        transports = record.transports.map(\.rawValue)
        backupEligible = record.backupEligible
        backedUp = record.backedUp
        lastUsedAt = now
    }
}

extension AccountTransaction {
    /// Whether an account has a passkey that opens it.
    ///
    /// One that is bound to its device and was made without verification, as an automatic upgrade may make, is never
    /// believed to have verified anybody, and so does not: nothing may be given up for it.
    func hasOpeningPasskey(_ account: AccountID) throws -> Bool {
        try passkeys(of: account).contains { $0.backupEligible || $0.uvInitialized }
    }
}
