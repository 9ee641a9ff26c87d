/// What an item mainly is, for lists and icons; an item may hold more than its kind says.
///
/// Kinds that a later version knows are kept.
public struct ItemKind: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The word in the file.
    public let rawValue: String

    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Takes any word written in code.
    public init(stringLiteral value: String) { rawValue = value }

    /// The word itself.
    public var description: String { rawValue }

    /// One person at one site: passkeys, a password, codes.
    public static let login: Self = "login"
    /// Text.
    public static let note: Self = "note"
    /// A payment card.
    public static let card: Self = "card"
    /// A person's name, address and papers.
    public static let identity: Self = "identity"
    /// A wireless network.
    public static let wifi: Self = "wifi"
    /// A key pair for SSH.
    public static let sshKey: Self = "ssh-key"
    /// A key for a program interface.
    public static let apiKey: Self = "api-key"

    /// All kinds this version has a name for.
    public static let known: [ItemKind] = [.login, .note, .card, .identity, .wifi, .sshKey, .apiKey]
}
