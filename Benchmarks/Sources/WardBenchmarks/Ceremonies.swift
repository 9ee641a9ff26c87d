import Crypto
import WardCBOR
import WardRelyingParty
import WardTesting
import WardWebAuthn

/// One registration and one sign-in that were really made, with everything that checking them again takes.
struct Ceremonies {
    let relyingParty: RelyingParty
    let registrationCeremony: Ceremony
    let registration: RegistrationResponse
    let registrationJSON: [UInt8]
    let authenticationCeremony: Ceremony
    let authentication: AuthenticationResponse
    let authenticationJSON: [UInt8]
    let record: CredentialRecord
    let x963: [UInt8]
    let signedData: [UInt8]

    init(
        attestation: VirtualAuthenticator.Attestation = .none,
        policy: RelyingPartyPolicy = .init(),
        faults: Faults = .init()
    ) throws {
        let world = TestEffects()
        relyingParty = try RelyingParty(
            id: "example.com",
            name: "Example",
            origins: ["https://example.com"],
            policy: policy,
            effects: world.effects
        )
        var authenticator = VirtualAuthenticator(origin: "https://example.com", effects: world.effects)
        authenticator.behaviour.attestation = attestation
        authenticator.faults = faults
        let user = PublicKeyCredentialUserEntity(id: .random(world.effects), name: "anna", displayName: "Anna")
        let (creation, registrationCeremony) = relyingParty.registrationOptions(for: user)
        registration = try authenticator.create(creation)
        registrationJSON = registration.json
        self.registrationCeremony = registrationCeremony
        record = try relyingParty.verify(registration, for: registrationCeremony).credential
        let (request, authenticationCeremony) = relyingParty.authenticationOptions()
        authentication = try authenticator.get(request)
        authenticationJSON = authentication.json
        self.authenticationCeremony = authenticationCeremony
        let key = try P256.Signing.PublicKey(x963Representation: [4] + Self.coordinates(record.publicKey))
        x963 = Array(key.x963Representation)
        signedData = authentication.authenticatorData + SHA256.hash(data: authentication.clientDataJSON)
    }

    private static func coordinates(_ cose: [UInt8]) throws -> [UInt8] {
        guard case .map(let pairs) = try CBORValue.decode(cose, rules: .ctap2) else { return [] }
        return pairs.reduce(into: []) { output, pair in
            if case .negative(let key) = pair.key, key == 1 || key == 2, case .bytes(let bytes) = pair.value {
                output += bytes
            }
        }
    }

    /// The bare verification: the stored key imported, the signature read, the same data.
    func bareVerification() -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: x963),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: authentication.signature)
        else { return false }
        return key.isValidSignature(signature, for: signedData)
    }

    func repeatBareVerification(_ count: Int) {
        for _ in 0..<count { precondition(bareVerification()) }
    }
}
