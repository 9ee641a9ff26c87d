import Crypto
import Testing
import WardAuthenticator
import WardCOSE
import WardCTAP
import WardRelyingParty
import WardTesting
import WardWebAuthn

/// From a relying party's options to its verdict, with nothing between it and the authenticator but client data.
@Suite(.overBothStores) struct `A relying party's verdict` {
    static let origin = "https://login.example.com"
    let fixture = AuthenticatorFixture()

    private func relyingParty() throws -> RelyingParty {
        var policy = RelyingPartyPolicy()
        policy.backupEligibilityChange = .refuse
        policy.signCountRegress = .refuse
        policy.algorithms = SoftwarePasskeyKey.algorithms
        return try RelyingParty(
            id: AuthenticatorFixture.id,
            name: "Example",
            origins: [Self.origin],
            policy: policy,
            effects: fixture.world.effects
        )
    }

    private func clientData(_ type: String, _ challenge: Challenge) -> [UInt8] {
        CollectedClientData(
            type: type,
            challenge: challenge.base64URL,
            origin: Self.origin,
            crossOrigin: false,
            topOrigin: nil
        ).serialized
    }

    private func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    private func register(
        _ relyingParty: RelyingParty,
        _ algorithm: COSEAlgorithmIdentifier,
        _ format: String
    ) async throws -> VerifiedRegistration {
        let user = PublicKeyCredentialUserEntity(id: AuthenticatorFixture.anna, name: "anna", displayName: "Anna")
        let (options, ceremony) = relyingParty.registrationOptions(for: user, request: .init())
        let clientData = clientData("webauthn.create", options.challenge)
        let request = MakeCredentialRequest(
            clientDataHash: hash(clientData),
            relyingParty: .init(id: options.rp.id ?? "", name: options.rp.name),
            user: .init(id: user.id, name: user.name, displayName: user.displayName),
            pubKeyCredParams: [.init(algorithm)],
            options: .init(residentKey: true, userVerification: true),
            attestationFormatsPreference: [format]
        )
        let made = try await fixture.make(request)
        #expect(made.format == format)
        let response = RegistrationResponse(
            id: try #require(try made.id),
            clientDataJSON: clientData,
            attestationObject: made.attestationObject,
            transports: [.internal],
            authenticatorAttachment: .platform
        )
        return try relyingParty.verify(response, for: ceremony)
    }

    @Test(arguments: SoftwarePasskeyKey.algorithms, ["none", "packed"])
    func `registrations and sign-ins are accepted`(
        algorithm: COSEAlgorithmIdentifier,
        format: String
    ) async throws {
        let relyingParty = try relyingParty()
        let record = try await register(relyingParty, algorithm, format).credential
        #expect(record.backupEligible == (BothStores.keys == .software) && !record.backedUp)

        for isNamed in [true, false] {
            let allowing = isNamed ? [record.descriptor] : []
            let (options, ceremony) = relyingParty.authenticationOptions(
                allowing: allowing,
                user: nil,
                request: .init()
            )
            let clientData = clientData("webauthn.get", options.challenge)
            let request = GetAssertionRequest(
                rpID: AuthenticatorFixture.id,
                clientDataHash: hash(clientData),
                allowList: options.allowCredentials,
                options: .init(userVerification: true)
            )
            let signed = try await fixture.sign(request)
            let response = AuthenticationResponse(
                id: try #require(signed.credential?.id),
                clientDataJSON: clientData,
                authenticatorData: signed.authenticatorData,
                signature: signed.signature,
                userHandle: signed.user?.id,
                authenticatorAttachment: .platform
            )
            _ = try relyingParty.verify(response, for: ceremony, record: record)
            // The same answer to another question is not.
            let (_, other) = relyingParty.authenticationOptions(allowing: allowing, user: nil, request: .init())
            #expect(throws: VerificationError.self) { try relyingParty.verify(response, for: other, record: record) }
        }
    }
}
