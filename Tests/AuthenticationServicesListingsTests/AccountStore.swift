import AuthenticationServices
import AuthenticationServicesFixtures

/// Signing in as apps do it with `AuthorizationController`: nothing in this file knows that it is not on Apple's platforms.
@MainActor
final class AccountStore {
    let domain = "example.com"
    let service: ExampleService
    let credentialUpdater = ASCredentialUpdater()

    var userID: Data?
    var contact: String?
    var givenName: String?
    var isShowingForm = false
    var isShowingUpsell = false

    init(service: ExampleService) {
        self.service = service
    }

    // MARK: A new account

    func createAccount(authorizationController: AuthorizationController) async {
        do {
            let userID = service.newUserID()
            let challenge = try await service.registrationChallenge(userID: userID)
            let provider = ASAuthorizationAccountCreationProvider()
            let request = provider.createPlatformPublicKeyCredentialRegistrationRequest(
                acceptedContactIdentifiers: [.email, .phoneNumber],
                shouldRequestName: true,
                relyingPartyIdentifier: domain,
                challenge: challenge,
                userID: userID
            )
            let result = try await authorizationController.performRequest(request)
            if case .passkeyAccountCreation(let account) = result {
                switch account.contactIdentifier {
                case .email(let email): contact = email.value
                case .phoneNumber(let number): contact = number.value
                @unknown default: break
                }
                givenName = account.name?.givenName
                try await service.register(
                    challenge,
                    id: account.credentialRegistration.credentialID,
                    attestationObject: account.credentialRegistration.rawAttestationObject,
                    clientDataJSON: account.credentialRegistration.rawClientDataJSON
                )
                self.userID = userID
            }
        } catch ASAuthorizationError.deviceNotConfiguredForPasskeyCreation {
            isShowingForm = true
        } catch ASAuthorizationError.preferSignInWithApple {
            isShowingForm = true
        } catch ASAuthorizationError.canceled {
            // Nothing to do: the person thought better of it.
        } catch {
            isShowingForm = true
        }
    }

    // MARK: Signing in

    /// A sheet with whatever is here, when the app opens; nothing is shown when there is nothing.
    func signInIfPossible(authorizationController: AuthorizationController) async {
        do {
            let challenge = try await service.signInChallenge()
            let requests: [ASAuthorizationRequest] = [
                ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: domain)
                    .createCredentialAssertionRequest(challenge: challenge),
                ASAuthorizationPasswordProvider().createRequest(),
            ]
            let result = try await authorizationController.performRequests(
                requests,
                options: .preferImmediatelyAvailableCredentials
            )
            switch result {
            case .passkeyAssertion(let passkeyAssertion):
                try await finish(passkeyAssertion, challenge)
            case .password(let passwordCredential):
                try await submit(passwordCredential, authorizationController)
            default:
                break
            }
        } catch {
            isShowingForm = true
        }
    }

    /// A passkey from the keyboard's bar, while the form is shown.
    func autoFill(authorizationController: AuthorizationController) async throws {
        let challenge = try await service.signInChallenge()
        let request = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: domain)
            .createCredentialAssertionRequest(challenge: challenge)
        let result = try await authorizationController.performAutoFillAssistedRequest(request)
        if case .passkeyAssertion(let passkeyAssertion) = result { try await finish(passkeyAssertion, challenge) }
    }

    // MARK: Upgrading

    /// What follows a sign-in with a password: a passkey, without a word about it where that is possible.
    func submit(_ credential: ASPasswordCredential, _ authorizationController: AuthorizationController) async throws {
        let userID = service.newUserID()
        self.userID = userID
        do {
            let challenge = try await service.registrationChallenge(userID: userID, isConditional: true)
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: domain)
            let request = provider.createCredentialRegistrationRequest(
                challenge: challenge,
                name: credential.user,
                userID: userID,
                requestStyle: .conditional
            )
            let result = try await authorizationController.performRequest(request)
            if case .passkeyRegistration(let passkey) = result { try await register(passkey, challenge) }
        } catch {
            // It did not work out, and that is all right: the app asks instead.
            isShowingUpsell = true
        }
    }

    /// The person said yes to the upsell.
    func addPasskey(userName: String, authorizationController: AuthorizationController) async throws {
        guard let userID else { return }
        let challenge = try await service.registrationChallenge(userID: userID)
        let request = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: domain)
            .createCredentialRegistrationRequest(challenge: challenge, name: userName, userID: userID)
        let result = try await authorizationController.performRequest(request)
        if case .passkeyRegistration(let passkey) = result { try await register(passkey, challenge) }
        isShowingUpsell = false
    }

    // MARK: Keeping managers up to date

    func didChangeUserName(to name: String, passkeys: [Data]) async throws {
        guard let userID else { return }
        try await credentialUpdater.reportPublicKeyCredentialUpdate(
            relyingPartyIdentifier: domain,
            userHandle: userID,
            newName: name
        )
        try await credentialUpdater.reportAllAcceptedPublicKeyCredentials(
            relyingPartyIdentifier: domain,
            userHandle: userID,
            acceptedCredentialIDs: passkeys
        )
        try await credentialUpdater.reportUnusedPasswordCredential(domain: domain, userName: name)
    }

    func didFailToFind(_ credentialID: Data) async throws {
        try await credentialUpdater.reportUnknownPublicKeyCredential(
            relyingPartyIdentifier: domain,
            credentialID: credentialID
        )
    }

    private func register(
        _ passkey: ASAuthorizationPlatformPublicKeyCredentialRegistration,
        _ challenge: Data
    ) async throws {
        try await service.register(
            challenge,
            id: passkey.credentialID,
            attestationObject: passkey.rawAttestationObject,
            clientDataJSON: passkey.rawClientDataJSON
        )
    }

    private func finish(
        _ assertion: ASAuthorizationPlatformPublicKeyCredentialAssertion,
        _ challenge: Data
    ) async throws {
        userID = try await service.signIn(
            challenge,
            id: assertion.credentialID,
            authenticatorData: assertion.rawAuthenticatorData,
            clientDataJSON: assertion.rawClientDataJSON,
            signature: assertion.signature,
            userID: assertion.userID
        )
    }
}
