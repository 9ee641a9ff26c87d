internal import Synchronization
public import WardCTAP
public import WardWebAuthn

/// An authenticator in software: its passkeys are in a ``PasskeyStore``, and it asks a person through ``UserConsent``.
///
/// ```swift
/// let authenticator = SoftwareAuthenticator(store: store, consent: prompts)
/// let response = try await authenticator.makeCredential(request, in: CeremonyContext(origin: origin))
/// ```
///
/// A client in the same process calls the methods. A transport passes whole messages to ``process(_:in:)``.
///
/// The authenticator itself has only one kind of secret: the keys for encrypted salts, which exist as long as this value. CTAP
/// 2.3, section 6.
public final class SoftwareAuthenticator<Store: PasskeyStore, Consent: UserConsent>: CTAPAuthenticator {
    let store: Store
    let consent: Consent
    let configuration: AuthenticatorConfiguration
    let effects: Effects
    private let agreements: [PINUVAuthProtocol: PINUVKeyAgreement]
    private let conversations = Mutex(Conversations())

    /// Creates an authenticator from a store and a consent.
    ///
    /// - Parameters:
    ///   - store: Where the passkeys are, and what signs with them.
    ///   - consent: Who asks the person.
    ///   - configuration: What it says of itself, and how much it takes.
    ///   - effects: The clock, and the randomness of credential IDs; the store draws keys.
    public init(
        store: Store,
        consent: Consent,
        configuration: AuthenticatorConfiguration = .init(),
        effects: Effects = .live
    ) {
        self.store = store
        self.consent = consent
        self.configuration = configuration
        self.effects = effects
        agreements = [.one: PINUVKeyAgreement(), .two: PINUVKeyAgreement()]
    }

    /// Returns what the authenticator is and what it supports, without a prompt.
    ///
    /// CTAP 2.3, section 6.4.
    public func info() async throws(CTAPStatus) -> AuthenticatorInfo {
        var options: AuthenticatorOptions = [
            .platformDevice: configuration.isPlatformDevice, .residentKey: true, .userPresence: true,
            .makeCredUvNotRequired: true,
        ]
        switch await consent.verificationCapability() {
        case .unsupported: break
        case .notConfigured: options[.userVerification] = false
        case .ready: options[.userVerification] = true
        }
        var info = AuthenticatorInfo(
            versions: configuration.versions,
            extensions: [.credProtect, .hmacSecret, .hmacSecretMC, .largeBlob, .prf, .credProps],
            aaguid: configuration.aaguid,
            options: options,
            maximumMessageSize: configuration.maximumMessageSize,
            pinUVAuthProtocols: [.two, .one],
            transports: configuration.transports,
            algorithms: await store.algorithms.map { PublicKeyCredentialParameters($0) },
            attestationFormats: ["packed"]
        )
        info.maximumCredentialCountInList = configuration.maximumCredentialCountInList
        info.maximumCredentialIDLength = 1_023
        return info
    }

    /// Returns the public key for encrypting salts; PINs and tokens are not supported.
    ///
    /// - Parameters:
    ///   - request: Subcommand `getKeyAgreement` with protocol one or two.
    ///   - context: The context of the request.
    /// - Returns: The key.
    /// - Throws: `CTAPStatus.invalidSubcommand` for every other subcommand.
    public func clientPIN(
        _ request: ClientPINRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> ClientPINResponse {
        guard request.subcommand == .getKeyAgreement else { throw .invalidSubcommand }
        guard let wanted = request.pinUVAuthProtocol else { throw .missingParameter }
        return ClientPINResponse(keyAgreement: try agreement(wanted).publicKey)
    }

    /// Waits until the person selects this authenticator.
    ///
    /// CTAP 2.3, section 6.9.
    ///
    /// - Parameter context: The context of the request.
    /// - Throws: `CTAPStatus.operationDenied`, `CTAPStatus.userActionTimeout` or `CTAPStatus.keepaliveCancel`.
    public func selection(in context: CeremonyContext) async throws(CTAPStatus) {
        forgetConversation(context)
        let request = ConsentRequest(
            question: .selectAuthenticator,
            rpID: nil,
            rpName: nil,
            wantsPresence: true,
            wantsVerification: false,
            context: context
        )
        _ = try await agree(request)
    }

    // // MARK: Shared by the ceremonies

    /// The key pair of a protocol.
    func agreement(_ pinUVAuthProtocol: PINUVAuthProtocol) throws(CTAPStatus) -> PINUVKeyAgreement {
        guard let agreement = agreements[pinUVAuthProtocol] else { throw .invalidParameter }
        return agreement
    }

    /// Asks the person.
    ///
    /// It continues only if the person did everything that is required, such as verification.
    func agree(_ request: ConsentRequest) async throws(CTAPStatus) -> ConsentAgreement {
        guard !Task.isCancelled else { throw .keepaliveCancel }
        let answer = await consent.ask(request)
        guard !Task.isCancelled else { throw .keepaliveCancel }
        switch answer {
        case .refused: throw .operationDenied
        case .timedOut: throw .userActionTimeout
        case .cancelled: throw .keepaliveCancel
        case .agreed(let agreement):
            guard agreement.isPresent || !request.wantsPresence else { throw .operationDenied }
            guard agreement.isVerified || !request.wantsVerification || request.isVerificationOptional else {
                throw .operationDenied
            }
            return agreement
        }
    }

    /// The passkeys of a relying party, the newest first, independent of the store's order.
    ///
    /// The RP ID is checked again, so that a faulty store cannot cause a signature for another relying party.
    func passkeys(
        for rpID: String,
        among ids: [CredentialID]?
    ) async throws(CTAPStatus) -> [PasskeyInfo] {
        do {
            return try await store.list(for: rpID, among: ids)
                .filter { $0.rpID.utf8.elementsEqual(rpID.utf8) }
                .filter { ids?.contains($0.id) ?? true }
                .sorted { ($1.createdAt, $0.id.base64URL) < ($0.createdAt, $1.id.base64URL) }
        } catch {
            throw CTAPStatus(error)
        }
    }

    // MARK: Conversations

    func remember(_ pending: PendingAssertions, for context: CeremonyContext) {
        conversations.withLock { $0.remember(pending, on: context.channel) }
    }

    /// Takes and deletes the state of this channel.
    @discardableResult
    func forgetConversation(_ context: CeremonyContext) -> PendingAssertions? {
        conversations.withLock { $0.take(from: context.channel) }
    }
}

extension CTAPStatus {
    /// The CTAP status for an error of the store.
    init(_ error: PasskeyStoreError) {
        switch error.code {
        case .full: self = .keyStoreFull
        case .locked: self = .operationDenied
        case .missing: self = .noCredentials
        default: self = .other
        }
    }
}
