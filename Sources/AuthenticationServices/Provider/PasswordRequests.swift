public import Foundation

/// A request to a credential manager to keep a password.
///
/// The person typed the password into an app, or the agent made it, and chose this manager for it.
public final class ASSavePasswordRequest: NSObject, Sendable {
    /// Why a password is to be kept.
    public enum Event: Int, Sendable {
        /// The person wants to keep it.
        case userInitiated = 0
        /// A form was sent or closed.
        ///
        /// The agent does not use it: it has asked the person.
        case formDidDisappear = 1
        /// The password is new, and the app gets it after it was kept.
        case generatedPasswordFilled = 2
    }

    /// The domain of the password.
    public let serviceIdentifier: ASCredentialServiceIdentifier
    /// The user name and the password.
    public let credential: ASPasswordCredential
    /// The app's title for the entry, if it has one.
    public let title: String?
    /// Names the form that the password belongs to; here each request has a new one.
    public let sessionID: String
    /// Why the password is to be kept.
    public let event: Event
    /// The kind of a password that was made; `nil` for one that was typed.
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
    /// What a password is made of.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The kind's name.
        public let rawValue: String
        /// A kind of this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A kind of this name.
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
    /// What the password is, for people; in English.
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
/// The agent makes new passwords itself, so it sends none.
public final class ASGeneratePasswordsRequest: NSObject, Sendable {
    /// The domain of the passwords.
    public let serviceIdentifier: ASCredentialServiceIdentifier
    /// The rules of the field for the password.
    public let passwordFieldPasswordRules: String?
    /// The rules of the field in which the password is repeated.
    public let confirmPasswordFieldPasswordRules: String?
    /// Rules that are known of the domain.
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
