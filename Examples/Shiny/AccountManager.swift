import AuthenticationServices

/// Signs people in and makes their accounts, with what their credential managers have.
///
/// Written as one writes it for Apple's platforms: requests in a controller, results in a delegate.
@MainActor
final class AccountManager: NSObject, ASAuthorizationControllerDelegate,
    ASAuthorizationControllerPresentationContextProviding
{
    /// What came of what was asked for.
    enum Outcome {
        case signedInWithPasskey(Account)
        case signedInWithPassword(Account, hasPasskey: Bool)
        case registered(Account)
        /// The person cancelled, or there was nothing to choose from: show the form.
        case canceled
        case failed(String)
    }

    let service: Service
    /// What came of what, in order: one for each thing that is asked for.
    let outcomes: AsyncStream<Outcome>

    private let inbox: AsyncStream<Outcome>.Continuation
    private var anchor = ASPresentationAnchor()
    private var waiting: ASAuthorizationController?
    /// What the service calls the ceremony that is going on.
    private var ceremony = ""

    init(_ service: Service) {
        self.service = service
        (outcomes, inbox) = AsyncStream.makeStream(of: Outcome.self)
    }

    private var domain: String { service.domain }

    // MARK: Signing in

    /// One sheet with all the passkeys and passwords there are.
    func signInWith(anchor: ASPresentationAnchor, preferImmediatelyAvailableCredentials: Bool) async {
        self.anchor = anchor
        await attempt {
            let passwordRequest = ASAuthorizationPasswordProvider().createRequest()
            let controller = ASAuthorizationController(
                authorizationRequests: [try await self.assertionRequest(), passwordRequest]
            )
            controller.delegate = self
            controller.presentationContextProvider = self
            if preferImmediatelyAvailableCredentials {
                // With nothing on this computer nothing is shown, and the delegate hears .canceled.
                controller.performRequests(options: .preferImmediatelyAvailableCredentials)
            } else {
                controller.performRequests()
            }
        }
    }

    /// Passkeys in the bar under the user name; waits until one is picked there.
    func beginAutoFillAssistedPasskeySignIn(anchor: ASPresentationAnchor) async {
        self.anchor = anchor
        await attempt {
            let controller = ASAuthorizationController(authorizationRequests: [try await self.assertionRequest()])
            controller.delegate = self
            controller.presentationContextProvider = self
            controller.performAutoFillAssistedRequests()
            self.waiting = controller
        }
    }

    /// Waits no longer for a pick; what comes of that is not of interest.
    func endAutoFill() async {
        waiting?.cancel()
        if waiting != nil { _ = await next() }
    }

    /// Only the passkeys of one account.
    ///
    /// `verified` asks for the person's PIN, finger or passphrase as well: for a change that the service does not make
    /// without it.
    func signInWith(userName: String, anchor: ASPresentationAnchor, verified: Bool = false) async {
        self.anchor = anchor
        await attempt {
            let controller = ASAuthorizationController(
                authorizationRequests: [try await self.assertionRequest(userName: userName, verified: verified)]
            )
            controller.delegate = self
            controller.presentationContextProvider = self
            controller.performRequests()
        }
    }

    /// With what was typed, or filled.
    func signInWith(userName: String, password: String) async {
        await attempt {
            let answer = try await self.service.signIn(username: userName, password: password)
            self.inbox.yield(.signedInWithPassword(answer.account, hasPasskey: answer.hasPasskey ?? false))
        }
    }

    private func assertionRequest(
        userName: String? = nil,
        verified: Bool = false
    ) async throws -> ASAuthorizationRequest {
        let options = try await service.signInOptions(for: userName, userVerification: verified ? "required" : nil)
        ceremony = options.ceremony
        let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: domain)
        let request = provider.createCredentialAssertionRequest(
            challenge: Data(base64URL: options.publicKey.challenge)
        )
        request.allowedCredentials = (options.publicKey.allowCredentials ?? []).map {
            ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: Data(base64URL: $0.id))
        }
        if let preference = options.publicKey.userVerification {
            request.userVerificationPreference = .init(rawValue: preference)
        }
        return request
    }

    // MARK: New passkeys

    /// A new account with a passkey.
    func signUpWith(userName: String, anchor: ASPresentationAnchor) async {
        self.anchor = anchor
        await register(try await service.registrationOptions(username: userName))
    }

    /// A new account with a password; a passkey follows by itself where the credential manager made the password.
    func signUpWith(userName: String, password: String) async {
        await attempt {
            let answer = try await self.service.createAccount(username: userName, password: password)
            self.inbox.yield(.signedInWithPassword(answer.account, hasPasskey: answer.hasPasskey ?? false))
        }
    }

    /// Another passkey for the account that is signed in.
    ///
    /// - Throws: What the service says if it does not allow that.
    func addPasskey(anchor: ASPresentationAnchor) async throws {
        self.anchor = anchor
        let options = try await service.registrationOptions()
        await register(options)
    }

    /// The automatic upgrade: a passkey beside the password just used, without a question.
    ///
    /// Whatever stands in its way, nothing is shown.
    func upgrade() async {
        await register(try await service.registrationOptions(mediation: "conditional"), style: .conditional)
    }

    private func register(
        _ options: @autoclosure () async throws -> RegistrationOptions,
        style: ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest.RequestStyle = .standard
    ) async {
        do {
            let options = try await options()
            ceremony = options.ceremony
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: domain)
            let request = provider.createCredentialRegistrationRequest(
                challenge: Data(base64URL: options.publicKey.challenge),
                name: options.publicKey.user.name,
                userID: Data(base64URL: options.publicKey.user.id),
                requestStyle: style
            )
            request.excludedCredentials = (options.publicKey.excludeCredentials ?? []).map {
                ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: Data(base64URL: $0.id))
            }
            if let preference = options.publicKey.authenticatorSelection?.userVerification {
                request.userVerificationPreference = .init(rawValue: preference)
            }
            let controller = ASAuthorizationController(authorizationRequests: [request])
            controller.delegate = self
            controller.presentationContextProvider = self
            controller.performRequests()
        } catch {
            inbox.yield(.failed(error.localizedDescription))
        }
    }

    // MARK: The delegate

    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        waiting = nil
        let ceremony = ceremony
        switch authorization.credential {
        case let credential as ASAuthorizationPlatformPublicKeyCredentialAssertion:
            let answer = SignInAnswer(credential, for: ceremony)
            Task {
                await attempt { self.inbox.yield(.signedInWithPasskey(try await self.service.signIn(answer).account)) }
            }
        case let credential as ASAuthorizationPlatformPublicKeyCredentialRegistration:
            let answer = RegistrationAnswer(credential, for: ceremony)
            Task { await attempt { self.inbox.yield(.registered(try await self.service.register(answer).account)) } }
        case let credential as ASPasswordCredential:
            Task { await signInWith(userName: credential.user, password: credential.password) }
        default:
            inbox.yield(.failed("That is a kind of credential that Shiny does not know."))
        }
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        waiting = nil
        guard let error = error as? ASAuthorizationError, error.code == .canceled else {
            inbox.yield(.failed(error.localizedDescription))
            return
        }
        inbox.yield(.canceled)
    }

    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { anchor }

    // MARK: Outcomes

    /// What came of the last thing that was asked for.
    func next() async -> Outcome {
        for await outcome in outcomes { return outcome }
        return .canceled
    }

    private func attempt(_ body: () async throws -> Void) async {
        do { try await body() } catch { inbox.yield(.failed(error.localizedDescription)) }
    }
}
