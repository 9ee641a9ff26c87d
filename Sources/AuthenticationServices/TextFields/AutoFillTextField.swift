/// The content that a text field expects.
public struct TextContentType: RawRepresentable, Hashable, Sendable {
    /// The type's name.
    public let rawValue: String
    /// Creates a type from any name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A user name: passkeys and passwords are suggested.
    public static let username = Self(rawValue: "username")
    /// An existing password: passwords are suggested.
    public static let password = Self(rawValue: "password")
    /// A new password: a strong one is suggested.
    public static let newPassword = Self(rawValue: "newPassword")
    /// A verification code: current codes are suggested.
    public static let oneTimeCode = Self(rawValue: "oneTimeCode")
}

/// A text field that can be filled.
///
/// An adapter makes each field of its toolkit conform to this protocol.
///
/// On Apple's platforms `UITextField` and `NSTextField` are such fields themselves. Here an adapter tells the
/// ``AutoFillSession`` which field is being edited, shows its suggestions, and passes back the picked one.
@MainActor
public protocol AutoFillTextField: AnyObject {
    /// The text in the field.
    var text: String { get set }
    /// The expected content; with `nil` nothing is suggested.
    var textContentType: TextContentType? { get }
    /// The domain for suggestions; `nil` for all domains of the app.
    var domain: String? { get }
}

extension AutoFillTextField {
    /// `nil`: all domains of the app.
    public var domain: String? { nil }
}
