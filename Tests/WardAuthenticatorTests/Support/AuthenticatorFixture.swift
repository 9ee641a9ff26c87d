import Crypto
import Testing
import WardAuthenticator
import WardCBOR
import WardCOSE
import WardCTAP
import WardTesting
import WardWebAuthn

/// One authenticator with its store and its person, and a clock that stands still.
struct AuthenticatorFixture: Sendable {
    typealias Authenticator = SoftwareAuthenticator<MemoryPasskeys, ScriptedConsent>

    static let id = "example.com"
    static let hash = [UInt8](0..<32)
    static let anna = UserHandle([1, 2, 3])!
    static let bert = UserHandle([4, 5, 6])!

    let store = MemoryPasskeys(BothStores.keys)
    let consent = ScriptedConsent()
    let world = TestEffects(seed: "room")
    let authenticator: Authenticator

    init(_ configure: (inout AuthenticatorConfiguration) -> Void = { _ in }) {
        var configuration = AuthenticatorConfiguration()
        configure(&configuration)
        authenticator = Authenticator(
            store: store,
            consent: consent,
            configuration: configuration,
            effects: world.effects
        )
    }

    // MARK: Requests

    static func creation(
        _ user: UserHandle = anna,
        rpID: String = id,
        algorithms: [COSEAlgorithmIdentifier] = [.es256, .edDSA],
        _ change: (inout MakeCredentialRequest) -> Void = { _ in }
    ) -> MakeCredentialRequest {
        var request = MakeCredentialRequest(
            clientDataHash: hash,
            relyingParty: .init(id: rpID, name: "Example"),
            user: .init(id: user, name: "anna", displayName: "Anna"),
            pubKeyCredParams: algorithms.map { PublicKeyCredentialParameters($0) },
            options: .init(residentKey: true)
        )
        change(&request)
        return request
    }

    static func assertion(
        allowing ids: [CredentialID] = [],
        rpID: String = id,
        _ change: (inout GetAssertionRequest) -> Void = { _ in }
    ) -> GetAssertionRequest {
        var request = GetAssertionRequest(
            rpID: rpID,
            clientDataHash: hash,
            allowList: ids.map { PublicKeyCredentialDescriptor(id: $0) }
        )
        change(&request)
        return request
    }

    /// A passkey that is simply there.
    @discardableResult
    func keep(
        _ number: UInt8 = 1,
        of user: UserHandle = anna,
        rpID: String = id,
        protection: CredentialProtectionPolicy? = nil,
        isBackupEligible: Bool = true,
        isBackedUp: Bool = true,
        hmacSecrets: SoftwarePasskeyKey.HMACSecrets? = AuthenticatorFixture.secrets,
        createdAt: Int64 = 1_000,
        algorithm: COSEAlgorithmIdentifier = .es256,
        largeBlob: [UInt8]? = nil
    ) async throws -> MemoryPasskeyStore.Passkey {
        let info = PasskeyInfo(
            id: try #require(CredentialID([UInt8](repeating: number, count: 32))),
            rpID: rpID,
            userHandle: user,
            userName: "name\(number)",
            userDisplayName: "Name \(number)",
            algorithm: algorithm,
            protection: protection,
            isBackupEligible: isBackupEligible,
            isBackedUp: isBackedUp,
            createdAt: createdAt
        )
        let key = SoftwarePasskeyKey(privateKey: try COSEPrivateKey.generate(algorithm), hmacSecrets: hmacSecrets)
        return await store.add(info, key, largeBlob)
    }

    static let secrets = SoftwarePasskeyKey.HMACSecrets(
        withVerification: SymmetricKey(data: [UInt8](repeating: 0xaa, count: 32)),
        withoutVerification: SymmetricKey(data: [UInt8](repeating: 0xbb, count: 32))
    )

    /// What a salt gives under one of ``secrets``.
    static func result(_ salt: [UInt8], under key: UInt8) -> [UInt8] {
        let key = SymmetricKey(data: [UInt8](repeating: key, count: 32))
        return Array(HMAC<SHA256>.authenticationCode(for: salt, using: key))
    }

    // MARK: Asking

    func make(
        _ request: MakeCredentialRequest = creation(),
        in context: CeremonyContext = .init()
    ) async throws -> MakeCredentialResponse {
        try await authenticator.makeCredential(request, in: context)
    }

    func sign(
        _ request: GetAssertionRequest = assertion(),
        in context: CeremonyContext = .init()
    ) async throws -> GetAssertionResponse {
        try await authenticator.getAssertion(request, in: context)
    }

    /// The answer to every request is this status.
    func refuses(
        _ status: CTAPStatus,
        _ request: MakeCredentialRequest,
        in context: CeremonyContext = .init(),
        at location: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: status, sourceLocation: location) { try await make(request, in: context) }
    }

    func refuses(
        _ status: CTAPStatus,
        _ request: GetAssertionRequest,
        in context: CeremonyContext = .init(),
        at location: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: status, sourceLocation: location) { try await sign(request, in: context) }
    }
}

extension MakeCredentialResponse {
    var data: AuthenticatorData { get throws { try AuthenticatorData(authenticatorData) } }
    var id: CredentialID? {
        get throws { try data.attestedCredential.flatMap { CredentialID($0.credentialID) } }
    }
}

extension GetAssertionResponse {
    var data: AuthenticatorData { get throws { try AuthenticatorData(authenticatorData) } }

    /// Whether this passkey's key made the signature.
    func isSigned(by passkey: MemoryPasskeyStore.Passkey, over hash: [UInt8] = AuthenticatorFixture.hash) throws -> Bool
    {
        try passkey.key.publicKey.verificationKey()
            .isValid(signature: signature, for: authenticatorData + hash)
    }
}

extension CTAPExtensions {
    /// The signed outputs of authenticator data.
    init(of data: AuthenticatorData) throws {
        self.init()
        guard let bytes = data.extensions else { return }
        for pair in try CBORValue.decode(bytes).mapValue ?? [] {
            if let name = pair.key.textValue { self[.init(rawValue: name)] = pair.value }
        }
    }
}

extension MemoryPasskeyStore.Passkey {
    var id: CredentialID { info.id }
}
