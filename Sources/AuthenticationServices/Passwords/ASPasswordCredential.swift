public import Foundation
internal import WardAgentClient

/// A user name and its password.
public final class ASPasswordCredential: NSObject, ASAuthorizationCredential, Sendable {
    /// The user name.
    public let user: String
    /// The password.
    public let password: String

    /// Takes both.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

/// Makes requests for passwords that are kept for the app's domains.
///
/// On Apple's platforms those are the domains of the app's entitlements; here those that name the app and that it is
/// registered with.
public final class ASAuthorizationPasswordProvider: NSObject, ASAuthorizationProvider {
    /// Makes a provider.
    public override init() { super.init() }

    /// Makes a request.
    public func createRequest() -> ASAuthorizationPasswordRequest { ASAuthorizationPasswordRequest(self) }
}

/// A request for a password that is kept for one of the app's domains.
public final class ASAuthorizationPasswordRequest: ASAuthorizationRequest {
    init(_ provider: ASAuthorizationPasswordProvider) { super.init(provider: provider) }

    override func prepare() throws(ASAuthorizationError) -> PreparedRequest {
        PreparedRequest(AppRequest(.password)) { result throws(ASAuthorizationError) in
            guard let user = result.user, let password = result.password else {
                throw ASAuthorizationError(.invalidResponse, "the agent's answer has no password in it: update ward")
            }
            return ASPasswordCredential(user: user, password: password)
        }
    }
}
