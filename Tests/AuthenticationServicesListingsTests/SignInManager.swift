import AuthenticationServices
import AuthenticationServicesFixtures

/// Signing in as apps do it with a delegate: nothing in this file knows that it is not on Apple's platforms.
class SignInManager: NSObject, ASAuthorizationControllerDelegate, ASAuthorizationControllerPresentationContextProviding
{
    let domain = "example.com"
    let service: ExampleService
    var authenticationAnchor: ASPresentationAnchor?
    var isPerformingModalRequest = false
    private var challenge = Data()
    private var autoFillController: ASAuthorizationController?

    // What the app's views show.
    var signedInUser: Data?
    var passwordToSubmit: ASPasswordCredential?
    var isShowingForm = false
    var isShowingUpsell = false
    var failure: ASAuthorizationError?
    var completions = 0

    init(service: ExampleService) {
        self.service = service
    }

    // MARK: Creating an account

    func signUp(userName: String, userID: Data, anchor: ASPresentationAnchor) async throws {
        authenticationAnchor = anchor
        let publicKeyCredentialProvider = ASAuthorizationPlatformPublicKeyCredentialProvider(
            relyingPartyIdentifier: domain
        )
        challenge = try await service.registrationChallenge(userID: userID)

        let registrationRequest = publicKeyCredentialProvider.createCredentialRegistrationRequest(
            challenge: challenge,
            name: userName,
            userID: userID
        )
        registrationRequest.userVerificationPreference = .required

        let authController = ASAuthorizationController(authorizationRequests: [registrationRequest])
        authController.delegate = self
        authController.presentationContextProvider = self
        authController.performRequests()
        isPerformingModalRequest = true
    }

    // MARK: Signing in

    func signIn(anchor: ASPresentationAnchor, preferImmediatelyAvailableCredentials: Bool) async throws {
        authenticationAnchor = anchor
        let publicKeyCredentialProvider = ASAuthorizationPlatformPublicKeyCredentialProvider(
            relyingPartyIdentifier: domain
        )
        challenge = try await service.signInChallenge()
        let assertionRequest = publicKeyCredentialProvider.createCredentialAssertionRequest(challenge: challenge)

        // Passwords that were saved are offered in the same sheet.
        let passwordCredentialProvider = ASAuthorizationPasswordProvider()
        let passwordRequest = passwordCredentialProvider.createRequest()

        let authController = ASAuthorizationController(authorizationRequests: [assertionRequest, passwordRequest])
        authController.delegate = self
        authController.presentationContextProvider = self
        if preferImmediatelyAvailableCredentials {
            // With nothing here the request ends silently, and the app shows its form.
            authController.performRequests(options: .preferImmediatelyAvailableCredentials)
        } else {
            authController.performRequests()
        }
        isPerformingModalRequest = true
    }

    /// Signs in to an account whose name is known, so that only its passkeys are offered.
    func signIn(allowing credentialIDs: [Data], anchor: ASPresentationAnchor) async throws {
        authenticationAnchor = anchor
        let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: domain)
        challenge = try await service.signInChallenge()
        let request = provider.createCredentialAssertionRequest(challenge: challenge)
        request.allowedCredentials = credentialIDs.map(
            ASAuthorizationPlatformPublicKeyCredentialDescriptor.init(credentialID:)
        )

