internal import WardVault

/// Contacts and names of the person, from the identities in a vault.
struct People: Sendable {
    var emails: [String] = []
    var telephones: [String] = []
    var names: [String] = []

    /// Nobody.
    init() {}

    /// The maximum number of identities to read.
    private static let limit = 32

    /// Reads the identities; none without a vault.
    init(_ vault: Vault?) async throws {
        guard let vault else { return }
        for summary in try await vault.summaries().filter({ $0.kind == .identity }).prefix(Self.limit) {
            let item = try await vault.item(summary.id)
            var given: String?
            var surname: String?
            for field in item.sections.flatMap(\.fields) where !field.isConcealed {
                guard let text = field.value.text?.printable, !text.isEmpty else { continue }
                let label = field.label.lowercased()
                if field.type == .email || ["email", "e-mail", "mail"].contains(label) {
                    if Self.problem(email: text) == nil { add(text, to: \.emails) }
                } else if field.name == .telephone || ["tel", "phone", "telephone", "mobile"].contains(label) {
                    if Self.problem(telephone: text) == nil { add(text, to: \.telephones) }
                } else if field.name == .fullName || ["name", "full name"].contains(label) {
                    add(text, to: \.names)
                } else if field.name == .given {
                    given = text
                } else if field.name == .surname {
                    surname = text
                }
            }
            if let given, let surname { add("\(given) \(surname)", to: \.names) }
        }
    }

    private mutating func add(_ text: String, to list: WritableKeyPath<People, [String]>) {
        guard text.utf8.count <= 256, !self[keyPath: list].contains(text) else { return }
        self[keyPath: list].append(text)
    }

    /// The reason why a text is not an e-mail address.
    static func problem(email text: String) -> PromptSentence? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let isAddress =
            parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
            && text.unicodeScalars.allSatisfy { !$0.properties.isWhitespace } && text == text.printable
        return isAddress ? nil : .notEmail
    }

    /// The reason why a text is not a telephone number.
    static func problem(telephone text: String) -> PromptSentence? {
        let digits = text.utf8.count { (0x30...0x39).contains($0) }
        let isNumber =
            (3...20).contains(digits) && text.utf8.count <= 32
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || Array("+ -().".utf8).contains($0) }
        return isNumber ? nil : .notTelephone
    }

    /// The reason why a text is not a person's name.
    static func problem(name text: String) -> PromptSentence? {
        (1...256).contains(text.utf8.count) && text.utf8.count == text.printable.utf8.count ? nil : .notName
    }
}
