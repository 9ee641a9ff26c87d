public import Foundation

/// A request to a credential manager to save a password.
///
/// The person typed the password into an app, or the agent generated it. Then the person chose this manager.
public final class ASSavePasswordRequest: NSObject, Sendable {
    /// Why the agent asks this manager to save a password.
    public enum Event: Int, Sendable {
        /// The person wants to save the password.
        case userInitiated = 0
        /// A form was sent or closed.
        ///
        /// Ward's agent never sends this value, because the agent asks the person first.
        case formDidDisappear = 1
        /// The agent generated the password. The app gets it after this manager has saved it.
        case generatedPasswordFilled = 2
    }

    /// The domain of the password.
    public let serviceIdentifier: ASCredentialServiceIdentifier
    /// The user name and the password.
    public let credential: ASPasswordCredential
    /// The app's title for the entry, if it has one.
    public let title: String?
    /// The ID of the form that the password belongs to.
    ///
    /// Here each request has a new ID.
    public let sessionID: String
    /// Why the agent asks this manager to save the password.
    public let event: Event
    /// The kind of a generated password.
    ///
    /// It is `nil` if the person typed the password.
    public let passwordKind: ASGeneratedPassword.Kind?

    /// Creates a request.
    public init(
        serviceIdentifier: ASCredentialServiceIdentifier,
        credential: ASPasswordCredential,
        title: String? = nil,
        sessionID: String,
        event: Event,
        passwordKind: ASGeneratedPassword.Kind? = nil
    ) {
        self.serviceIdentifier = serviceIdentifier
        self.credential = credential
        self.title = title
        self.sessionID = sessionID
        self.event = event
        self.passwordKind = passwordKind
    }
}

/// A new password that a credential manager offers.
public final class ASGeneratedPassword: NSObject, Sendable {
    /// The kinds of characters in a generated password.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The kind's name.
        public let rawValue: String
        /// Creates a kind with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates a kind with this name.
        public init(_ rawValue: String) { self.init(rawValue: rawValue) }

        /// Letters, digits and other characters.
        public static let strong = Self("strong")
        /// Letters and digits.
        public static let alphanumeric = Self("alphanumeric")
        /// Words.
        public static let passphrase = Self("passphrase")
    }

    /// The kind.
    public let kind: Kind
    /// The password.
    public let value: String
    /// A description of the password for people, in English.
    public var localizedName: String {
        switch kind {
        case .strong: "Strong password"
        case .alphanumeric: "Password without special characters"
        case .passphrase: "Passphrase"
        default: kind.rawValue
        }
    }

    /// Creates a password.
    public init(kind: Kind, value: String) {
        self.kind = kind
        self.value = value
    }
}

/// A request to a credential manager for new passwords.
///
/// Ward's agent generates passwords itself, so it never sends this request.
public final class ASGeneratePasswordsRequest: NSObject, Sendable {
    /// The domain of the passwords.
    public let serviceIdentifier: ASCredentialServiceIdentifier
    /// The rules of the field for the password.
    public let passwordFieldPasswordRules: String?
    /// The rules of the field in which the password is repeated.
    public let confirmPasswordFieldPasswordRules: String?
    /// Rules for passwords that are known for the domain.
    public let passwordRulesFromQuirks: String?

    /// Creates a request.
    public init(
        serviceIdentifier: ASCredentialServiceIdentifier,
        passwordFieldPasswordRules: String?,
        confirmPasswordFieldPasswordRules: String?,
        passwordRulesFromQuirks: String?
    ) {
        self.serviceIdentifier = serviceIdentifier
        self.passwordFieldPasswordRules = passwordFieldPasswordRules
        self.confirmPasswordFieldPasswordRules = confirmPasswordFieldPasswordRules
        self.passwordRulesFromQuirks = passwordRulesFromQuirks
    }
}
