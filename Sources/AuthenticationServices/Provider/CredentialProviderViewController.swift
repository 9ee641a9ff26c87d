public import Foundation

/// The part of a credential manager that answers requests: subclass it and run it with ``CredentialProviderExtension``.
///
/// Each request gets an instance of its own. On Apple's platforms this class is a view controller; here it has no view. A manager
/// that wants to show something opens a window of its own. The agent has asked the person already when it asks for a credential.
///
/// Every request ends with one call of ``extensionContext``. A method that is not overridden cancels its request.
@MainActor open class ASCredentialProviderViewController: NSObject {
    /// Ends the request.
    public let extensionContext = ASCredentialProviderExtensionContext()

    /// Makes a controller for one request.
    public required override init() { super.init() }

    // MARK: Lists

    /// Lists passwords for the person to choose from.
    ///
    /// The agent shows its own list, so nothing calls this here.
    open func prepareCredentialList(for serviceIdentifiers: [ASCredentialServiceIdentifier]) { refuse() }

    /// Lists passwords and passkeys for the person to choose from.
    ///
    /// The agent shows its own list, so nothing calls this here.
    open func prepareCredentialList(
        for serviceIdentifiers: [ASCredentialServiceIdentifier],
        requestParameters: ASPasskeyCredentialRequestParameters
    ) {
        prepareCredentialList(for: serviceIdentifiers)
    }

    /// Lists verification codes for the person to choose from.
    ///
    /// The agent shows its own list, so nothing calls this here.
    open func prepareOneTimeCodeCredentialList(for serviceIdentifiers: [ASCredentialServiceIdentifier]) { refuse() }

    // MARK: One credential

    /// Gives a credential without showing anything.
    ///
    /// Where that cannot be done, cancel with ``ASExtensionError/Code/userInteractionRequired``: then
    /// ``prepareInterfaceToProvideCredential(for:)-(ASCredentialRequest)`` is called on the same instance.
    open func provideCredentialWithoutUserInteraction(for credentialRequest: any ASCredentialRequest) {
        if let identity = credentialRequest.credentialIdentity as? ASPasswordCredentialIdentity {
            return provideCredentialWithoutUserInteraction(for: identity)
        }
        refuse(.userInteractionRequired)
    }

    /// Gives a password without showing anything; the form before passkeys.
    open func provideCredentialWithoutUserInteraction(for credentialIdentity: ASPasswordCredentialIdentity) {
        refuse(.userInteractionRequired)
    }

    /// Gives a credential after the person did something in the manager's own window, such as unlocking it.
    open func prepareInterfaceToProvideCredential(for credentialRequest: any ASCredentialRequest) {
        if let identity = credentialRequest.credentialIdentity as? ASPasswordCredentialIdentity {
            return prepareInterfaceToProvideCredential(for: identity)
        }
        refuse()
    }

    /// Gives a password after the person did something in the manager's own window; the form before passkeys.
    open func prepareInterfaceToProvideCredential(for credentialIdentity: ASPasswordCredentialIdentity) { refuse() }

    // MARK: New passkeys

    /// Makes a passkey that the person agreed to.
    open func prepareInterface(forPasskeyRegistration registrationRequest: any ASCredentialRequest) { refuse() }

    /// Makes a passkey for an account whose password this manager filled in moments ago.
    ///
    /// Nobody was asked, and nothing may be shown.
    open func performWithoutUserInteractionIfPossible(passkeyRegistration: ASPasskeyCredentialRequest) { refuse() }

    // MARK: Passwords to keep

    /// Keeps a password without showing anything, after the person chose this manager for it.
    ///
    /// Where that cannot be done, cancel with ``ASExtensionError/Code/userInteractionRequired``: then
    /// ``prepareInterface(for:)-(ASSavePasswordRequest)`` is called on the same instance. Only a manager whose declaration has
    /// `SupportsSavePasswordCredentials` is asked.
    open func performWithoutUserInteractionIfPossible(savePasswordRequest: ASSavePasswordRequest) {
        refuse(.userInteractionRequired)
    }

    /// Keeps a password after the person did something in the manager's own window, such as unlocking it.
    open func prepareInterface(for savePasswordRequest: ASSavePasswordRequest) { refuse() }

    /// Makes new passwords without showing anything.
    ///
    /// The agent makes new passwords itself, so nothing calls this here.
    open func performWithoutUserInteraction(generatePasswordsRequest: ASGeneratePasswordsRequest) { refuse() }

    /// Lets the person choose a new password in the manager's own window.
    ///
    /// The agent makes new passwords itself, so nothing calls this here.
    open func prepareInterface(for generatePasswordsRequest: ASGeneratePasswordsRequest) { refuse() }

    // MARK: Other requests

    /// Lets the person choose a text for a field, in the manager's own window.
    open func prepareInterfaceForUserChoosingTextToInsert() { refuse() }

    /// Sets the manager up after the person turned it on.
    ///
    /// Nothing calls this here.
    open func prepareInterfaceForExtensionConfiguration() { extensionContext.completeExtensionConfigurationRequest() }

    // MARK: What services report

    /// Says which passkeys of an account a service accepts.
    ///
    /// Hide the others; do not delete them, since a service may be wrong.
    open func reportAllAcceptedPublicKeyCredentials(
        forRelyingParty relyingParty: String,
        userHandle: Data,
        acceptedCredentialIDs: [Data]
    ) {}

    /// Says that a service has a new name for an account.
    open func reportPublicKeyCredentialUpdate(
        forRelyingParty relyingParty: String,
        userHandle: Data,
        newName: String
    ) {}

    /// Says that a service does not know a passkey.
    open func reportUnknownPublicKeyCredential(forRelyingParty relyingParty: String, credentialID: Data) {}

    /// Says that a password is not used any more.
    open func reportUnusedPasswordCredential(forDomain domain: String, userName: String) {}

    private func refuse(_ code: ASExtensionError.Code = .failed) {
        extensionContext.cancelRequest(withError: ASExtensionError(code))
    }
}
