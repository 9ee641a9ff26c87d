public import WardText

/// Tells a credential manager that the service does not know a credential, so that the manager hides or deletes it.
///
/// For `PublicKeyCredential.signalUnknownCredential`, also if nobody is signed in. WebAuthn Level 3,
/// [§5.1.10.1](https://www.w3.org/TR/webauthn-3/#sctn-signalUnknownCredential).
public struct UnknownCredentialOptions: Hashable, WebAuthnJSON {
    /// The RP ID.
    public var rpID: String
    /// The unknown credential.
    public var credentialID: CredentialID

    /// Creates the options.
    public init(rpID: String, credentialID: CredentialID) {
        self.rpID = rpID
        self.credentialID = credentialID
    }

    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` that names the missing or wrong member.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        let members = try JSONMembers(value, in: "options")
        rpID = try members.string("rpId")
        credentialID = try members.credentialID("credentialId")
    }

    /// The JSON form.
    public var value: JSONValue { ["rpId": .string(rpID), "credentialId": .string(credentialID.base64URL)] }
}

/// Tells a credential manager all credentials of an account, so that the manager hides or deletes the others.
///
/// For `PublicKeyCredential.signalAllAcceptedCredentials`. Send it only to the account's signed-in person, because it
/// lists credential IDs. WebAuthn Level 3,
/// [§5.1.10.2](https://www.w3.org/TR/webauthn-3/#sctn-signalAllAcceptedCredentials).
public struct AllAcceptedCredentialsOptions: Hashable, WebAuthnJSON {
    /// The RP ID.
    public var rpID: String
    /// The account's user handle.
    public var userID: UserHandle
    /// The IDs of all its credentials.
    ///
    /// Managers hide every credential that is missing here.
    public var allAcceptedCredentialIDs: [CredentialID]

    /// Creates the options.
    public init(rpID: String, userID: UserHandle, allAcceptedCredentialIDs: [CredentialID]) {
        self.rpID = rpID
        self.userID = userID
        self.allAcceptedCredentialIDs = allAcceptedCredentialIDs
    }

    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` that names the missing or wrong member.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        let members = try JSONMembers(value, in: "options")
        rpID = try members.string("rpId")
        userID = try members.userHandle("userId")
        // An absent list is not an empty list; an empty list would hide every credential of the account.
        _ = try members.required("allAcceptedCredentialIds")
        var identifiers: [CredentialID] = []
        for element in try members.array("allAcceptedCredentialIds") {
            guard let id = element.stringValue.flatMap(CredentialID.init(base64URL:)) else {
                throw WebAuthnError(.notBase64URL, "options.allAcceptedCredentialIds")
            }
            identifiers.append(id)
        }
        allAcceptedCredentialIDs = identifiers
    }

    /// The JSON form.
    public var value: JSONValue {
        [
            "rpId": .string(rpID), "userId": .string(userID.base64URL),
            "allAcceptedCredentialIds": .array(allAcceptedCredentialIDs.map { .string($0.base64URL) }),
        ]
    }
}

/// Tells a credential manager the current names of an account.
///
/// For `PublicKeyCredential.signalCurrentUserDetails`. Send it only to the account's signed-in person. WebAuthn Level
/// 3, [§5.1.10.3](https://www.w3.org/TR/webauthn-3/#sctn-signalCurrentUserDetails).
public struct CurrentUserDetailsOptions: Hashable, WebAuthnJSON {
    /// The RP ID.
    public var rpID: String
    /// The account and its names.
    public var user: PublicKeyCredentialUserEntity

    /// Creates the options.
    public init(rpID: String, user: PublicKeyCredentialUserEntity) {
        self.rpID = rpID
        self.user = user
    }

    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` that names the missing or wrong member.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        let members = try JSONMembers(value, in: "options")
        rpID = try members.string("rpId")
        user = .init(
            id: try members.userHandle("userId"),
            name: try members.string("name"),
            displayName: try members.string("displayName")
        )
    }

    /// The JSON form.
    public var value: JSONValue {
        [
            "rpId": .string(rpID), "userId": .string(user.id.base64URL), "name": .string(user.name),
            "displayName": .string(user.displayName),
        ]
    }
}

extension JSONMembers {
    func credentialID(_ name: String) throws(WebAuthnError) -> CredentialID {
        guard let id = CredentialID(try bytes(name)) else {
            throw WebAuthnError(.valueOutOfRange, "\(name) must have 1 to 1,023 bytes")
        }
        return id
    }

    func userHandle(_ name: String) throws(WebAuthnError) -> UserHandle {
        guard let handle = UserHandle(try bytes(name)) else {
            throw WebAuthnError(.valueOutOfRange, "\(name) must have 1 to 64 bytes")
        }
        return handle
    }
}
