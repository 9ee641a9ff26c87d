/// The kind of an item, for lists and icons.
///
/// An item can have more values than its kind suggests.
///
/// Unknown kinds are kept.
public struct ItemKind: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The word for the kind in the file.
    public let rawValue: String

    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a value from any word.
    public init(stringLiteral value: String) { rawValue = value }

    /// The word itself.
    public var description: String { rawValue }

    /// An account at a site: passkeys, a password, codes.
    public static let login: Self = "login"
    /// A note.
    public static let note: Self = "note"
    /// A payment card.
    public static let card: Self = "card"
    /// A person's name, address and documents.
    public static let identity: Self = "identity"
    /// A wireless network.
    public static let wifi: Self = "wifi"
    /// A key pair for SSH.
    public static let sshKey: Self = "ssh-key"
    /// An API key.
    public static let apiKey: Self = "api-key"

    /// All known kinds.
    public static let known: [ItemKind] = [.login, .note, .card, .identity, .wifi, .sshKey, .apiKey]
}
