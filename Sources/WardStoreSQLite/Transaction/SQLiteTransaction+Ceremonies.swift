public import WardAccounts

extension SQLiteTransaction {
    /// Stores a ceremony until it is taken or expires.
    public func insert(_ ceremony: CeremonyRecord) throws {
        let sql = "INSERT INTO ceremony (id, payload, expires_at) VALUES (?, ?, ?)"
        let values: [StoredValue] = [
            .blob(ceremony.id), .blob(ceremony.payload), .integer(ceremony.expiresAt),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// Reads and deletes a ceremony in one step.
    public func takeCeremony(id: [UInt8]) throws -> CeremonyRecord? {
        try first("DELETE FROM ceremony WHERE id = ? RETURNING payload, expires_at", [.blob(id)]) { row in
            var columns = Columns(row)
            return CeremonyRecord(id: id, payload: try columns.blob(), expiresAt: try columns.integer())
        }
    }

    /// Deletes expired ceremonies.
    @discardableResult
    public func deleteExpiredCeremonies(before time: Int64, limit: Int) throws -> Int {
        let sql = """
            DELETE FROM ceremony WHERE id IN (
                SELECT id FROM ceremony WHERE expires_at < ? ORDER BY expires_at LIMIT ?
            )
            """
        return try sweep(sql, time, limit)
    }

    /// Stores that a ceremony which the page kept was answered.
    public func insertUse(_ use: [UInt8], until time: Int64) throws -> Bool {
        let sql = "INSERT INTO ceremony_use (use, kept_until) VALUES (?, ?) ON CONFLICT (use) DO NOTHING"
        return try insert(sql, [.blob(use), .integer(time)])
    }

    /// Deletes uses that are no longer kept.
    @discardableResult
    public func deleteExpiredUses(before time: Int64, limit: Int) throws -> Int {
        let sql = """
            DELETE FROM ceremony_use WHERE use IN (
                SELECT use FROM ceremony_use WHERE kept_until < ? ORDER BY kept_until LIMIT ?
            )
            """
        return try sweep(sql, time, limit)
    }

    /// The number of ceremonies in the store.
    public func ceremonyCount() throws -> Int {
        let count = try first("SELECT count(*) FROM ceremony", []) { row in
            var columns = Columns(row)
            return try columns.integer()
        }
        return Int(clamping: count ?? 0)
    }
}

extension SQLiteTransaction {
    /// Reads a secret of the service itself.
    public func secret(named name: String) throws -> [UInt8]? {
        guard let name = try? StoredValue.text(name) else { return nil }
        return try first("SELECT bytes FROM secret WHERE name = ?", [name]) { row in
            var columns = Columns(row)
            return try columns.blob()
        }
    }

    /// Stores a secret unless one with this name exists.
    @discardableResult
    public func insertSecret(named name: String, _ bytes: [UInt8]) throws -> [UInt8] {
        let sql = "INSERT INTO secret (name, bytes) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"
        if try insert(sql, [try .text(name), .blob(bytes)]) { return bytes }
        guard let kept = try secret(named: name) else {
            throw StoreError(.damaged, detail: "a stored secret is missing")
        }
        return kept
    }
}
