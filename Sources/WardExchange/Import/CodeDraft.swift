internal import WardText
internal import WardVault

/// An item of an authenticator app, while it is made.
struct CodeDraft {
    var item: ItemDraft
    private let issuer: String
    private let account: String

    init(issuer: String, account: String, index: Int, now: Int64) {
        (self.issuer, self.account) = (issuer, account)
        item = ItemDraft(title: issuer, fallback: "Code \(index + 1)", now: now)
        item.username = account
    }

    /// Adds the secret, or a field and a notice if Ward cannot make its codes.
    mutating func addCode(
        kind: String,
        secret: String,
        algorithm: String?,
        digits: Int64?,
        period: Int64?,
        counter: Int64?
    ) {
        let kinds: [String: OneTimePassword.Kind] = [
            "totp": .totp(period: Int(clamping: period ?? 30)),
            "hotp": .hotp(counter: UInt64(clamping: counter ?? 0)),
            "steam": .steam,
        ]
        let name = (algorithm ?? "SHA1").uppercased().filter { $0 != "-" }
        if let kind = kinds[kind.lowercased()], let bytes = Base32.decode(secret),
            let algorithm = OneTimePassword.Algorithm.allCases.first(where: { $0.name == name }),
            let code = try? OneTimePassword(
                kind,
                secret: bytes,
                algorithm: algorithm,
                digits: Int(clamping: digits ?? 6),
                issuer: issuer,
                account: account
            )
        {
            item.codes.append(code)
        } else {
            item.addField("Secret of the code", secret, isConcealed: true)
            let shown = ItemTitle.clean(String(kind.prefix(20)))
            item.note(.kept, "Ward has no codes of this kind (\(shown), \(name.prefix(20))); the secret became a field")
        }
    }
}

/// The names of groups by their IDs.
struct GroupNames {
    private var names: [String: String] = [:]

    init(_ groups: JSONValue?, id: String) {
        for group in groups?.elements ?? [] {
            if let id = group[id]?.shownText, let name = group["name"]?.stringValue { names[id] = name }
        }
    }

    subscript(id: JSONValue) -> String? { id.shownText.flatMap { names[$0] } }
}

extension ImportedFile {
    /// Makes an item of each element, with its notices.
    init(_ elements: [JSONValue], _ draft: (JSONValue, Int) -> ItemDraft) {
        self.init()
        for (index, element) in elements.enumerated() {
            let draft = draft(element, index)
            notices += draft.notices
            items.append(draft.finished())
        }
    }
}
