/// What a person is expected to type into a text field.
public struct TextContentType: RawRepresentable, Hashable, Sendable {
    /// The word for it.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A user name: passkeys and passwords are suggested.
    public static let username = Self(rawValue: "username")
    /// A password that there is: passwords are suggested.
    public static let password = Self(rawValue: "password")
    /// A password that is made up: a strong one is suggested.
    public static let newPassword = Self(rawValue: "newPassword")
    /// A code that changes: the present ones are suggested.
    public static let oneTimeCode = Self(rawValue: "oneTimeCode")
}

/// A text field that can be filled: what an adapter for a toolkit makes of the toolkit's own.
///
/// On Apple's platforms `UITextField` and `NSTextField` are such fields by themselves. Here an adapter tells the
/// ``AutoFillSession`` which field is being edited, shows its suggestions, and hands back the one that is picked.
@MainActor
public protocol AutoFillTextField: AnyObject {
    /// What stands in it.
    var text: String { get set }
    /// What is expected in it; nothing is suggested where it is `nil`.
    var textContentType: TextContentType? { get }
    /// The domain it is for; `nil` for all domains of the app.
    var domain: String? { get }
}

extension AutoFillTextField {
    /// All domains of the app.
    public var domain: String? { nil }
}
