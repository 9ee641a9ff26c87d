internal import WardText
internal import WardWebAuthn

/// The document of `/.well-known/passkey-endpoints`: the pages where credential managers send people to create and
/// manage passkeys.
///
/// Serve it at the RP ID's own host with status 200, `application/json` and without a redirect. An empty document says
/// that the service supports passkeys. [Passkey Endpoints](https://w3c.github.io/webappsec-passkey-endpoints/)
public struct PasskeyEndpoints: Hashable, Sendable {
    /// The page that creates a passkey.
    public let enroll: String?
    /// The page that lists and deletes passkeys.
    public let manage: String?
    /// The page that explains what a person loses if they delete a passkey with `prf` secrets.
    public let prfUsageDetails: String?

    /// Creates a document.
    ///
    /// - Parameters:
    ///   - enroll: The page that creates a passkey.
    ///   - manage: The page that lists and deletes passkeys.
    ///   - prfUsageDetails: The page about passkeys with `prf` secrets.
    ///   - relyingParty: The service. Every URL must be one of its pages.
    /// - Throws: ``RelyingPartyConfigurationError`` for a URL of another origin.
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
                    "\(address) is not a page of this service: it must begin with one of its origins"
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
