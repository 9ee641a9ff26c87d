import AuthenticationServices

/// An account.
struct Account: Decodable {
    let username: String
    let userHandle: String
}

/// A passkey as the service knows it.
struct Passkey: Decodable {
    let id: String
    let name: String
}

struct AccountDetails: Decodable {
    let account: Account
    let passkeys: [Passkey]
    let hasPassword: Bool?
}

struct RecoveryCodes: Decodable { let codes: [String] }

struct SignedIn: Decodable {
    let account: Account
    /// Said after a sign-in with a password.
    let hasPasskey: Bool?
}

struct CredentialName: Decodable { let id: String }

struct SignInOptions: Decodable {
    struct PublicKey: Decodable {
        let challenge: String
        let userVerification: String?
        let allowCredentials: [CredentialName]?
    }
    let ceremony: String
    let publicKey: PublicKey
}

struct RegistrationOptions: Decodable {
    struct PublicKey: Decodable {
        struct User: Decodable {
            let id: String
            let name: String
        }
        struct Selection: Decodable { let userVerification: String? }
        let challenge: String
        let user: User
        let excludeCredentials: [CredentialName]?
        let authenticatorSelection: Selection?
    }
    let ceremony: String
    let publicKey: PublicKey
}

struct SignInAnswer: Encodable, Sendable {
    struct Response: Encodable, Sendable {
        let clientDataJSON, authenticatorData, signature, userHandle: String
    }
    let ceremony: String
    let credential: PublicKeyCredential<Response>

    init(_ credential: ASAuthorizationPlatformPublicKeyCredentialAssertion, for ceremony: String) {
        self.ceremony = ceremony
        self.credential = PublicKeyCredential(
            credential.credentialID,
            Response(
                clientDataJSON: credential.rawClientDataJSON.base64URL,
                authenticatorData: credential.rawAuthenticatorData.base64URL,
                signature: credential.signature.base64URL,
                userHandle: credential.userID.base64URL
            )
        )
    }
}

struct RegistrationAnswer: Encodable, Sendable {
    struct Response: Encodable, Sendable {
        let clientDataJSON, attestationObject: String
    }
    let ceremony: String
    let credential: PublicKeyCredential<Response>

    init(_ credential: ASAuthorizationPlatformPublicKeyCredentialRegistration, for ceremony: String) {
        self.ceremony = ceremony
        self.credential = PublicKeyCredential(
            credential.credentialID,
            Response(
                clientDataJSON: credential.rawClientDataJSON.base64URL,
                attestationObject: (credential.rawAttestationObject ?? Data()).base64URL
            )
        )
    }
}

/// A public key credential in the JSON form of WebAuthn.
struct PublicKeyCredential<Response: Encodable & Sendable>: Encodable, Sendable {
    let id, rawId: String
    let type = "public-key"
    let response: Response
    let clientExtensionResults: [String: String] = [:]

    init(_ credentialID: Data, _ response: Response) {
        id = credentialID.base64URL
        rawId = id
        self.response = response
    }
}

extension Data {
    /// base64url without padding, as in WebAuthn's JSON.
    ///
    /// Foundation has no such form. Shiny imports no module of Ward but `AuthenticationServices`, as an app for Apple's framework.
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    init(base64URL text: String) {
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        self = Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding) ?? Data()
    }
}
