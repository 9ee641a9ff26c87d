import AuthenticationServices

/// Section 6: passwords, and accounts from elsewhere.
private func passwordsAndAppleID(_ credential: ASAuthorizationAppleIDCredential) async throws {
    let _: ASAuthorizationPasswordRequest = ASAuthorizationPasswordProvider().createRequest()
    let password: any ASAuthorizationCredential = ASPasswordCredential(user: "", password: "")
    if let password = password as? ASPasswordCredential { let _: [String] = [password.user, password.password] }

    let provider = ASAuthorizationAppleIDProvider()
    let request: ASAuthorizationAppleIDRequest = provider.createRequest()
    let _: ASAuthorizationOpenIDRequest = request
    request.user = nil
    request.requestedScopes = [.fullName, .email]
    request.state = ""
    request.nonce = ""
    request.requestedOperation = .operationLogin
    let _: [ASAuthorization.OpenIDOperation] = [.operationImplicit, .operationRefresh, .operationLogout]
    provider.getCredentialState(forUserID: "") {
        (state: ASAuthorizationAppleIDProvider.CredentialState, _: (any Error)?) in
        switch state {
        case .revoked, .authorized, .notFound, .transferred: break
        }
    }
    let _: ASAuthorizationAppleIDProvider.CredentialState = try await provider.credentialState(forUserID: "")
    let _: NSNotification.Name = ASAuthorizationAppleIDProvider.credentialRevokedNotification
    let _: String = credential.user
    let _: String? = credential.state
    let _: [ASAuthorization.Scope] = credential.authorizedScopes
    let _: [Data?] = [credential.authorizationCode, credential.identityToken]
    let _: String? = credential.email
    let _: PersonNameComponents? = credential.fullName
    switch credential.realUserStatus {
    case .unsupported, .unknown, .likelyReal: break
    }
    switch credential.userAgeRange {
    case .unknown, .child, .notChild: break
    }
}

/// Section 8: a new account.
private func accounts(_ data: Data, _ credential: ASAuthorizationAccountCreationPlatformPublicKeyCredential) {
    let request: ASAuthorizationAccountCreationPlatformPublicKeyCredentialRequest =
        ASAuthorizationAccountCreationProvider().createPlatformPublicKeyCredentialRegistrationRequest(
            acceptedContactIdentifiers: [.email, .phoneNumber],
            shouldRequestName: true,
            relyingPartyIdentifier: "example.com",
            challenge: data,
            userID: data
        )
    let _: [ASContactIdentifierRequest] = request.acceptedContactIdentifiers
    let _: [Data] = [request.challenge, request.userID]
    let _: String = request.relyingPartyIdentifier
    let _: Bool = request.shouldRequestName
    switch credential.contactIdentifier {
    case .email(let email):
        let _: ASEmailIdentifier = email
        let _: String = email.value
    case .phoneNumber(let number):
        let _: ASPhoneNumberIdentifier = number
        let _: String = number.value
    }
    let _: ASAuthorizationPlatformPublicKeyCredentialRegistration = credential.credentialRegistration
    let _: PersonNameComponents? = credential.name
}

/// Section 9: signals.
private func signals(_ data: Data) async throws {
    let updater = ASCredentialUpdater()
    try await updater.reportAllAcceptedPublicKeyCredentials(
        relyingPartyIdentifier: "example.com",
        userHandle: data,
        acceptedCredentialIDs: [data]
    )
    try await updater.reportPublicKeyCredentialUpdate(
        relyingPartyIdentifier: "example.com",
        userHandle: data,
        newName: ""
    )
    try await updater.reportUnknownPublicKeyCredential(relyingPartyIdentifier: "example.com", credentialID: data)
    try await updater.reportUnusedPasswordCredential(domain: "example.com", userName: "")
}

@MainActor
private func manager(_ data: Data, _ manager: CredentialDataManager, _ scope: ASAutoFillURLScope) async throws {
    let password = ASPasswordCredential(user: "", password: "")
    try await manager.save(password: password, for: scope)
    try await manager.save(password: password, for: scope, title: "Example")
    try await manager.reportAllAcceptedPublicKeyCredentials(
        relyingPartyIdentifier: "example.com",
        userHandle: data,
        acceptedCredentialIDs: []
    )
    try await manager.reportPublicKeyCredentialUpdate(
        relyingPartyIdentifier: "example.com",
        userHandle: data,
        newName: ""
    )
    try await manager.reportUnknownPublicKeyCredential(relyingPartyIdentifier: "example.com", credentialID: data)
    try await manager.reportUnusedPasswordCredential(domain: "example.com", userName: "")
    try await ASCredentialDataManager().save(password: password, for: scope, title: nil, anchor: ASPresentationAnchor())
    let _: ASAutoFillURLScope? = URL(string: "https://example.com").flatMap(ASAutoFillURLScope.init(url:))
    let _: ASAutoFillURLScope = .init(scheme: .https, host: "example.com", port: nil, path: "")
    let _: URL? = scope.url
    let _: (ASAutoFillURLScope.Scheme, String, Int?, String) = (scope.scheme, scope.host, scope.port, scope.path)
}
