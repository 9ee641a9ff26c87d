import AuthenticationServices
import Testing

// The public symbols with the signatures of the reference, by section: what is here compiles, or the framework has changed. The
// functions are never called; a signature that differs in a label, a type or an optional does not compile.

/// Section 1: the controller.
@MainActor
private func controllers(_ requests: [ASAuthorizationRequest], _ provider: Delegate) {
    let make: ([ASAuthorizationRequest]) -> ASAuthorizationController =
        ASAuthorizationController.init(authorizationRequests:)
    let controller: any NSObject & Sendable = make(requests)
    _ = controller
    let subject = make(requests)
    let _: [ASAuthorizationRequest] = subject.authorizationRequests
    subject.delegate = provider
    let _: (any ASAuthorizationControllerDelegate)? = subject.delegate
    subject.presentationContextProvider = provider
    let _: (any ASAuthorizationControllerPresentationContextProviding)? = subject.presentationContextProvider
    let _: (ASAuthorizationController) -> () -> Void = ASAuthorizationController.performRequests
    let _: (ASAuthorizationController) -> (ASAuthorizationController.RequestOptions) -> Void =
        ASAuthorizationController.performRequests(options:)
    let _: (ASAuthorizationController) -> () -> Void = ASAuthorizationController.performAutoFillAssistedRequests
    let _: (ASAuthorizationController) -> () -> Void = ASAuthorizationController.cancel
    var options: ASAuthorizationController.RequestOptions = []
    options.insert(.preferImmediatelyAvailableCredentials)
    let _: UInt = options.rawValue
    subject.customAuthorizationMethods = [.other, .restorePurchase, .videoSubscriberAccount]
    let _: any ASAuthorizationProvider = requests[0].provider
}

/// All the methods of the delegate, and of who gives the window.
private final class Delegate: NSObject, ASAuthorizationControllerDelegate,
    ASAuthorizationControllerPresentationContextProviding
{
    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        let _: any ASAuthorizationProvider = authorization.provider
        let _: any ASAuthorizationCredential = authorization.credential
    }
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {}
    func authorizationController(
        _ controller: ASAuthorizationController,
        didCompleteWithCustomMethod method: ASAuthorizationCustomMethod
    ) {}
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
        ASPresentationAnchor()
    }
}

/// All of them are optional.
private final class Silent: NSObject, ASAuthorizationControllerDelegate {}

/// Section 7: what is awaited.
@MainActor
private func awaited(_ controller: AuthorizationController, _ request: ASAuthorizationRequest) async throws {
    let _: ASAuthorizationResult = try await controller.performRequest(request)
    let _: ASAuthorizationResult = try await controller.performRequest(
        request,
        options: .preferImmediatelyAvailableCredentials
    )
    let _: ASAuthorizationResult = try await controller.performRequest(request, customMethods: [.other])
    let _: ASAuthorizationResult = try await controller.performRequests([request])
    let _: ASAuthorizationResult = try await controller.performRequests([request], options: [])
    let _: ASAuthorizationResult = try await controller.performRequests([request], customMethods: [])
    let _: ASAuthorizationResult = try await controller.performAutoFillAssistedRequest(request)
    let result: ASAuthorizationResult = try await controller.performAutoFillAssistedRequests([request])
    switch result {
    case .appleID(let credential): let _: ASAuthorizationAppleIDCredential = credential
    case .password(let credential): let _: ASPasswordCredential = credential
    case .passkeyAssertion(let credential): let _: ASAuthorizationPlatformPublicKeyCredentialAssertion = credential
    case .passkeyRegistration(let credential):
        let _: ASAuthorizationPlatformPublicKeyCredentialRegistration = credential
    case .securityKeyAssertion(let credential):
        let _: ASAuthorizationSecurityKeyPublicKeyCredentialAssertion = credential
    case .securityKeyRegistration(let credential):
        let _: ASAuthorizationSecurityKeyPublicKeyCredentialRegistration = credential
    case .customMethod(let method): let _: ASAuthorizationCustomMethod = method
    case .passkeyAccountCreation(let credential):
        let _: ASAuthorizationAccountCreationPlatformPublicKeyCredential = credential
    }
}

/// Section 5: errors.
private func errors(_ error: any Error) -> Bool {
    let made = ASAuthorizationError(.canceled, userInfo: [NSLocalizedDescriptionKey: "no"])
    let _: any CustomNSError & LocalizedError = made
    let _: String = ASAuthorizationErrorDomain + ASAuthorizationError.errorDomain
    let _: ASAuthorizationError.Code = ASAuthorizationError.canceled
    let _: [String: Any] = made.userInfo
    let _: Int = made.errorCode
    do { throw error } catch ASAuthorizationError.failed { return true } catch {}
    guard let error = error as? ASAuthorizationError else { return false }
    switch error.code {
    case .canceled, .failed, .invalidResponse, .notHandled, .unknown, .notInteractive: return true
    case .matchedExcludedCredential, .credentialImport, .credentialExport, .preferSignInWithApple: return true
    case .deviceNotConfiguredForPasskeyCreation: return true
    }
}

@Suite struct `The surface: numbers` {
    @Test func `the codes of errors are the documented ones`() {
        let codes: [(ASAuthorizationError.Code, Int)] = [
            (.unknown, 1000), (.canceled, 1001), (.invalidResponse, 1002), (.notHandled, 1003), (.failed, 1004),
            (.notInteractive, 1005), (.matchedExcludedCredential, 1006), (.credentialImport, 1007),
            (.credentialExport, 1008), (.preferSignInWithApple, 1009), (.deviceNotConfiguredForPasskeyCreation, 1010),
        ]
        for (code, number) in codes {
            #expect(code.rawValue == number)
            #expect(ASAuthorizationError(code).errorCode == number)
        }
        #expect(ASAuthorizationErrorDomain == "com.apple.AuthenticationServices.AuthorizationError")
    }

    @Test func `the raw values of preferences are WebAuthn's`() {
        typealias Verification = ASAuthorizationPublicKeyCredentialUserVerificationPreference
        #expect(
            [Verification.preferred, .required, .discouraged].map(\.rawValue) == [
                "preferred", "required", "discouraged",
            ]
        )
        typealias Attestation = ASAuthorizationPublicKeyCredentialAttestationKind
        #expect(
            [Attestation.none, .direct, .indirect, .enterprise].map(\.rawValue)
                == ["none", "direct", "indirect", "enterprise"]
        )
        typealias Transport = ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor.Transport
        #expect(Transport.allSupported.map(\.rawValue) == ["usb", "nfc", "ble"])
        #expect(ASCOSEAlgorithmIdentifier.ES256.rawValue == -7)
        #expect(ASAuthorizationController.RequestOptions.preferImmediatelyAvailableCredentials.rawValue == 1)
    }
}
