public import WardCTAP
public import WardDomains
public import WardWebAuthn

/// The configuration of a client: its dependencies and its features.
public struct ClientConfiguration: Sendable {
    /// The public suffix list.
    public var suffixes: PublicSuffixList
    /// Downloads lists of related origins.
    ///
    /// With `nil`, callers outside the RP ID are refused.
    public var relatedOrigins: RelatedOriginsFetch?
    /// The clock for time limits.
    public var timeout: CeremonyTimeout
    /// Decides whether a passkey may be created without a prompt (automatic upgrade); `nil` means never.
    ///
    /// Return true only if this person signed in at this origin moments ago, for example with a password that was
    /// filled in for them, and has not switched upgrades off.
    public var mayUpgrade:
        (@Sendable (_ caller: Caller, _ rpID: String, _ user: PublicKeyCredentialUserEntity) async -> Bool)?
    /// Whether conditional requests can appear in the autofill of a form.
    public var offersAutofill: Bool
    /// The discoverable credentials of an RP ID, found without a prompt and never revealed to a page.
    ///
    /// If it is set, a conditional request with a list of credentials offers only those that exist.
    public var silentDiscovery: (@Sendable (_ rpID: String) async -> [CredentialID])?
    /// Lets the person choose among several accounts, by index.
    ///
    /// It is for authenticators that do not show a choice themselves. With `nil` the first account is taken.
    public var chooseAccount: (@Sendable (_ accounts: [CTAPUserEntity]) async -> Int?)?
    /// The RP IDs that may get enterprise attestation, as this machine's administrator decided.
    public var enterpriseRPIDs: Set<String>
    /// Receives the signals of relying parties about credentials; `nil` ignores them.
    public var signals: CredentialSignals?

    /// Creates a configuration.
    ///
    /// The default client uses no network and creates no passkeys without a prompt.
    public init(
        suffixes: PublicSuffixList = .system,
        relatedOrigins: RelatedOriginsFetch? = nil,
        timeout: CeremonyTimeout = .live,
        mayUpgrade: (
            @Sendable (_ caller: Caller, _ rpID: String, _ user: PublicKeyCredentialUserEntity) async -> Bool
        )? = nil,
        offersAutofill: Bool = false,
        silentDiscovery: (@Sendable (_ rpID: String) async -> [CredentialID])? = nil,
        chooseAccount: (@Sendable (_ accounts: [CTAPUserEntity]) async -> Int?)? = nil,
        enterpriseRPIDs: Set<String> = [],
        signals: CredentialSignals? = nil
    ) {
        self.suffixes = suffixes
        self.relatedOrigins = relatedOrigins
        self.timeout = timeout
        self.mayUpgrade = mayUpgrade
        self.offersAutofill = offersAutofill
        self.silentDiscovery = silentDiscovery
        self.chooseAccount = chooseAccount
        self.enterpriseRPIDs = enterpriseRPIDs
        self.signals = signals
    }
}
