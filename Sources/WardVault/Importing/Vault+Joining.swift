extension Vault {
    /// Adds an item, or makes it part of an entry of the same account.
    ///
    /// The rules are those of an import. An item becomes part of an entry only if that loses nothing and hides nothing: if both
    /// have passwords, and these are different, the item is added. ``undo(_:id:includesChanged:)`` undoes it as a merge.
    ///
    /// - Parameters:
    ///   - item: A new item. If it has no site or no user name, or is not a login, it is added.
    ///   - shared: Domains that share their accounts.
    /// - Returns: The item or the entry as it is now, and whether the item became part of an entry.
    /// - Throws: ``VaultError`` with `itemTooLarge`, `locked`, `diskFull`, `unavailable`, or `damaged` if an entry of the same
    ///   account cannot be read; nothing is written then.
    public func add(
        _ item: Item,
        joining shared: SharedCredentials
    ) throws(VaultError) -> (item: Item, isJoined: Bool) {
        let open = try open()
        guard item.kind == .login, !item.username.isEmpty, !item.sites.isEmpty else {
            return (try translated { try open.writeItem { try $0.add(item) } }, false)
        }
        let planner = try planner([item], shared)
        guard let line = planner.plan.lines.first, line.outcome == .joined || line.outcome == .unchanged else {
            return (try translated { try open.writeItem { try $0.add(item) } }, false)
        }
        if let joined = planner.changed.first {
            try translated { try open.write(as: try open.step(.merge)) { _ = try $0.replace(joined) } }
        }
        return (try open.item(line.item), true)
    }
}
