public import WardAccounts

extension SQLiteTransaction {
    private static let recoveryColumns =
        "account_id, source, token_hash, created_at, expires_at, needs_proof, proofs, waits, opens_at"

    /// Stores an account's recovery link, in place of one from the same source.
    public func setRecoveryLink(_ link: RecoveryLink) throws {
        let sql = """
            INSERT INTO recovery_link (\(Self.recoveryColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (account_id, source) DO UPDATE SET token_hash = excluded.token_hash,
                created_at = excluded.created_at, expires_at = excluded.expires_at, needs_proof = excluded.needs_proof,
                proofs = excluded.proofs, waits = excluded.waits, opens_at = excluded.opens_at
            """
        let (waits, opensAt): (Bool, Int64?) =
            switch link.wait {
            case .none: (false, nil)
            case .afterNotice: (true, nil)
            case .until(let time): (true, time)
            }
        let values: [StoredValue] = [
            .blob(link.accountID.bytes), try .text(link.source.rawValue), .blob(link.tokenHash),
            .integer(link.createdAt), .integer(link.expiresAt), .flag(link.needsProof), try .words(link.proofs),
            .flag(waits), .integer(opensAt),
        ]
        try change(sql, values)
    }

    /// Finds a recovery link by the hash of its token.
    public func recoveryLink(tokenHash: [UInt8]) throws -> RecoveryLink? {
        let sql = "SELECT \(Self.recoveryColumns) FROM recovery_link WHERE token_hash = ?"
        return try first(sql, [.blob(tokenHash)], Self.recoveryLink)
    }

    /// The recovery links of an account.
    public func recoveryLinks(of account: AccountID) throws -> [RecoveryLink] {
        let sql = "SELECT \(Self.recoveryColumns) FROM recovery_link WHERE account_id = ? ORDER BY source"
        return try all(sql, [.blob(account.bytes)], Self.recoveryLink)
    }

    /// Deletes an account's recovery link.
    @discardableResult
    public func deleteRecoveryLink(of account: AccountID, from source: RecoveryLink.Source) throws -> Bool {
        let sql = "DELETE FROM recovery_link WHERE account_id = ? AND source = ?"
        return try change(sql, [.blob(account.bytes), .text(source.rawValue)]) == 1
    }

    private static func recoveryLink(_ row: StoredRow) throws -> RecoveryLink {
        var columns = Columns(row)
        return RecoveryLink(
            accountID: try columns.accountID(),
            source: try columns.recoverySource(),
            tokenHash: try columns.blob(),
            createdAt: try columns.integer(),
            expiresAt: try columns.integer(),
            needsProof: try columns.flag(),
            proofs: try columns.words(),
            wait: try columns.recoveryWait()
        )
    }
}

extension Columns {
    fileprivate mutating func recoverySource() throws -> RecoveryLink.Source {
        guard let source = RecoveryLink.Source(rawValue: try text()) else {
            throw StoreError(.damaged, detail: "a row has an unknown source of a recovery link")
        }
        return source
    }

    /// Two columns: whether there is a wait, and when it ends if that is known.
    fileprivate mutating func recoveryWait() throws -> RecoveryLink.Wait {
        switch (try flag(), try optionalInteger()) {
        case (false, _): .none
        case (true, nil): .afterNotice
        case (true, let time?): .until(time)
        }
    }
}
