internal import Crypto
public import WardCOSE
public import WardWebAuthn

/// Client and authenticator in one, for tests: it answers options as a browser with a passkey does, or as badly as told.
///
/// ```swift
/// var authenticator = VirtualAuthenticator(origin: "https://example.com")
/// let response = try authenticator.create(start.options)
/// ```
///
/// It checks nothing that a browser checks: any origin may ask for any RP ID, so that the relying party's own checks show.
public struct VirtualAuthenticator: Sendable {
    /// What the authenticator is and does.
    public struct Behaviour: Sendable {
        /// The algorithms it can sign with, whatever the options prefer.
        public var algorithms: [COSEAlgorithmIdentifier] = [.es256, .edDSA]
        /// How it attests: `none`, or `packed` with the credential's own key.
        public var attestation: Attestation = .none
        /// Whether somebody is there.
        public var isUserPresent = true
        /// Whether it verifies that somebody.
        public var isUserVerified = true
        /// Whether its credentials may be backed up.
        public var isBackupEligible = true
        /// Whether they are backed up now.
        public var isBackedUp = true
        /// What it adds to its counter at each signature; zero means that it does not count.
        public var signCountStep: UInt32 = 0
        /// Whether it gives the user handle back; authenticators of FIDO U2F do not.
        public var returnsUserHandle = true
        /// Its model.
        public var aaguid = AAGUID.zero
        /// How it may be reached.
        public var transports: [AuthenticatorTransport] = [.internal, .hybrid]
        /// Part of the device, or not.
        public var attachment: AuthenticatorAttachment? = .platform
        /// Extension outputs of the client.
        public var clientExtensionResults = AuthenticationExtensionsClientOutputs()
        /// Extension outputs of the authenticator, in CBOR.
        public var authenticatorExtensions: [UInt8]?

        /// A platform authenticator with a verified person and synced passkeys.
        public init() {}
    }

    /// How an authenticator speaks of itself.
    public enum Attestation: Hashable, Sendable {
        /// Not at all.
        case none
        /// With the credential's own key.
        case packedSelf
    }

    /// A credential it holds.
    public struct Credential: Sendable {
        /// Its ID.
        public let id: CredentialID
        /// The RP ID it was made for.
        public let rpID: String
        /// Whose it is.
        public let user: PublicKeyCredentialUserEntity
        /// Its key.
        public let key: COSEPrivateKey
        /// Its counter.
        public var signCount: UInt32
    }

    /// Why it did not answer.
    public enum Refusal: Error, Hashable, Sendable {
        /// It holds one of the excluded credentials.
        case excluded
        /// None of the algorithms asked for is one it has.
        case noAlgorithm
        /// It holds no credential that was asked for.
        case noCredential
    }

    /// Whose page asks.
    public var origin: String
    /// The page that frames it, where one does.
    public var topOrigin: String?
    /// What the authenticator is and does.
    public var behaviour: Behaviour
    /// What is broken on purpose.
    public var faults = Faults()
    /// The credentials it holds, the newest last.
    public private(set) var credentials: [Credential] = []
    private let effects: Effects

    /// A fresh authenticator under a page of `origin`.
    public init(origin: String, behaviour: Behaviour = .init(), effects: Effects = .live) {
        self.origin = origin
        self.behaviour = behaviour
        self.effects = effects
    }

    /// Answers `navigator.credentials.create`.
    ///
    /// - Parameter options: What the relying party sent.
    /// - Returns: What a page would send back.
    /// - Throws: ``Refusal``, or `COSEError` when a key cannot be made.
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

    /// Answers `navigator.credentials.get` with the newest credential that fits.
    ///
    /// - Parameter options: What the relying party sent.
    /// - Returns: What a page would send back.
    /// - Throws: ``Refusal``, or `COSEError` when the key cannot sign.
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
