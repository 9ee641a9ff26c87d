internal import Crypto
public import WardCOSE
public import WardWebAuthn

/// Client and authenticator in one, for tests.
///
/// It answers options like a browser with a passkey, and can inject faults.
///
/// ```swift
/// var authenticator = VirtualAuthenticator(origin: "https://example.com")
/// let response = try authenticator.create(start.options)
/// ```
///
/// It makes none of a browser's checks: any origin may use any RP ID, so that tests reach the checks of the relying party.
public struct VirtualAuthenticator: Sendable {
    /// The properties of the authenticator.
    public struct Behaviour: Sendable {
        /// The supported algorithms, in order of preference.
        public var algorithms: [COSEAlgorithmIdentifier] = [.es256, .edDSA]
        /// The attestation: `none`, or `packed` with the credential's own key.
        public var attestation: Attestation = .none
        /// Whether a person is present.
        public var isUserPresent = true
        /// Whether the person is verified.
        public var isUserVerified = true
        /// Whether the authenticator's credentials are backup eligible.
        public var isBackupEligible = true
        /// Whether the authenticator's credentials are backed up.
        public var isBackedUp = true
        /// The increment of the signature counter; zero means that it does not count.
        public var signCountStep: UInt32 = 0
        /// Whether the authenticator returns the user handle.
        ///
        /// Authenticators of FIDO U2F do not.
        public var returnsUserHandle = true
        /// Its AAGUID.
        public var aaguid = AAGUID.zero
        /// Its transports.
        public var transports: [AuthenticatorTransport] = [.internal, .hybrid]
        /// Platform or cross-platform.
        public var attachment: AuthenticatorAttachment? = .platform
        /// Extension outputs of the client.
        public var clientExtensionResults = AuthenticationExtensionsClientOutputs()
        /// Extension outputs of the authenticator, in CBOR.
        public var authenticatorExtensions: [UInt8]?

        /// Creates a platform authenticator with user verification and synced passkeys.
        public init() {}
    }

    /// An attestation type.
    public enum Attestation: Hashable, Sendable {
        /// No attestation.
        case none
        /// Self attestation.
        case packedSelf
    }

    /// A stored credential.
    public struct Credential: Sendable {
        /// Its ID.
        public let id: CredentialID
        /// The RP ID of the credential.
        public let rpID: String
        /// The account.
        public let user: PublicKeyCredentialUserEntity
        /// Its key.
        public let key: COSEPrivateKey
        /// Its counter.
        public var signCount: UInt32
    }

    /// The reason why the authenticator did not answer.
    public enum Refusal: Error, Hashable, Sendable {
        /// The authenticator has one of the excluded credentials.
        case excluded
        /// The authenticator supports none of the requested algorithms.
        case noAlgorithm
        /// The authenticator has no matching credential.
        case noCredential
    }

    /// The origin of the page.
    public var origin: String
    /// The origin of the page around the frame, if any.
    public var topOrigin: String?
    /// The properties of the authenticator.
    public var behaviour: Behaviour
    /// The faults to inject.
    public var faults = Faults()
    /// The stored credentials, the newest last.
    public private(set) var credentials: [Credential] = []
    private let effects: Effects

    /// Creates an authenticator without credentials for a page of `origin`.
    public init(origin: String, behaviour: Behaviour = .init(), effects: Effects = .live) {
        self.origin = origin
        self.behaviour = behaviour
        self.effects = effects
    }

