internal import WardText

/// More about an event: texts by their names, stored as one JSON object.
///
/// The text of a row that a later version wrote, or that somebody changed, stays as it is: the row's hash is over the text.
public struct AuditDetails: Hashable, Sendable {
    private enum Name {
        static let session = "session"
        static let address = "address"
        static let administrator = "admin"
        static let token = "token"
        static let wrongPasswords = "wrong_passwords"
        static let newDevice = "new_device"
        static let groups = "groups"
        static let factor = "factor"
        static let other = "other"
    }

    /// The JSON object, written with its names in order and without spaces; `nil` if there are no details.
    public let text: String?

    /// Creates details.
    ///
    /// - Parameters:
    ///   - session: The session in which it happened.
    ///   - address: The client's address, or a prefix of it.
    ///   - token: The ID of the token with which a program did it: ``AdminToken/id``.
    ///   - wrongPasswords: How many wrong passwords came before a sign-in; 0 is not stored.
    ///   - isNewDevice: Whether the browser of a sign-in had not signed in to the account before; only `true` is stored.
    ///   - groups: The account's groups after a change.
    ///   - administrator: The account of the person who did it at the admin page.
    public init(
        session: SessionID? = nil,
        address: String? = nil,
        token: String? = nil,
        wrongPasswords: Int64 = 0,
        isNewDevice: Bool = false,
        groups: [GroupName]? = nil,
        administrator: AccountID? = nil
    ) {
        let values = [
            (Name.address, address), (Name.administrator, administrator?.text),
            (Name.groups, groups?.map(\.text).joined(separator: " ")),
            (Name.newDevice, isNewDevice ? "true" : nil), (Name.session, session?.text),
            (Name.token, token),
            (Name.wrongPasswords, wrongPasswords == 0 ? nil : String(wrongPasswords)),
        ]
        let members = values.compactMap { name, value in value.map { JSONValue.Member(name, .string($0)) } }
        text = members.isEmpty ? nil : JSONValue.object(members).text
    }

    /// Takes a stored text, which is not checked.
    public init(text: String?) { self.text = text }

    /// The same details, and what was added, removed, or proven after the first factor of a sign-in.
    public func with(factor: String?) -> Self {
        factor.map { setting(Name.factor, to: $0) } ?? self
    }

    /// The same details, and the other account of an event between two: the helper's, or the one that gets help.
    public func with(other: AccountID?) -> Self {
        other.map { setting(Name.other, to: $0.text) } ?? self
    }

    private func setting(_ name: String, to text: String) -> Self {
        let others = values.filter { $0.key != name }.map { ($0.key, $0.value) }
        let members = (others + [(name, text)]).sorted { $0.0 < $1.0 }.map { JSONValue.Member($0.0, .string($0.1)) }
        return Self(text: JSONValue.object(members).text)
    }

    /// The session in which it happened: the one that began or ended, or the one from which a change was made.
    public var session: SessionID? { values[Name.session].flatMap { SessionID(text: $0) } }

    /// The client's address, or a prefix of it, where the service keeps addresses.
    public var address: String? { values[Name.address] }

    /// The ID of the token of the admin API that was made, revoked or used.
    public var token: String? { values[Name.token] }

    /// The account of the person who did it at the admin page.
    public var administrator: AccountID? { values[Name.administrator].flatMap { AccountID(text: $0) } }

    /// How many wrong passwords came for the name before this sign-in; 0 if none did or it is not known.
    public var wrongPasswords: Int64 { values[Name.wrongPasswords].flatMap { Int64($0) } ?? 0 }

    /// Whether the browser of a sign-in had not signed in to the account before.
    public var isNewDevice: Bool { values[Name.newDevice] == "true" }

    /// The other account of an event between two: the helper's, or the one that gets help.
    public var other: AccountID? { values[Name.other].flatMap { AccountID(text: $0) } }

    /// What was added, removed, or proven after the first factor of a sign-in.
    public var factor: String? { values[Name.factor] }

    /// All texts by their names; none if ``text`` is not an object of texts.
    public var values: [String: String] {
        guard let text, let members = try? JSONValue(Array(text.utf8)).objectValue else { return [:] }
        let pairs = members.compactMap { member in member.value.stringValue.map { (member.name, $0) } }
        return Dictionary(pairs) { first, _ in first }
    }
}
