public import WardWebAuthn

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

    /// Records that a passkey was used.
    ///
    /// It is written at most once a day, so that sign-ins do not fill the history, and a person with the file does not see when
    /// they happened.
    ///
    /// - Parameter credentialID: The credential ID.
    /// - Throws: ``VaultError`` with `itemMissing` when no passkey has this credential ID, or as ``write(_:)``.
    public func recordUse(of credentialID: CredentialID) throws(VaultError) {
        let open = try open()
        let now = environment.effects.now()
        guard let summary = open.index.summary(credentialID: credentialID),
            let passkey = summary.passkeys.first(where: { $0.credentialID == credentialID })
        else { throw VaultError(.itemMissing, "no passkey has this credential ID") }
        if let last = passkey.lastUsedAt {
            let gap = now > last ? now &- last : last &- now
            if (0..<86_400).contains(gap) { return }
        }
        try translated {
            try open.write { transaction in
                try transaction.update(summary.id, change: .used) { item in
                    for index in item.passkeys.indices where item.passkeys[index].credentialID == credentialID {
                        item.passkeys[index].lastUsedAt = now
                    }
                }
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
