extension ImportFormat {
    /// A table of another program: the names of its columns say what they are.
    ///
    /// Of two columns with the same meaning the first counts, and the others become fields.
    static let anyCSV = ImportFormat(
        id: "csv",
        title: "Any other CSV file, by the names of its columns",
        recognizes: { source in
            guard let names = try? CSVTable.header(source).names else { return false }
            return GenericColumns(names).isEnough
        },
        read: { source throws(ImportError) in
            let header = try CSVTable.header(source)
            let columns = GenericColumns(header.names)
            guard columns.isEnough else {
                throw ImportError(.malformed, "the first row names no column for a password or a code")
            }
            return try CSVFormat(columns: columns.found, required: []).read(source)
        }
    )
}

/// The meaning of columns by their names.
private struct GenericColumns {
    private(set) var found: [String: CSVColumn] = [:]
    private var roles: Set<String> = []

    private static let words: [(role: String, column: CSVColumn, names: [String])] = [
        ("title", .title, ["title", "name", "account", "account name", "item", "item name", "service", "label"]),
        (
            "site", .site,
            ["url", "uri", "website", "web site", "site", "login_uri", "login url", "domain", "host", "link"]
        ),
        (
            "username", .username,
            [
                "username", "user name", "user", "login", "login name", "login_username", "userid", "user id", "email",
                "e-mail",
            ]
        ),
        ("password", .password, ["password", "pwd", "pass", "login_password", "secret"]),
        ("notes", .notes, ["notes", "note", "comments", "comment", "extra", "description"]),
        (
            "code", .code,
            [
                "otpauth", "totp", "otp", "otpurl", "otpsecret", "login_totp", "2fa", "authenticator",
                "one-time password",
            ]
        ),
        ("tag", .tag, ["folder", "group", "grouping", "category", "collection", "vault"]),
        ("tags", .tags, ["tags", "labels"]),
        ("favorite", .favorite, ["favorite", "favourite", "fav"]),
        ("created", .created(.iso8601), ["created", "createtime", "created at"]),
        ("changed", .changed(.iso8601), ["modified", "last modified", "modifytime", "updated", "updated at"]),
    ]

    init(_ names: [String]) {
        for (role, column, words) in Self.words {
            guard let name = words.first(where: names.contains) else { continue }
            found[name] = column
            roles.insert(role)
        }
    }

    /// Whether the columns are those of a password manager.
    var isEnough: Bool {
        !roles.isDisjoint(with: ["password", "code"]) && !roles.isDisjoint(with: ["title", "site", "username"])
    }
}
