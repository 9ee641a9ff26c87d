import WardAccounts

extension SQLiteAccountStore {
    /// Writes and commits a few bytes, and checks that the file is still at its path.
    ///
    /// A file that was deleted or replaced can still be written, but its data is lost when the service ends.
    ///
    /// - Throws: `StoreError.Code.unavailable` if the store cannot write or the file is gone.
    public func probe() async throws {
        if let lock, !lock.isInPlace {
            throw StoreError(.unavailable, detail: "the database file was deleted or replaced: restart the service")
        }
        try await passing {
            try await writes.run { tx in
                _ = try tx.insert("INSERT OR REPLACE INTO secret (name, bytes) VALUES ('probe', randomblob(8))", [])
            }
        }
    }
}
