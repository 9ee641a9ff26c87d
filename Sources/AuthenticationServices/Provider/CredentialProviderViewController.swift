public import Foundation

/// The part of a credential manager that answers requests: subclass it and run it with ``CredentialProviderExtension``.
///
/// Each request gets an instance of its own. On Apple's platforms this class is a view controller; here it has no view. A
/// manager can open a window of its own. Before the agent requests a credential, it has asked the person.
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
    /// Ward's agent shows its own list, so it never calls this method.
    open func prepareCredentialList(for serviceIdentifiers: [ASCredentialServiceIdentifier]) { refuse() }

    /// Lists passwords and passkeys for the person to choose from.
    ///
    /// Ward's agent shows its own list, so it never calls this method.
    open func prepareCredentialList(
        for serviceIdentifiers: [ASCredentialServiceIdentifier],
        requestParameters: ASPasskeyCredentialRequestParameters
    ) {
        prepareCredentialList(for: serviceIdentifiers)
    }

    /// Lists verification codes for the person to choose from.
    ///
    /// Ward's agent shows its own list, so it never calls this method.
    open func prepareOneTimeCodeCredentialList(for serviceIdentifiers: [ASCredentialServiceIdentifier]) { refuse() }

    // MARK: One credential

    /// Returns a credential without a window.
    ///
    /// If that is not possible, cancel with ``ASExtensionError/Code/userInteractionRequired``: then
    /// ``prepareInterfaceToProvideCredential(for:)-(ASCredentialRequest)`` is called on the same instance.
    open func provideCredentialWithoutUserInteraction(for credentialRequest: any ASCredentialRequest) {
        if let identity = credentialRequest.credentialIdentity as? ASPasswordCredentialIdentity {
            return provideCredentialWithoutUserInteraction(for: identity)
        }
        refuse(.userInteractionRequired)
    }

    /// Returns a password without a window.
    ///
    /// This is the method from before passkeys.
    open func provideCredentialWithoutUserInteraction(for credentialIdentity: ASPasswordCredentialIdentity) {
        refuse(.userInteractionRequired)
    }

    /// Returns a credential after the person used the manager's own window, for example to unlock the manager.
    open func prepareInterfaceToProvideCredential(for credentialRequest: any ASCredentialRequest) {
        if let identity = credentialRequest.credentialIdentity as? ASPasswordCredentialIdentity {
            return prepareInterfaceToProvideCredential(for: identity)
        }
        refuse()
    }

    /// Returns a password after the person used the manager's own window.
    ///
    /// This is the method from before passkeys.
    open func prepareInterfaceToProvideCredential(for credentialIdentity: ASPasswordCredentialIdentity) { refuse() }

    // MARK: New passkeys

    /// Creates a passkey.
    ///
    /// The person has agreed.
    open func prepareInterface(forPasskeyRegistration registrationRequest: any ASCredentialRequest) { refuse() }

    /// Creates a passkey for an account.
    ///
    /// In the last minutes this manager filled in the account's password.
    ///
    /// The person was not asked, and the manager must not open a window.
    open func performWithoutUserInteractionIfPossible(passkeyRegistration: ASPasskeyCredentialRequest) { refuse() }

    // MARK: Passwords to keep

    /// Saves a password without a window.
    ///
    /// The person chose this manager for the password.
    ///
    /// If that is not possible, cancel with ``ASExtensionError/Code/userInteractionRequired``: then
    /// ``prepareInterface(for:)-(ASSavePasswordRequest)`` is called on the same instance. Only a manager whose declaration has
    /// `SupportsSavePasswordCredentials` gets these requests.
    open func performWithoutUserInteractionIfPossible(savePasswordRequest: ASSavePasswordRequest) {
        refuse(.userInteractionRequired)
    }

    /// Saves a password after the person used the manager's own window, for example to unlock the manager.
    open func prepareInterface(for savePasswordRequest: ASSavePasswordRequest) { refuse() }

    /// Generates passwords without a window.
    ///
    /// Ward's agent generates passwords itself, so it never calls this method.
    open func performWithoutUserInteraction(generatePasswordsRequest: ASGeneratePasswordsRequest) { refuse() }

    /// Lets the person choose a new password in the manager's own window.
    ///
    /// Ward's agent generates passwords itself, so it never calls this method.
    open func prepareInterface(for generatePasswordsRequest: ASGeneratePasswordsRequest) { refuse() }

    // MARK: Other requests

    /// Lets the person choose a text for a field, in the manager's own window.
    open func prepareInterfaceForUserChoosingTextToInsert() { refuse() }

    /// Sets the manager up after the person enabled it.
    ///
    /// Ward's agent never calls this method.
    open func prepareInterfaceForExtensionConfiguration() { extensionContext.completeExtensionConfigurationRequest() }

    // MARK: What services report

    /// Called when a service reports which passkeys of an account it accepts.
    ///
    /// Hide the other passkeys. Do not delete them, because a service can be wrong.
    open func reportAllAcceptedPublicKeyCredentials(
        forRelyingParty relyingParty: String,
        userHandle: Data,
        acceptedCredentialIDs: [Data]
    ) {}

    /// Called when a service reports the new user name of an account.
    ///
    /// Change the user name of the account's passkeys.
    open func reportPublicKeyCredentialUpdate(
        forRelyingParty relyingParty: String,
        userHandle: Data,
        newName: String
    ) {}

    /// Called when a service reports a passkey that it does not know.
    open func reportUnknownPublicKeyCredential(forRelyingParty relyingParty: String, credentialID: Data) {}

    /// Called when a service reports a password that is no longer used.
    open func reportUnusedPasswordCredential(forDomain domain: String, userName: String) {}

    private func refuse(_ code: ASExtensionError.Code = .failed) {
        extensionContext.cancelRequest(withError: ASExtensionError(code))
    }
}
