public import Foundation
internal import WardAgentClient
internal import WardCOSE
internal import WardText
internal import WardWebAuthn

/// Makes requests for a new account.
///
/// One prompt asks for a contact, the person's name and a passkey.
public final class ASAuthorizationAccountCreationProvider: NSObject, ASAuthorizationProvider {
    /// Creates a provider.
    public override init() { super.init() }

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - acceptedContactIdentifiers: The kinds of contact that can name the account, best first; at least one.
    ///   - shouldRequestName: Whether to ask for the person's name.
    ///   - relyingPartyIdentifier: The RP ID, a domain that lists the app.
    ///   - challenge: The service's challenge, 16 to 1,024 bytes.
    ///   - userID: The new account's user handle, 1 to 64 bytes.
    /// - Returns: The request.
    public func createPlatformPublicKeyCredentialRegistrationRequest(
        acceptedContactIdentifiers: [ASContactIdentifierRequest],
        shouldRequestName: Bool,
        relyingPartyIdentifier: String,
        challenge: Data,
        userID: Data
    ) -> ASAuthorizationAccountCreationPlatformPublicKeyCredentialRequest {
        ASAuthorizationAccountCreationPlatformPublicKeyCredentialRequest(
            provider: self,
            acceptedContactIdentifiers: acceptedContactIdentifiers,
            shouldRequestName: shouldRequestName,
            relyingPartyIdentifier: relyingPartyIdentifier,
            challenge: challenge,
            userID: userID
        )
    }
}

/// A request for a new account.
///
/// If passkeys are switched off, it ends with ``ASAuthorizationError/deviceNotConfiguredForPasskeyCreation``; show your
/// own form then. The error ``ASAuthorizationError/preferSignInWithApple`` never occurs here.
public final class ASAuthorizationAccountCreationPlatformPublicKeyCredentialRequest: ASAuthorizationRequest {
    /// The kinds of contact that can name the account, best first.
    public let acceptedContactIdentifiers: [ASContactIdentifierRequest]
    /// Whether to ask for the person's name.
    public let shouldRequestName: Bool
    /// The RP ID.
    public let relyingPartyIdentifier: String
    /// The service's challenge.
    public let challenge: Data
    /// The new account's user handle.
    public let userID: Data

    init(
        provider: ASAuthorizationAccountCreationProvider,
        acceptedContactIdentifiers: [ASContactIdentifierRequest],
        shouldRequestName: Bool,
        relyingPartyIdentifier: String,
        challenge: Data,
        userID: Data
    ) {
        self.acceptedContactIdentifiers = acceptedContactIdentifiers
        self.shouldRequestName = shouldRequestName
        self.relyingPartyIdentifier = relyingPartyIdentifier
        self.challenge = challenge
        self.userID = userID
        super.init(provider: provider)
    }

    override func prepare() throws(ASAuthorizationError) -> PreparedRequest {
        guard let first = acceptedContactIdentifiers.first else {
            throw ASAuthorizationError(
                .failed,
                "acceptedContactIdentifiers is empty: accept an e-mail address or a phone number"
            )
        }
        // The agent replaces the user name with the contact that the person chose.
        let options = PublicKeyCredentialCreationOptions(
            rp: .init(id: try relyingPartyIdentifier.asRelyingPartyIdentifier(), name: relyingPartyIdentifier),
            user: .init(id: try userID.asUserHandle(), name: "", displayName: ""),
            challenge: try challenge.asChallenge(),
            pubKeyCredParams: [.init(.es256)],
            authenticatorSelection: .init(residentKey: .required, userVerification: .preferred)
        )
        var request = AppRequest(.accountCreation, domain: relyingPartyIdentifier, options: options.value.text)
        request.contacts = acceptedContactIdentifiers.map(\.rawValue)
        request.wantsName = shouldRequestName
        let accepted = acceptedContactIdentifiers
        return PreparedRequest(request) { result throws(ASAuthorizationError) in
            guard let user = result.user, !user.isEmpty else {
                throw ASAuthorizationError(.invalidResponse, "the agent's answer has no account: update ward")
            }
            // A text with an at sign is an e-mail address; any other text is a phone number.
            let kind = user.contains("@") ? ASContactIdentifierRequest.email : .phoneNumber
            return ASAuthorizationAccountCreationPlatformPublicKeyCredential(
                contactIdentifier: (accepted.contains(kind) ? kind : first).identifier(user),
                credentialRegistration: ASAuthorizationPlatformPublicKeyCredentialRegistration(
                    try result.registration()
                ),
                personName: result.personName
            )
        }
    }
}

extension ASContactIdentifierRequest {
    fileprivate func identifier(_ value: String) -> ASContactIdentifier {
        switch self {
        case .email: .email(ASEmailIdentifier(value: value))
        case .phoneNumber: .phoneNumber(ASPhoneNumberIdentifier(value: value))
        }
    }
}

/// What the app sends to its service to create the account: the passkey's registration and the contact.
public final class ASAuthorizationAccountCreationPlatformPublicKeyCredential: NSObject, ASAuthorizationCredential,
    Sendable
{
    /// The contact that names the account.
    ///
    /// The contact is not verified.
    public let contactIdentifier: ASContactIdentifier
    /// Its passkey.
    public let credentialRegistration: ASAuthorizationPlatformPublicKeyCredentialRegistration
    /// The person's name, if it was requested and given.
    ///
    /// On Apple's platforms the name comes from the person's contact card, in parts. Here the person types it, and the
    /// last word becomes the family name.
    public let name: PersonNameComponents?

    init(
        contactIdentifier: ASContactIdentifier,
        credentialRegistration: ASAuthorizationPlatformPublicKeyCredentialRegistration,
        personName: String?
    ) {
        self.contactIdentifier = contactIdentifier
        self.credentialRegistration = credentialRegistration
        name = personName.flatMap { typed in
            let words = typed.split(whereSeparator: \.isWhitespace)
            guard let last = words.last else { return nil }
            var components = PersonNameComponents()
            guard words.count > 1 else {
                components.givenName = String(last)
                return components
            }
            components.givenName = words.dropLast().joined(separator: " ")
            components.familyName = String(last)
            return components
        }
    }
}
