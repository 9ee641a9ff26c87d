import Testing
import WardCTAP
import WardClient
import WardText
import WardWebAuthn

/// Salts for authenticators that take only encrypted ones.
@Suite struct `Encrypted salts` {
    private static let eval = "{\"prf\":{\"eval\":{\"first\":\"AQ\"}}}"

    private func inputs(_ json: String) throws -> AuthenticationExtensionsClientInputs {
        try AuthenticationExtensionsClientInputs(try JSONValue(Array(json.utf8)))
    }

    private func authenticator(
        _ extensions: [CTAPExtensions.Identifier],
        _ results: [UInt8]? = nil
    ) -> ScriptedAuthenticator {
        ScriptedAuthenticator {
            $0.info.extensions = extensions
            $0.info.pinUVAuthProtocols = [.two]
            $0.agreement = PINUVKeyAgreement()
            $0.secretResults = results
        }
    }

    private func create(_ authenticator: ScriptedAuthenticator) async throws {
        let extensions = try inputs(Self.eval)
        _ = try await WebAuthnClient(authenticator).create(
            ClientFixture.creation { $0.extensions = extensions },
            from: ClientFixture.caller()
        )
    }

    private func get(_ authenticator: ScriptedAuthenticator) async throws -> AuthenticationResponse {
        let extensions = try inputs(Self.eval)
        return try await WebAuthnClient(authenticator).get(
            ClientFixture.request { $0.extensions = extensions },
            from: ClientFixture.caller()
        )
    }

    /// An agreement nobody needs is a message to the authenticator that may fail, and a key that nobody uses.
    @Test(
        arguments: [
            ([.prf, .hmacSecret, .hmacSecretMC], false), ([.prf], false), ([], false), ([.hmacSecret], false),
            ([.hmacSecretMC], false), ([.hmacSecret, .hmacSecretMC], true),
        ] as [([CTAPExtensions.Identifier], Bool)]
    )
    func `are agreed on at a registration only if the authenticator needs and takes them`(
        extensions: [CTAPExtensions.Identifier],
        isSealed: Bool
    ) async throws {
        let authenticator = authenticator(extensions)
        try await create(authenticator)
        #expect(authenticator.seen.agreements == (isSealed ? 1 : 0))
        let sent = try #require(authenticator.seen.made.first?.extensions)
        #expect((try sent.hmacSecretInput(.hmacSecretMC) != nil) == isSealed)
    }

    @Test(
        arguments: [
            ([.prf, .hmacSecret], false), ([.prf], false), ([], false), ([.hmacSecret], true),
        ] as [([CTAPExtensions.Identifier], Bool)]
    )
    func `are agreed on at a sign-in only if the authenticator needs and takes them`(
        extensions: [CTAPExtensions.Identifier],
        isSealed: Bool
    ) async throws {
        let authenticator = authenticator(extensions)
        try await create(authenticator)
        authenticator.change { $0.agreements = 0 }
        _ = try await get(authenticator)
        #expect(authenticator.seen.agreements == (isSealed ? 1 : 0))
        let sent = try #require(authenticator.seen.got.last?.extensions)
        #expect((sent[.hmacSecret] != nil) == isSealed)
    }

    /// A page takes the results for keys, so half a result must not reach it.
    @Test(arguments: [(32, 1), (64, 2), (16, 0), (48, 0), (80, 0)])
    func `bring results of 32 bytes each, or none`(length: Int, results: Int) async throws {
        let authenticator = authenticator([.hmacSecret], [UInt8](repeating: 5, count: length))
        try await create(authenticator)
        let prf = try await get(authenticator).clientExtensionResults.value["prf"]?["results"]
        #expect([prf?["first"], prf?["second"]].compactMap { $0 }.count == results)
    }
}
