public import WardAccounts

extension MemoryTransaction {
    /// Stores a ceremony until it is taken or expires.
    public func insert(_ ceremony: CeremonyRecord) throws {
        try beginWriting()
        guard records.ceremonies[ceremony.id] == nil else { throw StoreError(.conflict) }
        records.ceremonies[ceremony.id] = ceremony
    }

    /// Reads and deletes a ceremony in one step.
    public func takeCeremony(id: [UInt8]) throws -> CeremonyRecord? {
        try beginWriting()
        return records.ceremonies.removeValue(forKey: id)
    }

    /// Deletes expired ceremonies.
    @discardableResult
    public func deleteExpiredCeremonies(before time: Int64, limit: Int) throws -> Int {
        try beginWriting()
        let expired = records.ceremonies.values.filter { $0.expiresAt < time }
        let slice = expired.sorted { $0.expiresAt < $1.expiresAt }.prefix(max(0, limit))
        for ceremony in slice { records.ceremonies[ceremony.id] = nil }
        return slice.count
    }

    /// Stores that a ceremony which the page kept was answered.
    public func insertUse(_ use: [UInt8], until time: Int64) throws -> Bool {
        try beginWriting()
        guard records.uses[use] == nil else { return false }
        records.uses[use] = time
        return true
    }

    /// Deletes uses that are no longer kept.
    @discardableResult
    public func deleteExpiredUses(before time: Int64, limit: Int) throws -> Int {
        try beginWriting()
        let slice = records.uses.filter { $0.value < time }.sorted { $0.value < $1.value }.prefix(max(0, limit))
        for (use, _) in slice { records.uses[use] = nil }
        return slice.count
    }

    /// The number of ceremonies in the store.
    public func ceremonyCount() throws -> Int {
        records.ceremonies.count
    }
}

extension MemoryTransaction {
    /// Reads a secret of the service itself.
    public func secret(named name: String) throws -> [UInt8]? {
        records.secrets[Array(name.utf8)]
    }

    /// Stores a secret unless one with this name exists.
    @discardableResult
    public func insertSecret(named name: String, _ bytes: [UInt8]) throws -> [UInt8] {
        try beginWriting(name)
        if let kept = records.secrets[Array(name.utf8)] { return kept }
        records.secrets[Array(name.utf8)] = bytes
        return bytes
    }
}
