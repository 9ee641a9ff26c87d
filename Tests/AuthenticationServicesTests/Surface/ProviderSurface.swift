import AuthenticationServices
import Testing

/// Section 10, as far as it is here: what a manager is asked for.
private func requests(_ data: Data) {
    let service = ASCredentialServiceIdentifier(identifier: "example.com", type: .domain)
    let _: ASCredentialServiceIdentifier.IdentifierType = .URL
    let identities: [any ASCredentialIdentity] = [
        ASPasswordCredentialIdentity(serviceIdentifier: service, user: "", recordIdentifier: nil),
        ASPasskeyCredentialIdentity(
            relyingPartyIdentifier: "example.com",
            userName: "",
            credentialID: data,
            userHandle: data,
            recordIdentifier: nil
        ),
        ASOneTimeCodeCredentialIdentity(serviceIdentifier: service, label: "", recordIdentifier: nil),
    ]
    identities[0].rank = 1
    let _: (String, String?, ASCredentialServiceIdentifier) =
        (identities[0].user, identities[0].recordIdentifier, identities[0].serviceIdentifier)
    guard let passkey = identities[1] as? ASPasskeyCredentialIdentity else { return }
    let request: any ASCredentialRequest = ASPasskeyCredentialRequest(
        credentialIdentity: passkey,
        clientDataHash: data,
        userVerificationPreference: .preferred,
        supportedAlgorithms: [.ES256]
    )
    switch request.type {
    case .password, .passkeyAssertion, .passkeyRegistration, .oneTimeCode: break
    }
    let input = ASPasskeyAssertionCredentialExtensionInput(largeBlob: .read, prf: nil)
    let using = ASPasskeyCredentialRequest(
        credentialIdentity: passkey,
        clientDataHash: data,
        userVerificationPreference: .required,
        supportedAlgorithms: [],
        extensionInput: input
    )
    let _: ASPasskeyCredentialExtensionInput? = using.extensionInput
    let _: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]? = using.excludedCredentials
    let _: String = ASOneTimeCodeCredential(code: "").code
}

@Suite struct `The surface: managers` {
    @Test func `the codes of a manager's errors are the documented ones`() {
        typealias Code = ASExtensionError.Code
        let codes: [Code] = [
            .failed, .userCanceled, .userInteractionRequired, .credentialIdentityNotFound, .matchedExcludedCredential,
        ]
        #expect(codes.map(\.rawValue) == [0, 1, 100, 101, 102])
        #expect(codes.map { ASExtensionError($0).errorCode } == [0, 1, 100, 101, 102])
    }
}
