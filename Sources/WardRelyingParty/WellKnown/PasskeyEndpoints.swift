internal import WardWebAuthn

/// The document of `/.well-known/passkey-endpoints`: where credential managers send people to make and manage passkeys.
///
/// Serve it at the RP ID's own host with status 200, `application/json` and without a redirect; an empty document says that
/// the service takes passkeys. [Passkey Endpoints](https://w3c.github.io/webappsec-passkey-endpoints/)
public struct PasskeyEndpoints: Hashable, Sendable {
    /// The page that makes a passkey.
    public let enroll: String?
    /// The page that lists and deletes them.
    public let manage: String?
    /// The page that says what is lost when a passkey with secrets of its own (`prf`) is deleted.
    public let prfUsageDetails: String?

    /// Takes addresses of pages.
    ///
    /// - Parameters:
    ///   - enroll: The page that makes a passkey.
    ///   - manage: The page that lists and deletes them.
    ///   - prfUsageDetails: The page about passkeys with secrets of their own.
    ///   - relyingParty: The service: every address is one of its pages.
    /// - Throws: ``RelyingPartyConfigurationError`` for an address that is not.
    public init(
        enroll: String? = nil,
        manage: String? = nil,
        prfUsageDetails: String? = nil,
        of relyingParty: RelyingParty
    ) throws(RelyingPartyConfigurationError) {
        for address in [enroll, manage, prfUsageDetails] {
            guard let address else { continue }
            let isOurs = relyingParty.origins.contains { origin in
                origin.web != nil && (address == origin.description || address.hasPrefix(origin.description + "/"))
            }
            guard isOurs else {
                throw RelyingPartyConfigurationError(
                    "\(address) is no page of this service: begin with one of its origins"
                )
            }
        }
        self.enroll = enroll
        self.manage = manage
        self.prfUsageDetails = prfUsageDetails
    }

    /// The document's text.
    public var json: [UInt8] {
        let entries = [("enroll", enroll), ("manage", manage), ("prfUsageDetails", prfUsageDetails)]
        return JSONValue.object(
            entries.compactMap { name, address in address.map { .init(name, .string($0)) } }
        ).serialized
    }
}
