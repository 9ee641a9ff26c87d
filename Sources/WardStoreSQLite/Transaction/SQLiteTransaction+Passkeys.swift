public import WardAccounts
public import WardWebAuthn

extension SQLiteTransaction {
    /// The two large columns come last, so that SQLite reads the others without reading these.
    private static let passkeyColumns = """
        credential_id, account_id, name, public_key, sign_count, uv_initialized, transports, backup_eligible, \
        backed_up, aaguid, attestation_format, rp_id, created_at, last_used_at, succeeds, verified_aaguid, \
        verified_format, verified_at, attestation_object, client_data_json
        """

    /// The user handle comes from the account, which is found by its primary key.
    private static let passkeysWithOwners = """
        SELECT \(passkeyColumns), (SELECT user_handle FROM account WHERE id = account_id) FROM passkey
        """

    /// Adds a passkey to an account.
    public func insert(_ passkey: Passkey) throws {
        let sql = """
            INSERT INTO passkey (\(Self.passkeyColumns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (credential_id) DO NOTHING
            """
        let (record, model) = (passkey.record, passkey.verifiedModel)
        let values: [StoredValue] = [
            .blob(record.id.bytes), .blob(passkey.accountID.bytes), try .text(passkey.name), .blob(record.publicKey),
            .integer(Int64(record.signCount)), .flag(record.uvInitialized),
            try .words(record.transports.map(\.rawValue)), .flag(record.backupEligible), .flag(record.backedUp),
            .blob(record.aaguid.bytes), try .text(record.attestationFormat), try .text(record.rpID),
            .integer(passkey.createdAt), .integer(passkey.lastUsedAt), .blob(passkey.succeeds?.bytes),
            .blob(model?.aaguid.bytes), try model.map { try StoredValue.text($0.format) } ?? .null,
            .integer(model?.verifiedAt), .blob(record.attestationObject), .blob(record.clientDataJSON),
        ]
        if let owner = try account(id: passkey.accountID), owner.userHandle != record.userHandle {
            throw StoreError(.accountNotFound, detail: "the record has another user handle than the account")
        }
        guard try insert(sql, values) else { throw StoreError(.credentialExists) }
    }

    /// Finds a passkey of any account by its credential ID.
    public func passkey(credentialID: CredentialID) throws -> Passkey? {
        try first(
            "\(Self.passkeysWithOwners) WHERE credential_id = ?",
            [.blob(credentialID.bytes)],
            Self.passkey
        )
    }

    /// Lists an account's passkeys, oldest first.
    public func passkeys(of account: AccountID) throws -> [Passkey] {
        let sql = "\(Self.passkeysWithOwners) WHERE account_id = ? ORDER BY created_at, credential_id"
        return try all(sql, [.blob(account.bytes)], Self.passkey)
    }

    /// Stores the changes of a sign-in.
    @discardableResult
    public func update(_ passkey: Passkey) throws -> Bool {
        let sql = """
            UPDATE passkey SET sign_count = ?, uv_initialized = ?, transports = ?, backup_eligible = ?, backed_up = ?,
                last_used_at = ?, succeeds = ?
            WHERE credential_id = ? AND account_id = ?
            """
        let record = passkey.record
        let values: [StoredValue] = [
            .integer(Int64(record.signCount)), .flag(record.uvInitialized),
            try .words(record.transports.map(\.rawValue)), .flag(record.backupEligible), .flag(record.backedUp),
            .integer(passkey.lastUsedAt), .blob(passkey.succeeds?.bytes), .blob(record.id.bytes),
            .blob(passkey.accountID.bytes),
        ]
        return try change(sql, values) == 1
    }

    /// Renames a passkey if the account owns it.
    public func renamePasskey(credentialID: CredentialID, of account: AccountID, to name: String) throws -> Bool {
        let sql = "UPDATE passkey SET name = ? WHERE credential_id = ? AND account_id = ?"
        return try change(sql, [try .text(name), .blob(credentialID.bytes), .blob(account.bytes)]) == 1
    }

    /// Deletes a passkey if the account owns it.
    ///
    /// Sessions that began with the passkey, or have a proof with it, end.
    public func deletePasskey(credentialID: CredentialID, of account: AccountID) throws -> Bool {
        let passkey = "DELETE FROM passkey WHERE credential_id = ? AND account_id = ?"
        guard try change(passkey, [.blob(credentialID.bytes), .blob(account.bytes)]) == 1 else { return false }
        let sessions = """
            DELETE FROM session WHERE account_id = ?
                AND (credential_id = ? OR credential_id IS NULL AND method = 'passkey')
            """
        try change(sessions, [.blob(account.bytes), .blob(credentialID.bytes)])
        return true
    }

    private static func passkey(_ row: StoredRow) throws -> Passkey {
        var columns = Columns(row)
        let id = try columns.credentialID()
        let accountID = try columns.accountID()
        let name = try columns.text()
        let publicKey = try columns.blob()
        let signCount = try columns.unsigned32()
        let uvInitialized = try columns.flag()
        let transports = try columns.words()
        let backupEligible = try columns.flag()
        let backedUp = try columns.flag()
        let aaguid = try columns.aaguid()
        let attestationFormat = try columns.text()
        let rpID = try columns.text()
        let createdAt = try columns.integer()
        let lastUsedAt = try columns.optionalInteger()
        let succeeds = try columns.optionalCredentialID()
        let verifiedModel = try columns.verifiedModel()
        let attestationObject = try columns.optionalBlob()
        let clientDataJSON = try columns.optionalBlob()
        let record = CredentialRecord(
            id: id,
            userHandle: try columns.userHandle(),
            publicKey: publicKey,
            signCount: signCount,
            uvInitialized: uvInitialized,
            transports: transports.map { AuthenticatorTransport(rawValue: $0) },
            backupEligible: backupEligible,
            backedUp: backedUp,
            aaguid: aaguid,
            attestationFormat: attestationFormat,
            attestationObject: attestationObject,
            clientDataJSON: clientDataJSON,
            rpID: rpID
        )
        return Passkey(
            record,
            of: accountID,
            named: name,
            createdAt: createdAt,
            lastUsedAt: lastUsedAt,
            succeeds: succeeds,
            verifiedModel: verifiedModel
        )
    }
}
