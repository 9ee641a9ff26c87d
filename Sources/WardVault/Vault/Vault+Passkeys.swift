internal import WardCOSE
public import WardWebAuthn

extension Vault {
    /// Stores a new passkey in the item in which a person expects it, and returns the item's ID.
    ///
    /// The item is the first of these: the given item; the item of a passkey that this one replaces; the only login of the same
    /// registrable domain and user name, as ``home(forPasskeyOf:userName:joining:)`` finds it; a new login with the site's name as its
    /// title. All is one transaction, and it is on the disk when the call returns.
    ///
    /// - Parameters:
    ///   - passkey: The passkey, with the names of site and account as the site said them.
    ///   - item: Where a person wants it.
    ///   - replacesSameAccount: Whether passkeys of the same RP ID, user handle and algorithm are taken out of their items, as an
    ///     authenticator does that keeps one passkey for each account (CTAP 2.3, section 6.1.2). They stay in the history.
    ///   - shared: Domains that share their accounts.
    /// - Returns: The item that now has the passkey.
    /// - Throws: ``VaultError`` with `conflict` when a passkey of this name is there already, `itemMissing` when the named item
    ///   is not there or in the trash, `itemTooLarge`, `locked`, `diskFull` or `unavailable`; nothing is written then.
    @discardableResult
    public func addPasskey(
        _ passkey: StoredPasskey,
        into item: ItemID? = nil,
        replacesSameAccount: Bool = false,
        joining shared: SharedCredentials = .none
    ) throws(VaultError) -> ItemID {
        let isThere = try open().index.summaries(credentialID: passkey.credentialID).contains { !$0.isInTrash }
        guard !isThere else { throw VaultError(.conflict, "a passkey with this credential ID already exists") }
        var older: [ItemID] = []
        if replacesSameAccount {
            older = try items(
                ofAccount: passkey.userHandle,
                at: passkey.rpID,
                algorithm: passkey.algorithm
            )
        }
        var home = item ?? older.first
        if home == nil { home = try self.home(forPasskeyOf: passkey.rpID, userName: passkey.userName, joining: shared) }
        if let home, try summary(home).isInTrash { throw VaultError(.itemMissing, "the item is in the trash") }
        return try change { [home] transaction in
            for id in older {
                try transaction.update(id) { item in
                    item.passkeys.removeAll { $0.isReplaced(by: passkey) }
                }
            }
            if let home {
                try transaction.update(home) { $0.passkeys.append(passkey) }
                return home
            }
            let name = ItemTitle.clean(passkey.rpName)
            let new = Item(
                .login,
                title: name.isEmpty ? passkey.rpID : name,
                sites: [Site("https://" + passkey.rpID)],
                username: passkey.userName,
                passkeys: [passkey]
            )
            try transaction.add(new)
            return new.id
        }
    }

    /// Removes a passkey from its item.
    ///
    /// The item stays, and its earlier revisions still have the passkey.
    ///
    /// - Parameter credentialID: The passkey's credential ID.
    /// - Throws: ``VaultError`` with `itemMissing` when there is no such passkey outside the trash, or as ``write(_:)``.
    public func removePasskey(credentialID: CredentialID) throws(VaultError) {
        let count = try changePasskeys(
            in: items(ofPasskey: credentialID),
            change: .edited
        ) { passkeys in
            let before = passkeys.count
            passkeys.removeAll { $0.credentialID == credentialID }
            return before - passkeys.count
        }
        guard count > 0 else { throw VaultError(.itemMissing, "no passkey has this credential ID") }
    }

    /// Hides a passkey, because the site reported that it does not know it; or shows it again.
    ///
    /// A site's signal about an unknown credential (WebAuthn Level 3, `#sctn-signalUnknownCredential`). The passkey is not
    /// deleted, because a site can be wrong.
    ///
    /// - Parameters:
    ///   - credentialID: The passkey's credential ID.
    ///   - rpID: The RP ID of the site that says so; a passkey of another one stays as it is.
    ///   - isHidden: `false` to offer it again.
    /// - Returns: Whether anything changed; `false` also when there is no such passkey.
    /// - Throws: ``VaultError`` as ``write(_:)``.
    @discardableResult
    public func hidePasskey(
        credentialID: CredentialID,
        rpID: String,
        isHidden: Bool = true
    ) throws(VaultError) -> Bool {
        try changeEach(in: items(ofPasskey: credentialID)) { passkey in
            guard passkey.credentialID == credentialID, passkey.rpID == rpID else { return }
            passkey.isHidden = isHidden
        } > 0
    }