    /// Answers `navigator.credentials.create`.
    ///
    /// - Parameter options: The relying party's options.
    /// - Returns: The response that a page would send back.
    /// - Throws: ``Refusal``, or `COSEError` if a key cannot be generated.
    public mutating func create(_ options: PublicKeyCredentialCreationOptions) throws -> RegistrationResponse {
        let excluded = Set(options.excludeCredentials.map(\.id))
        guard !credentials.contains(where: { excluded.contains($0.id) }) else { throw Refusal.excluded }
        guard let algorithm = options.pubKeyCredParams.map(\.alg).first(where: behaviour.algorithms.contains) else {
            throw Refusal.noAlgorithm
        }
        let key = try COSEPrivateKey.generate(algorithm)
        guard let id = CredentialID(effects.randomBytes(32)) else { throw Refusal.noCredential }
        let credential = Credential(
            id: id,
            rpID: options.rp.id ?? "",
            user: options.user,
            key: key,
            signCount: behaviour.signCountStep
        )
        let clientData = clientData("webauthn.create", options.challenge)
        let data = faults.authenticatorData(
            AuthenticatorData.assemble(
                rpIDHash: hash(Array(credential.rpID.utf8)),
                flags: flags,
                signCount: credential.signCount,
                credential: (behaviour.aaguid, id.bytes, faults.publicKey(key.publicKey.encoded)),
                extensions: behaviour.authenticatorExtensions
            )
        )
        let object = try attestationObject(data, clientData, key)
        credentials.append(credential)
        return faults.registration(
            RegistrationResponse(
                id: id,
                clientDataJSON: clientData,
                attestationObject: faults.attestationObject(object),
                transports: behaviour.transports,
                authenticatorAttachment: behaviour.attachment,
                clientExtensionResults: behaviour.clientExtensionResults
            )
        )
    }

    /// Answers `navigator.credentials.get` with the newest matching credential.
    ///
    /// - Parameter options: The relying party's options.
    /// - Returns: The response that a page would send back.
    /// - Throws: ``Refusal``, or `COSEError` if the key cannot sign.
    public mutating func get(_ options: PublicKeyCredentialRequestOptions) throws -> AuthenticationResponse {
        let allowed = options.allowCredentials.map(\.id)
        guard
            let index = credentials.lastIndex(where: {
                $0.rpID == (options.rpID ?? $0.rpID) && (allowed.isEmpty || allowed.contains($0.id))
            })
        else { throw Refusal.noCredential }
        credentials[index].signCount &+= behaviour.signCountStep
        let credential = credentials[index]
        let clientData = clientData("webauthn.get", options.challenge)
        let data = faults.authenticatorData(
            AuthenticatorData.assemble(
                rpIDHash: hash(Array(credential.rpID.utf8)),
                flags: flags,
                signCount: credential.signCount,
                extensions: behaviour.authenticatorExtensions
            )
        )
        let signature = try credential.key.sign(data + hash(clientData))
        return faults.authentication(
            AuthenticationResponse(
                id: credential.id,
                clientDataJSON: clientData,
                authenticatorData: data,
                signature: faults.signature(signature),
                userHandle: behaviour.returnsUserHandle ? credential.user.id : nil,
                authenticatorAttachment: behaviour.attachment,
                clientExtensionResults: behaviour.clientExtensionResults
            )
        )
    }

    private var flags: AuthenticatorData.Flags {
        var flags: AuthenticatorData.Flags = []
        if behaviour.isUserPresent { flags.insert(.userPresent) }
        if behaviour.isUserVerified { flags.insert(.userVerified) }
        if behaviour.isBackupEligible { flags.insert(.backupEligible) }
        if behaviour.isBackedUp { flags.insert(.backupState) }
        return flags
    }

    private func clientData(_ type: String, _ challenge: Challenge) -> [UInt8] {
        let data = CollectedClientData(
            type: type,
            challenge: challenge.base64URL,
            origin: origin,
            crossOrigin: topOrigin != nil,
            topOrigin: topOrigin
        )
        return faults.clientDataJSON(faults.clientData(data).serialized)
    }

    private func attestationObject(
        _ data: [UInt8],
        _ clientData: [UInt8],
        _ key: COSEPrivateKey
    ) throws -> [UInt8] {
        switch behaviour.attestation {
        case .none:
            return AttestationObject.assemble(
                format: "none",
                statement: faults.statement([0xa0]),
                authenticatorData: data
            )
        case .packedSelf:
            let statement = PackedSelf.statement(
                algorithm: key.algorithm,
                signature: faults.signature(try key.sign(data + hash(clientData)))
            )
            return AttestationObject.assemble(
                format: "packed",
                statement: faults.statement(statement),
                authenticatorData: data
            )
        }
    }

    private func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}
