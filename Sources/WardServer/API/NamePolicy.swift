import CICU
import WardAccounts

/// The rules for new names, in addition to the rules of ``Username``.
///
/// Existing accounts keep their names and can still sign in with them.
struct NamePolicy: Sendable {
    private let reserved: Set<String>
    private let allowsMixedScripts: Bool

    init(_ configuration: ServerConfiguration) {
        let own = [configuration.rpName, configuration.rpID] + configuration.reservedNames
        reserved = Self.standard.union(own.compactMap { try? Self.bare(Username($0.filter { !$0.isWhitespace })) })
        allowsMixedScripts = configuration.allowsMixedScripts
    }

    /// Reads the name of a new account.
    ///
    /// - Throws: ``APIError`` with `username_not_allowed`, `username_reserved` or `username_confusable`.
    func username(_ text: String) throws(APIError) -> Username {
        let username = try PublicText.username(text)
        try check(username)
        return username
    }

    /// Checks a name that an account does not have yet.
    ///
    /// - Throws: ``APIError`` with `username_reserved` or `username_confusable`.
    func check(_ username: Username) throws(APIError) {
        guard !reserved.contains(Self.bare(username)) else {
            throw APIError(.usernameReserved, "This user name is reserved. Choose another name.").at("username")
        }
        guard allowsMixedScripts || Self.isHighlyRestrictive(username.mapped) else {
            throw APIError(
                .usernameConfusable,
                "This user name mixes scripts or has rare letters, so it can look like another name. Choose another name."
            ).at("username")
        }
    }

    /// The mapped name without characters that people overlook: `Ad.Min` becomes `admin`.
    private static func bare(_ username: Username) -> String {
        username.mapped.filter { !"._-".contains($0) }
    }

    /// Whether the scripts in a name may be combined, and whether its letters are in common use: UTS 39, sections 3.1 and 5.2.
    private static func isHighlyRestrictive(_ name: String) -> Bool {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return true }
        // If ICU returns an error, the name is refused.
        return unsafe ward_is_highly_restrictive(name, Int32(clamping: name.utf8.count)) == 1
    }

    /// Names that people could take for the service itself: the mailboxes of RFC 2142, and common names of operators.
    private static let standard: Set<String> = [
        "abuse", "account", "accounts", "admin", "administrator", "administrators", "anonymous", "api", "billing",
        "daemon", "everyone", "ftp", "guest", "help", "helpdesk", "hostmaster", "info", "login", "mail", "mailerdaemon",
        "marketing", "moderator", "news", "noc", "noreply", "null", "official", "operator", "owner", "postmaster",
        "root",
        "sales", "security", "service", "signin", "staff", "superuser", "support", "sysadmin", "system", "team",
        "undefined", "usenet", "uucp", "webmaster", "www",
    ]
}