        let controller = ASAuthorizationController(authorizationRequests: [request])
        controller.delegate = self
        controller.presentationContextProvider = self
        controller.performRequests()
        isPerformingModalRequest = true
    }

    /// Passkeys, security keys, passwords and Sign in with Apple in one sheet.
    func signInWithAnything() async throws {
        challenge = try await service.signInChallenge()
        let passkey = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: domain)
            .createCredentialAssertionRequest(challenge: challenge)
        let securityKey = ASAuthorizationSecurityKeyPublicKeyCredentialProvider(relyingPartyIdentifier: domain)
            .createCredentialAssertionRequest(challenge: challenge)
        let appleID = ASAuthorizationAppleIDProvider().createRequest()
        appleID.requestedScopes = [.fullName, .email]
        let password = ASAuthorizationPasswordProvider().createRequest()

        let controller = ASAuthorizationController(authorizationRequests: [passkey, securityKey, appleID, password])
        controller.delegate = self
        controller.presentationContextProvider = self
        controller.performRequests()
        isPerformingModalRequest = true
    }

    // MARK: AutoFill

    func beginAutoFillAssistedPasskeySignIn(anchor: ASPresentationAnchor) async throws {
        authenticationAnchor = anchor
        let publicKeyCredentialProvider = ASAuthorizationPlatformPublicKeyCredentialProvider(
            relyingPartyIdentifier: domain
        )
        challenge = try await service.signInChallenge()
        let assertionRequest = publicKeyCredentialProvider.createCredentialAssertionRequest(challenge: challenge)

        let authController = ASAuthorizationController(authorizationRequests: [assertionRequest])
        authController.delegate = self
        authController.presentationContextProvider = self
        authController.performAutoFillAssistedRequests()
        autoFillController = authController
    }

    func viewWillDisappear() {
        autoFillController?.cancel()
    }

    // MARK: The delegate

    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        completions += 1
        switch authorization.credential {
        case let credentialRegistration as ASAuthorizationPlatformPublicKeyCredentialRegistration:
            // The service verifies the attestation object and the client data, and keeps the public key.
            let attestationObject = credentialRegistration.rawAttestationObject
            let clientDataJSON = credentialRegistration.rawClientDataJSON
            let credentialID = credentialRegistration.credentialID
            finish { [service, challenge] in
                try await service.register(
                    challenge,
                    id: credentialID,
                    attestationObject: attestationObject,
                    clientDataJSON: clientDataJSON
                )
                return Data()
            }
        case let credentialAssertion as ASAuthorizationPlatformPublicKeyCredentialAssertion:
            guard let signature = credentialAssertion.signature,
                let authenticatorData = credentialAssertion.rawAuthenticatorData
            else { return }
            let clientDataJSON = credentialAssertion.rawClientDataJSON
            let userID = credentialAssertion.userID
            let credentialID = credentialAssertion.credentialID
            finish { [service, challenge] in
                try await service.signIn(
                    challenge,
                    id: credentialID,
                    authenticatorData: authenticatorData,
                    clientDataJSON: clientDataJSON,
                    signature: signature,
                    userID: userID
                )
            }
        case let credentialAssertion as ASAuthorizationSecurityKeyPublicKeyCredentialAssertion:
            let signature: Data = credentialAssertion.signature
            signedInUser = signature
        case let passwordCredential as ASPasswordCredential:
            let userName = passwordCredential.user
            let password = passwordCredential.password
            passwordToSubmit = ASPasswordCredential(user: userName, password: password)
        case let appleIDCredential as ASAuthorizationAppleIDCredential:
            let userIdentifier = appleIDCredential.user
            _ = appleIDCredential.fullName
            _ = appleIDCredential.email
            signedInUser = Data(userIdentifier.utf8)
        default:
            fatalError("Received unknown authorization type.")
        }
        isPerformingModalRequest = false
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: Error) {
        completions += 1
        guard let authorizationError = error as? ASAuthorizationError else {
            isPerformingModalRequest = false
            return
        }
        failure = authorizationError
        if authorizationError.code == .canceled {
            // Either nothing was here and the request ended silently, or the person closed the sheet.
            if isPerformingModalRequest { isShowingForm = true }
        } else {
            // The sentence is for the log.
            _ = (error as NSError?)?.userInfo
        }
        isPerformingModalRequest = false
    }

    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
        authenticationAnchor!
    }

    private func finish(_ verify: @escaping @Sendable () async throws -> Data) {
        Task {
            signedInUser = try await verify()
        }
    }
}
