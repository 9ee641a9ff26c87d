public import Foundation

/// A request to sign in at an OpenID Connect issuer.
open class ASAuthorizationOpenIDRequest: ASAuthorizationRequest {
    /// The data about the person that the app requests.
    public var requestedScopes: [ASAuthorization.Scope]?
    /// A value that comes back with the answer.
    public var state: String?
    /// A value that the identity token contains, so that the token cannot be replayed.
    public var nonce: String?
    /// The purpose of the request.
    public var requestedOperation: ASAuthorization.OpenIDOperation = .operationImplicit
}

/// A request to sign in with another account of the person.
public final class ASAuthorizationAppleIDRequest: ASAuthorizationOpenIDRequest {
    /// The ``ASAuthorizationAppleIDCredential/user`` of an earlier sign-in, to request the same account.
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

/// Whether the person is probably real.
public enum ASUserDetectionStatus: Int, Sendable {
    /// The issuer does not say whether the person is real.
    case unsupported = 0
    /// Unknown.
    case unknown = 1
    /// Probably a real person.
    case likelyReal = 2
}

/// Whether the person is a child.
public enum ASUserAgeRange: Int, Sendable {
    /// Unknown.
    case unknown = 0
    /// A child.
    case child = 1
    /// Not a child.
    case notChild = 2
}

/// A sign-in with another account of the person.
///
/// On Apple's platforms, name and e-mail address come only with the first sign-in. Here they come with each sign-in
/// that requests them, if the issuer provides them.
public final class ASAuthorizationAppleIDCredential: NSObject, ASAuthorizationCredential, Sendable {
    private let values: AppleIDCredentialValues

    /// The subject of the identity token: stable for this app and issuer.
    public var user: String { values.user }
    /// The state of the request.
    public var state: String? { values.state }
    /// The data that the person agreed to share.
    public var authorizedScopes: [ASAuthorization.Scope] { values.authorizedScopes.map { .init($0) } }
    /// The code that the app's service exchanges for its own tokens, once and at once: many issuers accept it for one
    /// minute only.
    ///
    /// It is `nil` if the issuer gives no second code without a page for the person.
    public var authorizationCode: Data? { values.authorizationCode }
    /// What the app's service sends to the token endpoint with the ``authorizationCode``; `nil` without a code.
    ///
    /// It is not on Apple's platforms, where the issuer asks for neither.
    public var authorizationCodeExchange: OpenIDConnectCodeExchange? { values.codeExchange }
    /// The identity token in compact form; its signature is verified.
    public var identityToken: Data? { values.identityToken }
    /// The e-mail address.
    public var email: String? { values.email }
    /// The name.
    public var fullName: PersonNameComponents? { values.fullName }
    /// Whether the person is probably real; ``ASUserDetectionStatus/unsupported`` unless the issuer says so.
    public var realUserStatus: ASUserDetectionStatus {
        switch values.isLikelyReal {
        case true: .likelyReal
        case false: .unknown
        case nil: .unsupported
        }
    }
    /// Always ``ASUserAgeRange/unknown``: issuers do not provide this.
    public var userAgeRange: ASUserAgeRange { .unknown }

    init(_ values: AppleIDCredentialValues) { self.values = values }
}