    /// Hides the passkeys of an account that a site did not list as accepted, and shows the listed ones again.
    ///
    /// A site's signal about all accepted credentials (WebAuthn Level 3, `#sctn-signalAllAcceptedCredentials`). No passkey is
    /// deleted, because a missing entry can be a mistake.
    ///
    /// - Parameters:
    ///   - rpID: The RP ID of the site that says so.
    ///   - userHandle: The site's name for the account.
    ///   - accepted: The names of the passkeys that the site accepts.
    /// - Returns: How many passkeys changed.
    /// - Throws: ``VaultError`` as ``write(_:)``.
    @discardableResult
    public func hidePasskeys(
        rpID: String,
        userHandle: UserHandle,
        exceptFor accepted: [CredentialID]
    ) throws(VaultError) -> Int {
        let accepted = Set(accepted)
        return try changeEach(in: items(ofAccount: userHandle, at: rpID)) { passkey in
            guard passkey.rpID == rpID, passkey.userHandle == userHandle else { return }
            passkey.isHidden = !accepted.contains(passkey.credentialID)
        }
    }

    /// Sets the names of an account's passkeys to the current names that the site reports.
    ///
    /// A site's signal about the current user (WebAuthn Level 3, `#sctn-signalCurrentUserDetails`). The user name of the item
    /// stays, because a person chose it.
    ///
    /// - Parameters:
    ///   - rpID: The RP ID of the site that says so.
    ///   - userHandle: The site's name for the account.
    ///   - userName: The account's name.
    ///   - userDisplayName: The person's name.
    /// - Returns: How many passkeys changed, hidden ones among them.
    /// - Throws: ``VaultError`` as ``write(_:)``.
    @discardableResult
    public func renamePasskeys(
        rpID: String,
        userHandle: UserHandle,
        userName: String,
        userDisplayName: String
    ) throws(VaultError) -> Int {
        try changeEach(in: items(ofAccount: userHandle, at: rpID)) { passkey in
            guard passkey.rpID == rpID, passkey.userHandle == userHandle else { return }
            passkey.userName = userName
            passkey.userDisplayName = userDisplayName
        }
    }

    /// Stores a site's large blob with a passkey (the `largeBlob` extension), or removes it.
    ///
    /// - Parameters:
    ///   - blob: The bytes, or `nil` for none.
    ///   - credentialID: The passkey's credential ID.
    /// - Throws: ``VaultError`` with `itemMissing` when there is no such passkey outside the trash, `itemTooLarge` when the item
    ///   has no room for it, or as ``write(_:)``.
    public func setLargeBlob(_ blob: SecretBytes?, credentialID: CredentialID) throws(VaultError) {
        let items = try items(ofPasskey: credentialID)
        guard !items.isEmpty else { throw VaultError(.itemMissing, "no passkey has this credential ID") }
        try changeEach(in: items) { passkey in
            if passkey.credentialID == credentialID { passkey.largeBlob = blob }
        }
    }

    // MARK: Pieces

    /// The items outside the trash that have a passkey.
    ///
    /// There is only one, unless the passkey was imported twice.
    private func items(ofPasskey credentialID: CredentialID) throws(VaultError) -> [ItemID] {
        try open().index.summaries(credentialID: credentialID).filter { !$0.isInTrash }.map(\.id).sorted()
    }

    /// The items outside the trash that have passkeys of an account, without duplicates, latest use first.
    private func items(
        ofAccount userHandle: UserHandle,
        at rpID: String,
        algorithm: COSEAlgorithmIdentifier? = nil
    ) throws(VaultError) -> [ItemID] {
        var found: [ItemID] = []
        for (item, passkey) in try passkeys(for: rpID, includingHidden: true)
        where passkey.userHandle == userHandle && (algorithm == nil || passkey.algorithm == algorithm) {
            if !found.contains(item) { found.append(item) }
        }
        return found
    }

    /// Applies a site's changes to passkeys one by one, and counts the passkeys that changed.
    @discardableResult
    private func changeEach(
        in items: [ItemID],
        _ body: (inout StoredPasskey) -> Void
    ) throws(VaultError) -> Int {
        try changePasskeys(in: items, change: .signalled) { passkeys in
            var count = 0
            for index in passkeys.indices {
                let before = passkeys[index]
                body(&passkeys[index])
                if passkeys[index] != before { count += 1 }
            }
            return count
        }
    }

    /// Changes the passkeys of items in one transaction.
    ///
    /// It writes only the items in which the closure changed a passkey.
    private func changePasskeys(
        in items: [ItemID],
        change word: Item.Change,
        _ body: (inout [StoredPasskey]) -> Int
    ) throws(VaultError) -> Int {
        try change { transaction in
            var total = 0
            for id in items {
                var item = try transaction.item(id)
                let count = body(&item.passkeys)
                guard count > 0 else { continue }
                try transaction.replace(item, change: word)
                total += count
            }
            return total
        }
    }

    /// Runs a transaction.
    ///
    /// All its errors are errors of the vault.
    private func change<T>(_ body: (VaultTransaction) throws -> T) throws(VaultError) -> T {
        let open = try open()
        return try translated { try open.write(body) }
    }
}

extension StoredPasskey {
    /// Whether both passkeys are for the same account of a site and for the same algorithm.
    fileprivate func isReplaced(by other: StoredPasskey) -> Bool {
        rpID == other.rpID && userHandle == other.userHandle && algorithm == other.algorithm
    }
}
