// Signs a person in to an app with a passkey or a password, whichever is there: the same code as on Apple's platforms.
import AuthenticationServices

// snippet.show
final class SignIn: NSObject, ASAuthorizationControllerDelegate {
    func begin(challenge: Data) {
        let passkeys = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: "example.com")
        let passkey = passkeys.createCredentialAssertionRequest(challenge: challenge)
        let password = ASAuthorizationPasswordProvider().createRequest()
        let controller = ASAuthorizationController(authorizationRequests: [passkey, password])
        controller.delegate = self
        controller.performRequests()
    }

    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        switch authorization.credential {
        case let passkey as ASAuthorizationPlatformPublicKeyCredentialAssertion: print("verify", passkey.credentialID)
        case let password as ASPasswordCredential: print("check the password of", password.user)
        default: break
        }
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        print(error.localizedDescription)
    }
}
// snippet.hide

let signIn = SignIn()
signIn.begin(challenge: Data((0..<32).map { _ in UInt8.random(in: 0...255) }))
try await Task.sleep(for: .seconds(60))
