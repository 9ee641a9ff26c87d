internal import WardWebAuthn

/// Compares the items of a file with the items of a vault.
///
/// The rules are in `Documentation/moving-in.md`, "What counts as the same entry".
struct ImportPlanner {
    /// An entry of the vault, or an entry that the import adds.
    private final class Entry {
        let id: ItemID
        let isNew: Bool
        /// The item; an item of the vault is read when it is first needed.
        var item: Item?
        var isChanged = false
        var keys: AccountKeys

        init(_ id: ItemID, _ item: Item?, isNew: Bool, _ keys: AccountKeys) {
            (self.id, self.item, self.isNew, self.keys) = (id, item, isNew, keys)
        }
    }

    private let vault: OpenVault
    private let shared: SharedCredentials
    private let now: Int64
    private var entries: [String: [Entry]] = [:]
    private var order: [Entry] = []
    private(set) var plan = ImportPlan()

    init(_ vault: OpenVault, _ shared: SharedCredentials) {
        self.vault = vault
        self.shared = shared
        now = vault.environment.effects.now()
        for summary in vault.index.summaries(inTrash: false) {
            let keys = AccountKeys(summary, vault.environment.suffixes, shared)
            add(Entry(summary.id, nil, isNew: false, keys), summary.kind, summary.title)
        }
    }

    /// The items to add, in the order of the file.
    var added: [Item] { order.filter(\.isNew).compactMap(\.item) }
    /// The items of the vault to write.
    var changed: [Item] { order.filter { !$0.isNew && $0.isChanged }.compactMap(\.item) }

    /// Finds the place of an item.
    mutating func take(_ item: Item) throws(VaultError) {
        let keys = AccountKeys(item, vault.environment.suffixes, shared)
        for entry in try candidates(item, keys) {
            guard var joined = entry.item else { continue }
            let before = joined
            let differs = joined.join(withoutStoredFiles(item, joined), at: now)
            if item.kind != .login, joined != before { continue }
            note(item, entry, joined, before, differs)
            return
        }
        var new = item
        if let password = new.password, password.changedAt <= 0 {
            let time = new.createdAt > 0 ? new.createdAt : now
            new.password = Password(password.value, changedAt: time, history: password.history)
        }
        let entry = Entry(new.id, new, isNew: true, keys)
        add(entry, new.kind, new.title)
        order.append(entry)
        plan.added.append(new.id)
        plan.lines.append(
            .init(
                outcome: .new,
                title: new.title,
                username: new.username,
                item: new.id,
                entry: new.title,
                isNewer: false
            )
        )
    }

    /// An item without the files that an entry of the vault already has, byte for byte.
    ///
    /// A stored file that cannot be read counts as another one.
    private func withoutStoredFiles(_ item: Item, _ known: Item) -> Item {
        guard !item.attachments.isEmpty else { return item }
        var rest = item
        rest.attachments.removeAll { file in
            guard let content = file.withAddedContent({ $0 }) else { return false }
            return known.attachments.contains { stored in
                guard stored.hash != nil, stored.name == file.name, stored.size == file.size,
                    var kept = try? vault.content(of: stored, in: known.id)
                else { return false }
                defer { kept.wipe() }
                return kept == content
            }
        }
        return rest
    }

    private mutating func note(_ item: Item, _ entry: Entry, _ joined: Item, _ before: Item, _ differs: Bool) {
        let isUnchanged = joined == before
        plan.lines.append(
            .init(
                outcome: isUnchanged ? .unchanged : differs ? .conflict : .joined,
                title: item.title,
                username: item.username,
                item: entry.id,
                entry: before.title,
                isNewer: differs && joined.password?.value == item.password?.value
            )
        )
        guard !isUnchanged else { return }
        entry.item = joined
        if !entry.isNew, !entry.isChanged {
            entry.isChanged = true
            order.append(entry)
            plan.changed.append(entry.id)
        }
        let keys = AccountKeys(joined, vault.environment.suffixes, shared)
        let old = Set(Self.places(joined.kind, before.title, entry.keys))
        for place in Self.places(joined.kind, joined.title, keys) where !old.contains(place) {
            entries[place, default: []].append(entry)
        }
        entry.keys = keys
    }

    // MARK: The same account

    /// The entries of the same account, those with the same password first.
    private func candidates(_ item: Item, _ keys: AccountKeys) throws(VaultError) -> [Entry] {
        var found: [(rank: Int, entry: Entry)] = []
        var seen: Set<ItemID> = []
        for place in Self.places(item.kind, item.title, keys) {
            for entry in entries[place] ?? [] where seen.insert(entry.id).inserted {
                if entry.item == nil { entry.item = try vault.item(entry.id) }
                guard let known = entry.item, known.kind == item.kind else { continue }
                guard item.kind == .login else {
                    found.append((0, entry))
                    continue
                }
                if let rank = rank(item, keys, known, entry) { found.append((rank, entry)) }
            }
        }
        return found.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .map(\.element.entry)
    }

    /// How well an entry fits; `nil` if it is another account.
    private func rank(_ item: Item, _ keys: AccountKeys, _ known: Item, _ entry: Entry) -> Int? {
        guard !keys.names.isDisjoint(with: entry.keys.names) else { return nil }
        let passwords = known.password.map { [$0.value] + $0.history.map(\.value) } ?? []
        let wanted = item.password?.value ?? ""
        let isSameHost = !keys.hosts.isDisjoint(with: entry.keys.hosts)
        let hasSameTitle = SearchText.folded(known.title) == SearchText.folded(item.title)
        let preference = (hasSameTitle ? 0 : 1) + (isSameHost ? 0 : 2)
        if !wanted.isEmpty, known.password?.value == wanted { return preference }
        if wanted.isEmpty || passwords.allSatisfy(\.isEmpty) {
            // Without a user name and a password, only the address says whether it is the same account.
            guard keys.names != [""] || isSameHost || keys.sites.isEmpty else { return nil }
            return 4 + preference
        }
        if passwords.contains(wanted), isSameHost { return 8 + preference }
        // Different passwords: what the source kept apart stays apart, and so do hosts of one domain.
        guard !entry.isNew, isSameHost, !keys.sites.isEmpty, keys.names != [""] else { return nil }
        return 12 + preference
    }

    /// The keys under which an entry is found.
    private static func places(_ kind: ItemKind, _ title: String, _ keys: AccountKeys) -> [String] {
        guard kind == .login, !keys.sites.isEmpty else {
            let names = kind == .login ? keys.names.sorted() : [""]
            return names.map { "\(kind.rawValue)\u{0}title\u{0}\(SearchText.folded(title))\u{0}\($0)" }
        }
        return keys.sites.sorted().flatMap { site in keys.names.sorted().map { "site\u{0}\(site)\u{0}\($0)" } }
    }

    private mutating func add(_ entry: Entry, _ kind: ItemKind, _ title: String) {
        for place in Self.places(kind, title, entry.keys) { entries[place, default: []].append(entry) }
    }
}
