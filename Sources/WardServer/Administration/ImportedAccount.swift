package import WardAccounts
package import WardText
internal import WardWebAuthn

/// An account of another system, as a line of JSON.
///
/// | member | |
/// |---|---|
/// | `username` | required |
/// | `displayName` | default: the user name |
/// | `email` | an address; it is kept only with `"emailConfirmed": true` |
/// | `passwordHash` | as the other system stored it: see ``ImportedPasswordHash`` |
/// | `passwordChosenAt`, `createdAt` | seconds since 1970; default: now |
/// | `groups` | a list of names |
package struct ImportedAccount: Sendable {
    /// Why a line cannot be imported.
    package struct Fault: Error, CustomStringConvertible {
        /// A sentence without its end.
        package let description: String
    }

    /// The user name.
    package let username: Username
    /// The address that belongs to the account, if there is one.
    package let email: EmailAddress?
    /// Whether the line has an address that was left out because it is not confirmed.
    package let hasUnconfirmedEmail: Bool
    /// The password's hash, if there is one.
    package let passwordHash: String?
    private let displayName: String
    private let createdAt: Int64?
    private let passwordChosenAt: Int64?
    private let groups: Set<GroupName>

    private static let members: Set<String> = [
        "username", "displayName", "email", "emailConfirmed", "passwordHash", "passwordChosenAt", "createdAt", "groups",
    ]

    /// Reads a line.
    ///
    /// - Throws: ``Fault``; its text never has the hash.
    package init(_ json: JSONValue) throws(Fault) {
        guard let members = json.objectValue else { throw Fault("the line must be a JSON object") }
        if let other = members.first(where: { !Self.members.contains($0.name) }) {
            throw Fault(
                "there is no member “\(other.name.prefix(40))”; use \(Self.members.sorted().joined(separator: ", "))"
            )
        }
        guard let name = try Self.text("username", json) else { throw Fault("the member username is missing") }
        do { username = try Username(name) } catch { throw Fault("the user name is not allowed: \(error)") }
        if let text = try Self.text("displayName", json) {
            do { displayName = try PublicText.displayName(text) } catch {
                throw Fault("the display name is not allowed: \(error.message)")
            }
        } else {
            displayName = username.text
        }
        let confirmed = json["emailConfirmed"] ?? .bool(false)
        guard confirmed == .bool(true) || confirmed == .bool(false) || confirmed == .null else {
            throw Fault("the member emailConfirmed must be true or false")
        }
        let isConfirmed = confirmed == .bool(true)
        let address = try Self.text("email", json)
        hasUnconfirmedEmail = address != nil && !isConfirmed
        if let address, isConfirmed {
            do { email = try EmailAddress(address) } catch { throw Fault("the e-mail address is not usable: \(error)") }
        } else {
            email = nil
        }
        passwordHash = try Self.text("passwordHash", json)
        if let passwordHash, !PasswordHash.isKnown(passwordHash) {
            throw Fault("the form of the password hash is unknown, or it needs too much memory or time")
        }
        createdAt = try Self.time("createdAt", json)
        passwordChosenAt = try Self.time("passwordChosenAt", json)
        var groups: Set<GroupName> = []
        let list = json["groups"] ?? .null
        guard let values = list == .null ? [] : list.arrayValue else {
            throw Fault("the member groups must be a list of texts")
        }
        for value in values {
            guard let text = value.stringValue, let group = try? GroupName(text) else {
                throw Fault("a group is not a group name")
            }
            groups.insert(group)
        }
        guard groups.count <= GroupName.maximumCount else {
            throw Fault("an account can be in at most \(GroupName.maximumCount) groups")
        }
        self.groups = groups
    }

    private static func text(_ name: String, _ json: JSONValue) throws(Fault) -> String? {
        guard let value = json[name], value != .null else { return nil }
        guard let text = value.stringValue else { throw Fault("the member \(name) must be a text") }
        return text
    }

    private static func time(_ name: String, _ json: JSONValue) throws(Fault) -> Int64? {
        guard let value = json[name], value != .null else { return nil }
        guard let time = value.integerValue, (0...253_402_300_799).contains(time) else {
            throw Fault("the member \(name) must be seconds since 1970")
        }
        return time
    }

    /// The records of the account.
    func records(_ effects: Effects) -> (account: Account, password: PasswordRecord?) {
        let now = effects.now()
        let account = Account(
            id: .random(using: effects.randomBytes),
            username: username,
            displayName: displayName,
            userHandle: .random(effects),
            createdAt: min(createdAt ?? now, now),
            groups: groups.sorted()
        )
        let password = passwordHash.map {
            PasswordRecord(accountID: account.id, hash: $0, chosenAt: min(passwordChosenAt ?? createdAt ?? now, now))
        }
        return (account, password)
    }
}

extension ImportedAccount.Fault {
    fileprivate init(_ description: String) { self.description = description }
}

extension OperatorActions {
    /// Adds an account of another system.
    ///
    /// - Returns: Whether it was added: `false` if an account has the name.
    package func add(_ imported: ImportedAccount, in tx: some AccountTransaction) async throws -> Bool {
        guard try await tx.account(username: imported.username.mapped) == nil else { return false }
        let (account, password) = imported.records(effects)
        try await tx.insert(account)
        if !account.groups.isEmpty { try await tx.setAccount(id: account.id, groups: account.groups) }
        if let password { try await tx.setPassword(password) }
        try await tx.append(AuditEvent(.accountCreated, at: now, by: .operator, of: account.id))
        if let email = imported.email { _ = try await setEmail(email, of: account, in: tx) }
        return true
    }
}
