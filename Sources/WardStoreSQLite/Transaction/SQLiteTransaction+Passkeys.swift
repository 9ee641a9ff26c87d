import GRDB
public import WardAccounts

extension SQLiteTransaction {
    /// The two large columns stand last, so that what comes before them is found without walking over them.
    private static let passkeyColumns = """
        credential_id, account_id, name, public_key, sign_count, uv_initialized, transports, backup_eligible, \
        backed_up, aaguid, attestation_format, rp_id, created_at, last_used_at, attestation_object, client_data_json
        """

    /// Adds a passkey to an account.
    public func insert(_ passkey: Passkey) throws {
        let sql = """
            INSERT INTO passkey (\(Self.passkeyColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (credential_id) DO NOTHING
            """
        let values: [DatabaseValue] = [
            .blob(passkey.credentialID), .blob(passkey.accountID.bytes), try .text(passkey.name),
            .blob(passkey.publicKey), .integer(Int64(passkey.signCount)), .flag(passkey.uvInitialized),
            try .words(passkey.transports), .flag(passkey.backupEligible), .flag(passkey.backedUp),
            .blob(passkey.aaguid), try .text(passkey.attestationFormat), try .text(passkey.rpID),
            .integer(passkey.createdAt), .integer(passkey.lastUsedAt), .blob(passkey.attestationObject),
            .blob(passkey.clientDataJSON),
        ]
        guard try insert(sql, values) else { throw StoreError(.credentialExists) }
    }

    /// Looks a passkey up by its credential id, whoever owns it.
    public func passkey(credentialID: [UInt8]) throws -> Passkey? {
        try first(
            "SELECT \(Self.passkeyColumns) FROM passkey WHERE credential_id = ?",
            [.blob(credentialID)],
            Self.passkey
        )
    }

    /// Lists an account's passkeys, oldest first.
    public func passkeys(of account: AccountID) throws -> [Passkey] {
        let sql = "SELECT \(Self.passkeyColumns) FROM passkey WHERE account_id = ? ORDER BY created_at, credential_id"
        return try all(sql, [.blob(account.bytes)], Self.passkey)
    }

    /// Counts an account's passkeys.
    public func passkeyCount(of account: AccountID) throws -> Int {
        let count = try first("SELECT count(*) FROM passkey WHERE account_id = ?", [.blob(account.bytes)]) { row in
            var columns = Columns(row)
            return try columns.integer()
        }
        return Int(clamping: count ?? 0)
    }

    /// Writes what a sign-in changes.
    @discardableResult
    public func update(_ passkey: Passkey) throws -> Bool {
        let sql = """
            UPDATE passkey SET sign_count = ?, uv_initialized = ?, transports = ?, backup_eligible = ?, backed_up = ?,
                last_used_at = ?
            WHERE credential_id = ? AND account_id = ?
            """
        let values: [DatabaseValue] = [
            .integer(Int64(passkey.signCount)), .flag(passkey.uvInitialized), try .words(passkey.transports),
            .flag(passkey.backupEligible), .flag(passkey.backedUp), .integer(passkey.lastUsedAt),
            .blob(passkey.credentialID), .blob(passkey.accountID.bytes),
        ]
        return try change(sql, values) == 1
    }

    /// Renames a passkey, if that account owns it.
    public func renamePasskey(credentialID: [UInt8], of account: AccountID, to name: String) throws -> Bool {
        let sql = "UPDATE passkey SET name = ? WHERE credential_id = ? AND account_id = ?"
        return try change(sql, [try .text(name), .blob(credentialID), .blob(account.bytes)]) == 1
    }

    /// Deletes a passkey, if that account owns it.
    public func deletePasskey(credentialID: [UInt8], of account: AccountID) throws -> Bool {
        let sql = "DELETE FROM passkey WHERE credential_id = ? AND account_id = ?"
        return try change(sql, [.blob(credentialID), .blob(account.bytes)]) == 1
    }

    private static func passkey(_ row: Row) throws -> Passkey {
        var columns = Columns(row)
        let credentialID = try columns.blob()
        let accountID = try columns.accountID()
        let name = try columns.text()
        let publicKey = try columns.blob()
        let signCount = try columns.unsigned32()
        let uvInitialized = try columns.flag()
        let transports = try columns.words()
        let backupEligible = try columns.flag()
        let backedUp = try columns.flag()
        let aaguid = try columns.blob()
        let attestationFormat = try columns.text()
        let rpID = try columns.text()
        let createdAt = try columns.integer()
        let lastUsedAt = try columns.optionalInteger()
        return Passkey(
            credentialID: credentialID,
            accountID: accountID,
            name: name,
            publicKey: publicKey,
            signCount: signCount,
            uvInitialized: uvInitialized,
            transports: transports,
            backupEligible: backupEligible,
            backedUp: backedUp,
            aaguid: aaguid,
            attestationFormat: attestationFormat,
            attestationObject: try columns.optionalBlob(),
            clientDataJSON: try columns.optionalBlob(),
            rpID: rpID,
            createdAt: createdAt,
            lastUsedAt: lastUsedAt
        )
    }
}
