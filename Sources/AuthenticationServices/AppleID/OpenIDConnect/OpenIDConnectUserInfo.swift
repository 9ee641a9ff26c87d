internal import Foundation

/// What an issuer says about a person beside the identity token.
///
/// OpenID Connect [Core 1.0, section 5.3](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo).
struct OpenIDConnectUserInfo: OpenIDConnectPerson, Decodable {
    let sub: String
    let email: String?
    let name: String?
    let given_name: String?
    let family_name: String?
}

/// The claims about a person that the app can request ([Core 1.0, section
/// 5.1](https://openid.net/specs/openid-connect-core-1_0.html#StandardClaims)).
protocol OpenIDConnectPerson {
    var email: String? { get }
    var name: String? { get }
    var given_name: String? { get }
    var family_name: String? { get }
}

extension OpenIDConnectPerson {
    /// The name, or `nil` if the issuer does not say it.
    ///
    /// A name that is not in parts is the given name.
    var fullName: PersonNameComponents? {
        var components = PersonNameComponents()
        components.givenName = given_name ?? (family_name == nil ? name : nil)
        components.familyName = family_name
        return components.givenName == nil && components.familyName == nil ? nil : components
    }

    /// Whether what an app requested is missing.
    func lacks(_ requestedScopes: [String]) -> Bool {
        requestedScopes.contains("email") && email == nil || requestedScopes.contains("name") && fullName == nil
    }
}
