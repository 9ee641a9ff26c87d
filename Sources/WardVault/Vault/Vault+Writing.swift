internal import WardWebAuthn

extension Vault {
    /// Makes several changes together: either all are made or none.
    ///
    /// No other call reads or writes while the closure runs, so it must be quick and must not wait. When the call returns, the
    /// changes are on the disk.
    ///
    /// - Parameter body: What to change; if it throws, nothing is written.
    /// - Returns: What the closure returned.
    /// - Throws: What the closure throws, or ``VaultError`` with `locked`, `diskFull` or `unavailable`; nothing is written then.
    @discardableResult
    public func write<T: Sendable>(_ body: @Sendable (VaultTransaction) throws -> T) throws -> T {
        try open().write(body)
    }

    /// Makes several changes together, and returns one of the items without reading it again.
    ///
    /// - Parameter body: As in ``write(_:)``; returns what the transaction's methods returned for the item.
    /// - Returns: The item at the revision that it has now.
    /// - Throws: As ``write(_:)``.
    @discardableResult
    public func writeItem(_ body: @Sendable (VaultTransaction) throws -> Item) throws -> Item {
        try open().writeItem(body)
    }

    /// A verification code of an item.
    ///
    /// A counter-based code is used up, and that is on the disk before the code is returned.
    ///
    /// - Parameters:
    ///   - id: The item.
    ///   - index: Which of its codes.
    /// - Returns: The code, and how long it lives.
    /// - Throws: ``VaultError`` with `itemMissing`, also when the item has no verification code with this index, or as
    ///   ``write(_:)``.
    public func code(of id: ItemID, at index: Int = 0) throws(VaultError) -> OneTimePassword.Code {
        let open = try open()
        let item = try open.item(id)
        guard item.codes.indices.contains(index) else { throw VaultError(.itemMissing, "the item has no such code") }
        let code = item.codes[index].code(at: environment.effects.now())
        guard case .hotp(let counter) = item.codes[index].kind else { return code }
        return try translated {
            try open.write { transaction in
                try transaction.update(id, change: .used) { $0.codes[index].kind = .hotp(counter: counter &+ 1) }
                return code
            }
        }
    }

    /// The revisions of an item, latest first.
    ///
    /// - Throws: ``VaultError`` with `itemMissing`, `damaged` or `locked`.
    public func history(of id: ItemID) throws(VaultError) -> [ItemRevision] { try open().history(id) }

    /// An earlier revision of an item.
    ///
    /// - Throws: ``VaultError`` with `itemMissing`, `locked`, or `damaged` also when the state is no longer kept.
    public func item(_ id: ItemID, revision: RevisionID) throws(VaultError) -> Item {
        try open().item(id, revision: revision)
    }
}
