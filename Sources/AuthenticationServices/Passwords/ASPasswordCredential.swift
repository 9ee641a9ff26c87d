public import Foundation
internal import WardAgentClient

/// A user name and its password.
public final class ASPasswordCredential: NSObject, ASAuthorizationCredential, Sendable {
    /// The user name.
    public let user: String
    /// The password.
    public let password: String

    /// Creates a credential.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

/// Makes requests for passwords of the app's domains.
///
/// On Apple's platforms these are the domains of the app's entitlements. Here they are the domains that list the app or
/// that the app is registered for.
public final class ASAuthorizationPasswordProvider: NSObject, ASAuthorizationProvider {
    /// Creates a provider.
    public override init() { super.init() }

    /// Makes a request.
    public func createRequest() -> ASAuthorizationPasswordRequest { ASAuthorizationPasswordRequest(self) }
}

/// A request for a password of one of the app's domains.
public final class ASAuthorizationPasswordRequest: ASAuthorizationRequest {
    init(_ provider: ASAuthorizationPasswordProvider) { super.init(provider: provider) }

    override func prepare() throws(ASAuthorizationError) -> PreparedRequest {
        PreparedRequest(AppRequest(.password)) { result throws(ASAuthorizationError) in
            guard let user = result.user, let password = result.password else {
                throw ASAuthorizationError(.invalidResponse, "the agent's answer has no password: update ward")
            }
            return ASPasswordCredential(user: user, password: password)
        }
    }
}
