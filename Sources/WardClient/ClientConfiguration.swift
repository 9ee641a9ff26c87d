public import WardCTAP
public import WardWebAuthn

/// What a client needs from outside, and what it offers.
public struct ClientConfiguration: Sendable {
    /// The list that decides which domains are open to strangers.
    public var suffixes: PublicSuffixList
    /// Where lists of related origins come from; `nil` means that callers outside the RP ID are refused.
    public var relatedOrigins: RelatedOriginsFetch?
    /// The clock behind timeouts.
    public var timeout: CeremonyTimeout
    /// Whether a passkey may be made without a question, for automatic upgrades; `nil` means never.
    ///
    /// The answer is yes only where this person signed in at this very origin moments ago, for instance with a password that
    /// was filled in for them, and did not switch upgrades off.
    public var mayUpgrade:
        (@Sendable (_ caller: Caller, _ rpID: String, _ user: PublicKeyCredentialUserEntity) async -> Bool)?
    /// Whether conditional requests have a place to appear in: the autofill of a form.
    public var offersAutofill: Bool
    /// The discoverable credentials of an RP ID, found without asking anybody; never told to a page.
    ///
    /// With it, a conditional request that names credentials offers those alone.
    public var silentDiscovery: (@Sendable (_ rpID: String) async -> [CredentialID])?
    /// Which of several accounts the person means, by index, where an authenticator does not ask itself; `nil` takes the first.
    public var chooseAccount: (@Sendable (_ accounts: [CTAPUserEntity]) async -> Int?)?
    /// The RP IDs that may have an attestation of the very device, as this machine's administrator decided.
    public var enterpriseRPIDs: Set<String>
    /// Who is told what relying parties say about credentials; `nil` means nobody.
    public var signals: CredentialSignals?

    /// Takes what differs from a client that asks no network and upgrades nothing.
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
