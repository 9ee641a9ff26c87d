/// Lists passkeys: all, or the passkeys of an RP ID.
package struct ListPasskeys: AgentMethod {
    package static let name = "passkeys.list"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The RP ID; `nil` for all.
    package var rpID: String?

    package init(authorization: Authorization, rpID: String? = nil) {
        self.authorization = authorization
        self.rpID = rpID
    }

    /// The passkeys.
    package struct Result: Codable, Sendable {
        /// The passkeys, latest use first.
        package var passkeys: [PasskeyRecord]

        package init(passkeys: [PasskeyRecord]) {
            self.passkeys = passkeys
        }
    }
}

/// Removes a passkey from its item.
///
/// Earlier revisions of the item still have it.
package struct RemovePasskey: AgentMethod {
    package static let name = "passkeys.remove"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The credential ID in base64url, or its first characters.
    package var credentialID: String

    package init(authorization: Authorization, credentialID: String) {
        self.authorization = authorization
        self.credentialID = credentialID
    }
    /// The removed passkey.
    package typealias Result = PasskeyRecord
}

/// Creates a passkey as for a page: `navigator.credentials.create`.
package struct CreatePasskey: AgentMethod {
    package static let name = "passkeys.create"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The requesting origin.
    package var origin: String
    /// The origin in the address bar, if the page is in a frame of another origin.
    package var topOrigin: String?
    /// `PublicKeyCredentialCreationOptionsJSON` as text.
    package var options: String
    /// `optional`, `required` or `conditional`; default `optional`.
    package var mediation: Mediation?

    package init(
        authorization: Authorization,
        origin: String,
        topOrigin: String? = nil,
        options: String,
        mediation: Mediation? = nil
    ) {
        self.authorization = authorization
        self.origin = origin
        self.topOrigin = topOrigin
        self.options = options
        self.mediation = mediation
    }

    /// The response for the page.
    package struct Result: Codable, Sendable {
        /// `RegistrationResponseJSON` as text.
        package var response: String
        /// The repairs that were made in the options.
        package var repairs: [String]

        package init(response: String, repairs: [String]) {
            self.response = response
            self.repairs = repairs
        }
    }
}

/// Uses a passkey as for a page: `navigator.credentials.get`.
package struct UsePasskey: AgentMethod {
    package static let name = "passkeys.get"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The requesting origin.
    package var origin: String
    /// The origin in the address bar, if the page is in a frame of another origin.
    package var topOrigin: String?
    /// `PublicKeyCredentialRequestOptionsJSON` as text.
    package var options: String
    /// `silent`, `optional`, `required` or `conditional`; default `optional`.
    package var mediation: Mediation?

    package init(
        authorization: Authorization,
        origin: String,
        topOrigin: String? = nil,
        options: String,
        mediation: Mediation? = nil
    ) {
        self.authorization = authorization
        self.origin = origin
        self.topOrigin = topOrigin
        self.options = options
        self.mediation = mediation
    }

    /// The response for the page.
    package struct Result: Codable, Sendable {
        /// `AuthenticationResponseJSON` as text.
        package var response: String
        /// The repairs that were made in the options.
        package var repairs: [String]

        package init(response: String, repairs: [String]) {
            self.response = response
            self.repairs = repairs
        }
    }
}
