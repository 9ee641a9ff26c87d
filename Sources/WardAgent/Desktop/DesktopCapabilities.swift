/// What the desktop's interfaces can do: their properties.
///
/// A property is true only if the feature works now. A test of the interface proves each one that is true.
struct DesktopCapabilities: Sendable {
    /// Whether a passkey can be created and used: there is a vault, and passkeys are on.
    var hasPasskeys: Bool

    /// The properties with their values.
    var properties: [DesktopProperty] {
        let flags: [(name: String, isTrue: Bool)] = [
            // No prompt stands at a field of a page, and the agent did not fill in the page's password.
            ("ConditionalCreate", false),
            ("ConditionalGet", false),
            // Ward does not reach phones.
            ("HybridTransport", false),
            ("PasskeyPlatformAuthenticator", hasPasskeys),
            ("UserVerifyingPlatformAuthenticator", hasPasskeys),
            ("RelatedOrigins", hasPasskeys),
            // The interfaces have no methods for signals.
            ("SignalAllAcceptedCredentials", false),
            ("SignalCurrentUserDetails", false),
            ("SignalUnknownCredential", false),
        ]
        return flags.map { DesktopProperty($0.name, .flag($0.isTrue)) }
    }
}
