public import Foundation

/// Who makes requests of one kind.
public protocol ASAuthorizationProvider: NSObjectProtocol {}

/// What a successful authorization gives: switch over its class.
public protocol ASAuthorizationCredential: NSObjectProtocol {}

/// A request that succeeded.
///
/// It never changes, so it may cross to other tasks: a delegate can resume a continuation with it.
public final class ASAuthorization: NSObject, @unchecked Sendable {
    // The framework alone makes it, of a credential and a provider that have only constants. Their protocols do not ask for that,
    // because an app may adopt them; an app that gives state to a provider's subclass answers for it.

    /// Who made the request that was answered.
    public let provider: any ASAuthorizationProvider
    /// The answer.
    public let credential: any ASAuthorizationCredential

    init(provider: any ASAuthorizationProvider, credential: any ASAuthorizationCredential) {
        self.provider = provider
        self.credential = credential
    }
}

extension ASAuthorization {
    /// What an app wants to know of a person who signs in with an account they have elsewhere.
    public struct Scope: RawRepresentable, Hashable, Sendable {
        /// The word OpenID Connect has for it.
        public var rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Takes any word.
        public init(_ rawValue: String) { self.rawValue = rawValue }
        /// The person's name; `name`.
        public static let fullName = Scope("name")
        /// The person's e-mail address; `email`.
        public static let email = Scope("email")
    }

    /// What an OpenID request is for.
    public struct OpenIDOperation: RawRepresentable, Hashable, Sendable {
        /// The word for it.
        public var rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Takes any word.
        public init(_ rawValue: String) { self.rawValue = rawValue }
        /// Whatever fits what is known.
        public static let operationImplicit = OpenIDOperation("implicit")
        /// Signing in.
        public static let operationLogin = OpenIDOperation("login")
        /// Renewing a sign-in.
        public static let operationRefresh = OpenIDOperation("refresh")
        /// Signing out.
        public static let operationLogout = OpenIDOperation("logout")
    }
}

/// What an app asks for; one of the classes that providers make.
open class ASAuthorizationRequest: NSObject {
    /// Who made it.
    public let provider: any ASAuthorizationProvider

    init(provider: any ASAuthorizationProvider) { self.provider = provider }

    /// The request as a value, checked.
    ///
    /// - Throws: ``ASAuthorizationError/failed`` with what is wrong.
    func prepare() throws(ASAuthorizationError) -> PreparedRequest {
        throw ASAuthorizationError(.failed, "a request of the class \(type(of: self)) is not known here")
    }
}
