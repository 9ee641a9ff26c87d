public import Foundation

/// Makes requests of one kind.
public protocol ASAuthorizationProvider: NSObjectProtocol {}

/// The credential of a successful authorization; switch over its class.
public protocol ASAuthorizationCredential: NSObjectProtocol {}

/// The result of a successful request.
///
/// It is immutable, so a delegate can pass it to another task.
public final class ASAuthorization: NSObject, @unchecked Sendable {
    // Only the framework creates it. The credential and the provider have only constant values. The protocols do not require
    // constant values, because apps may conform to them: an app that adds mutable state to a subclass of a provider is
    // responsible for that state.

    /// The provider of the request that was answered.
    public let provider: any ASAuthorizationProvider
    /// The credential.
    public let credential: any ASAuthorizationCredential

    init(provider: any ASAuthorizationProvider, credential: any ASAuthorizationCredential) {
        self.provider = provider
        self.credential = credential
    }
}

extension ASAuthorization {
    /// Data that an app requests about a person who signs in with another account.
    public struct Scope: RawRepresentable, Hashable, Sendable {
        /// The name of the scope in OpenID Connect.
        public var rawValue: String
        /// Creates a scope from any name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates a scope from any name.
        public init(_ rawValue: String) { self.rawValue = rawValue }
        /// The person's name; `name`.
        public static let fullName = Scope("name")
        /// The person's e-mail address; `email`.
        public static let email = Scope("email")
    }

    /// The purpose of an OpenID request.
    public struct OpenIDOperation: RawRepresentable, Hashable, Sendable {
        /// The operation's name.
        public var rawValue: String
        /// Creates an operation from any name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates an operation from any name.
        public init(_ rawValue: String) { self.rawValue = rawValue }
        /// Chosen automatically.
        public static let operationImplicit = OpenIDOperation("implicit")
        /// Signing in.
        public static let operationLogin = OpenIDOperation("login")
        /// Renewing a sign-in.
        public static let operationRefresh = OpenIDOperation("refresh")
        /// Signing out.
        public static let operationLogout = OpenIDOperation("logout")
    }
}

/// A request of an app.
///
/// Providers create requests of subclasses of this class.
open class ASAuthorizationRequest: NSObject {
    /// The provider that created the request.
    public let provider: any ASAuthorizationProvider

    init(provider: any ASAuthorizationProvider) { self.provider = provider }

    /// The request as a value whose members were checked.
    ///
    /// - Throws: ``ASAuthorizationError/failed`` that says what is wrong.
    func prepare() throws(ASAuthorizationError) -> PreparedRequest {
        throw ASAuthorizationError(.failed, "requests of the class \(type(of: self)) are not supported")
    }
}
