public import Foundation

/// A request to sign in at an OpenID Connect issuer.
open class ASAuthorizationOpenIDRequest: ASAuthorizationRequest {
    /// What the app wants to know of the person.
    public var requestedScopes: [ASAuthorization.Scope]?
    /// What comes back with the answer.
    public var state: String?
    /// What the identity token holds, so that it cannot be replayed.
    public var nonce: String?
    /// What the request is for.
    public var requestedOperation: ASAuthorization.OpenIDOperation = .operationImplicit
}

/// A request to sign in with an account the person has elsewhere.
public final class ASAuthorizationAppleIDRequest: ASAuthorizationOpenIDRequest {
    /// The ``ASAuthorizationAppleIDCredential/user`` of a sign-in before, if it shall be the same account.
    public var user: String?

    init(_ provider: ASAuthorizationAppleIDProvider) { super.init(provider: provider) }

    override func prepare() throws(ASAuthorizationError) -> PreparedRequest {
        PreparedRequest(
            AppleIDRequestValues(
                user: user,
                requestedScopes: (requestedScopes ?? []).map(\.rawValue),
                state: state,
                nonce: nonce,
                operation: requestedOperation.rawValue
            )
        )
    }
}

/// Whether the person is likely a real one.
public enum ASUserDetectionStatus: Int, Sendable {
    /// The issuer never says.
    case unsupported = 0
    /// It is not known.
    case unknown = 1
    /// Likely.
    case likelyReal = 2
}

/// Whether the person is a child.
public enum ASUserAgeRange: Int, Sendable {
    /// It is not known.
    case unknown = 0
    /// A child.
    case child = 1
    /// No child.
    case notChild = 2
}

/// A sign-in with an account the person has elsewhere.
///
/// On Apple's platforms name and address come with the first sign-in only; here with each that asks for them, if the issuer
/// gives them.
public final class ASAuthorizationAppleIDCredential: NSObject, ASAuthorizationCredential, Sendable {
    private let values: AppleIDCredentialValues

    /// The subject of the identity token: stable for this app and issuer.
    public var user: String { values.user }
    /// The state of the request.
    public var state: String? { values.state }
    /// What the person agreed to tell.
    public var authorizedScopes: [ASAuthorization.Scope] { values.authorizedScopes.map { .init($0) } }
    /// What the app's service exchanges for tokens of its own, once and within minutes.
    ///
    /// `nil` where the issuer let this process redeem it.
    public var authorizationCode: Data? { values.authorizationCode }
    /// The identity token in its compact form, its signature verified.
    public var identityToken: Data? { values.identityToken }
    /// The e-mail address.
    public var email: String? { values.email }
    /// The name.
    public var fullName: PersonNameComponents? { values.fullName }
    /// Whether the person is likely a real one; ``ASUserDetectionStatus/unsupported`` unless the issuer says.
    public var realUserStatus: ASUserDetectionStatus {
        switch values.isLikelyReal {
        case true: .likelyReal
        case false: .unknown
        case nil: .unsupported
        }
    }
    /// Always ``ASUserAgeRange/unknown`` here: no issuer says.
    public var userAgeRange: ASUserAgeRange { .unknown }

    init(_ values: AppleIDCredentialValues) { self.values = values }
}
