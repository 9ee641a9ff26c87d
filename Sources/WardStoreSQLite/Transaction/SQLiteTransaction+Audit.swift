public import WardAccounts
public import WardWebAuthn

extension SQLiteTransaction {
    private static let auditColumns = "number, at, event, actor, account_id, method, credential_id, details, hash"

    /// Adds a row to the end of the audit log.
    public func append(_ event: AuditEvent) throws {
        let entry = try auditEnd().next(event)
        let sql = "INSERT INTO audit (\(Self.auditColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        let values: [StoredValue] = [
            .integer(entry.number), .integer(event.time), try .text(event.kind.rawValue),
            try .text(event.actor.rawValue), .blob(event.account?.bytes),
            try event.method.map { try .text($0.rawValue) } ?? .null, .blob(event.credential?.bytes),
            try event.details.text.map { try .text($0) } ?? .null, .blob(entry.hash),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// The end of the audit log.
    public func auditEnd() throws -> AuditPoint {
        let last = try first("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1", []) { row in
            var columns = Columns(row)
            return AuditPoint(number: try columns.integer(), hash: try columns.blob())
        }
        if let last { return last }
        return try auditCheckpoint()?.point ?? .start
    }

    /// Rows of the audit log, oldest first.
    public func auditEntries(after number: Int64, limit: Int) throws -> [AuditEntry] {
        let sql = "SELECT \(Self.auditColumns) FROM audit WHERE number > ? ORDER BY number LIMIT ?"
        return try all(sql, [.integer(number), .integer(Int64(max(0, limit)))], Self.entry)
    }

    /// The newest rows of the audit log that are about an account, newest first.
    public func auditEntries(of account: AccountID, limit: Int) throws -> [AuditEntry] {
        let sql = "SELECT \(Self.auditColumns) FROM audit WHERE account_id = ? ORDER BY number DESC LIMIT ?"
        return try all(sql, [.blob(account.bytes), .integer(Int64(max(0, limit)))], Self.entry)
    }

    /// Whether a row of the audit log says that a passkey was deleted.
    public func wasDeleted(credentialID: CredentialID) throws -> Bool {
        // The kinds are written out as in the index, so that the index is used.
        let sql = """
            SELECT 1 FROM audit WHERE credential_id = ? AND event IN ('passkey_deleted', 'passkey_replaced') LIMIT 1
            """
        return try first(sql, [.blob(credentialID.bytes)]) { _ in true } ?? false
    }

    /// The last row that was deleted because it was old.
    public func auditCheckpoint() throws -> AuditSeal? {
        try first("SELECT number, hash, at, signature FROM audit_checkpoint", []) { row in
            var columns = Columns(row)
            let point = AuditPoint(number: try columns.integer(), hash: try columns.blob())
            return AuditSeal(.checkpoint, point, at: try columns.integer(), signature: try columns.blob())
        }
    }

    /// Deletes the rows up to a checkpoint.
    ///
    /// The checkpoint replaces them.
    @discardableResult
    public func deleteAuditEntries(through checkpoint: AuditSeal) throws -> Int {
        let sql = """
            INSERT INTO audit_checkpoint (id, number, hash, at, signature) VALUES (1, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET number = excluded.number, hash = excluded.hash, at = excluded.at,
                signature = excluded.signature
            """
        let values: [StoredValue] = [
            .integer(checkpoint.point.number), .blob(checkpoint.point.hash), .integer(checkpoint.time),
            .blob(checkpoint.signature),
        ]
        try change(sql, values)
        return try change("DELETE FROM audit WHERE number <= ?", [.integer(checkpoint.point.number)])
    }

    private static func entry(_ row: StoredRow) throws -> AuditEntry {
        var columns = Columns(row)
        let number = try columns.integer()
        let event = try columns.auditEvent()
        return AuditEntry(number: number, event: event, hash: try columns.blob())
    }
}

extension Columns {
    /// Seven columns: time, kind, actor, account, method, passkey and details.
    fileprivate mutating func auditEvent() throws -> AuditEvent {
        let (time, kind) = (try integer(), AuditEvent.Kind(rawValue: try text()))
        let actor = AuditEvent.Actor(rawValue: try text())
        let account = try optionalBlob().map { try Self.checked(AccountID($0)) }
        let method = try optionalText().map { try Self.checked(AuditEvent.Method(rawValue: $0)) }
        let credential = try optionalBlob().map { try Self.checked(CredentialID($0)) }
        let details = AuditDetails(text: try optionalText())
        return AuditEvent(
            kind,
            at: time,
            by: try Self.checked(actor),
            of: account,
            method: method,
            credential: credential,
            details: details
        )
    }

    private static func checked<T>(_ value: T?) throws -> T {
        guard let value else { throw StoreError(.damaged, detail: "a row of the audit log has an invalid value") }
        return value
    }
}
