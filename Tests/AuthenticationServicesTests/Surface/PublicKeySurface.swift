import AuthenticationServices
import Crypto

/// Section 2: passkeys.
private func platform(_ data: Data) {
    let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: "example.com")
    let _: any NSObject & ASAuthorizationProvider = provider
    let _: String = provider.relyingPartyIdentifier
    let _: ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest =
        provider.createCredentialRegistrationRequest(challenge: data, name: "", userID: data)
    let registration: ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest =
        provider.createCredentialRegistrationRequest(
            challenge: data,
            name: "",
            userID: data,
            requestStyle: .conditional
        )
    registration.requestStyle = .standard
    registration.largeBlob = .supportRequired
    registration.prf = .checkForSupport
    registration.excludedCredentials = [.init(credentialID: data)]
    registration.shouldShowHybridTransport = false
    inProtocol(registration)
    let assertion: ASAuthorizationPlatformPublicKeyCredentialAssertionRequest =
        provider.createCredentialAssertionRequest(challenge: data)
    assertion.allowedCredentials = [ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: data)]
    let allowed = assertion.allowedCredentials
    let _: [ASAuthorizationPlatformPublicKeyCredentialDescriptor] = allowed
    assertion.largeBlob = .read
    assertion.prf = .inputValues(.saltInput1(data))
    inProtocol(assertion)
}

private func inProtocol(_ request: any ASAuthorizationPublicKeyCredentialRegistrationRequest) {
    let _: String = request.relyingPartyIdentifier
    request.userID = Data()
    request.name = ""
    request.displayName = nil
    request.challenge = Data()
    request.userVerificationPreference = .required
    request.attestationPreference = .direct
}

private func inProtocol(_ request: any ASAuthorizationPublicKeyCredentialAssertionRequest) {
    request.challenge = Data()
    request.relyingPartyIdentifier = ""
    let descriptors: [any ASAuthorizationPublicKeyCredentialDescriptor] = request.allowedCredentials
    request.allowedCredentials = descriptors
    request.userVerificationPreference = .discouraged
}

private func results(
    _ registration: ASAuthorizationPlatformPublicKeyCredentialRegistration,
    _ assertion: ASAuthorizationPlatformPublicKeyCredentialAssertion
) {
    let _: any ASAuthorizationPublicKeyCredentialRegistration = registration
    let _: Data? = registration.rawAttestationObject
    let _: Data = registration.rawClientDataJSON
    let _: Data = registration.credentialID
    let _: ASAuthorizationPublicKeyCredentialAttachment = registration.attachment
    let _: ASAuthorizationPublicKeyCredentialLargeBlobRegistrationOutput? = registration.largeBlob
    let _: ASAuthorizationPublicKeyCredentialPRFRegistrationOutput? = registration.prf
    let _: any ASAuthorizationPublicKeyCredentialAssertion = assertion
    // Both ways in which apps write it.
    let _: Data = assertion.rawAuthenticatorData
    if let signature = assertion.signature { _ = signature }
    guard let userID = assertion.userID else { return }
    let _: Data = userID
    let _: Data = assertion.rawClientDataJSON
    let _: Data = assertion.credentialID
    switch assertion.attachment {
    case .platform, .crossPlatform: break
    }
    let _: ASAuthorizationPublicKeyCredentialLargeBlobAssertionOutput? = assertion.largeBlob
    let _: ASAuthorizationPublicKeyCredentialPRFAssertionOutput? = assertion.prf
}

/// Section 3: security keys.
private func securityKeys(
    _ data: Data,
    _ registration: ASAuthorizationSecurityKeyPublicKeyCredentialRegistration,
    _ assertion: ASAuthorizationSecurityKeyPublicKeyCredentialAssertion
) {
    let provider = ASAuthorizationSecurityKeyPublicKeyCredentialProvider(relyingPartyIdentifier: "example.com")
    let _: String = provider.relyingPartyIdentifier
    let making: ASAuthorizationSecurityKeyPublicKeyCredentialRegistrationRequest =
        provider.createCredentialRegistrationRequest(challenge: data, displayName: "", name: "", userID: data)
    making.credentialParameters = [ASAuthorizationPublicKeyCredentialParameters(algorithm: .ES256)]
    let _: ASCOSEAlgorithmIdentifier = making.credentialParameters[0].algorithm
    making.excludedCredentials = []
    making.residentKeyPreference = .required
    making.residentKeyPreference = ASAuthorizationPublicKeyCredentialResidentKeyPreference(rawValue: "preferred")
    inProtocol(making)
    let using: ASAuthorizationSecurityKeyPublicKeyCredentialAssertionRequest =
        provider.createCredentialAssertionRequest(challenge: data)
    using.allowedCredentials = [
        ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor(
            credentialID: data,
            transports: [.usb, .nfc, .bluetooth]
        )
    ]
    using.allowedCredentials[0].transports =
        ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor.Transport.allSupported
    using.appID = "https://example.com/appid.json"
    inProtocol(using)
    let _: [ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor.Transport] = registration.transports
    let _: Bool = assertion.appID
    let _: ASCOSEAlgorithmIdentifier = .init(-7)
    let _: ASCOSEAlgorithmIdentifier = .init(rawValue: -7)
}

/// Section 4: extensions.
private func extensions(_ data: Data, _ key: SymmetricKey) {
    typealias PRFInput = ASAuthorizationPublicKeyCredentialPRFAssertionInput
    let values: PRFInput.InputValues = .saltInput1(data, saltInput2: data)
    let _: Data = values.saltInput1
    let _: Data? = values.saltInput2
    let _: PRFInput = .inputValues(values)
    let _: PRFInput = .inputValues(values, perCredentialInputValues: [data: values])
    let input: PRFInput = .perCredentialInputValues([data: values])
    let _: PRFInput.InputValues? = input.inputValues
    let _: [Data: PRFInput.InputValues]? = input.perCredentialInputValues
    let output = ASAuthorizationPublicKeyCredentialPRFAssertionOutput(first: key, second: nil)
    let _: SymmetricKey = output.first
    let _: SymmetricKey? = output.second
    typealias PRFRegistration = ASAuthorizationPublicKeyCredentialPRFRegistrationInput
    let _: [PRFRegistration] = [.checkForSupport, .inputValues(values)]
    let made = ASAuthorizationPublicKeyCredentialPRFRegistrationOutput(first: key, second: key)
    let _: Bool = made.isSupported
    let _: SymmetricKey? = made.first
    let _: SymmetricKey? = made.second
    typealias BlobRegistration = ASAuthorizationPublicKeyCredentialLargeBlobRegistrationInput
    let _: [BlobRegistration] = [.supportRequired, .supportPreferred]
    let _: Bool = ASAuthorizationPublicKeyCredentialLargeBlobRegistrationOutput(isSupported: true).isSupported
    var blob: ASAuthorizationPublicKeyCredentialLargeBlobAssertionInput = .write(data)
    blob = .read
    let _: ASAuthorizationPublicKeyCredentialLargeBlobAssertionInput.Operation = blob.operation
    switch ASAuthorizationPublicKeyCredentialLargeBlobAssertionOutput.read(data: nil).result {
    case .read(let data): let _: Data? = data
    case .write(let success): let _: Bool = success
    }
    let _: ASPublicKeyCredentialClientData = .init(challenge: data, origin: "")
    let _: ASPublicKeyCredentialClientData = .init(challenge: data, origin: "", topOrigin: nil, crossOrigin: nil)
}
