extension Vault {
    /// Compares the items of a file with this vault and writes nothing.
    ///
    /// - Parameters:
    ///   - items: The items of the file, in its order.
    ///   - shared: Domains that share their accounts.
    /// - Returns: What the import would do.
    /// - Throws: ``VaultError`` with `locked`, or `damaged` if an entry of the same account cannot be read.
    public func plan(importing items: [Item], shared: SharedCredentials = .none) throws(VaultError) -> ImportPlan {
        try planner(items, shared).plan
    }

    /// Imports items in one transaction.
    ///
    /// What happens is planned again, so that changes since an earlier plan count.
    ///
    /// - Parameters:
    ///   - items: The items of the file, in its order.
    ///   - shared: Domains that share their accounts.
    /// - Returns: What the import did.
    /// - Throws: ``VaultError`` with `itemTooLarge`, `locked`, `diskFull`, `unavailable`, or as ``plan(importing:shared:)``;
    ///   nothing is written then.
    @discardableResult
    public func apply(importing items: [Item], shared: SharedCredentials = .none) throws(VaultError) -> ImportPlan {
        let planner = try planner(items, shared)
        let (added, changed) = (planner.added, planner.changed)
        guard !added.isEmpty || !changed.isEmpty else { return planner.plan }
        let open = try open()
        try translated {
            try open.write(as: try open.step(.import)) { transaction in
                for item in added { try transaction.add(item, change: .imported) }
                for item in changed { try transaction.replace(item, change: .imported) }
            }
        }
        return planner.plan
    }

    func planner(_ items: [Item], _ shared: SharedCredentials) throws(VaultError) -> ImportPlanner {
        var planner = ImportPlanner(try open(), shared)
        for item in items { try planner.take(item) }
        return planner
    }
}
