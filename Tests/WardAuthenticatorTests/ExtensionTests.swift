import Crypto
import Testing
import WardAuthenticator
import WardCBOR
import WardCTAP
import WardTesting
import WardText
import WardWebAuthn

/// Salts of two kinds.
private let one = PRFSalts(first: [UInt8](repeating: 1, count: 32))!
private let two = PRFSalts(first: [UInt8](repeating: 2, count: 32), second: [UInt8](repeating: 3, count: 32))!

@Suite(.overBothStores) struct `hmac-secret` {
    let fixture = AuthenticatorFixture()

    private func key(_ number: PINUVAuthProtocol) async throws -> KeyAgreementKey {
        let request = ClientPINRequest(pinUVAuthProtocol: number, subcommand: .getKeyAgreement)
        return try #require(try await fixture.authenticator.clientPIN(request, in: .init()).keyAgreement)
    }

    private func seal(
        _ salts: PRFSalts,
        _ number: PINUVAuthProtocol
    ) async throws -> (HMACSecretInput, PINUVSharedSecret) {
        try HMACSecretInput.seal(salts, to: try await key(number), using: number)
    }

    @Test(arguments: [PINUVAuthProtocol.one, .two], [true, false])
    func `one or two results cross the wire, and another secret stands behind verified persons`(
        number: PINUVAuthProtocol,
        isVerified: Bool
    ) async throws {
        let kept = try await fixture.keep()
        for salts in [one, two] {
            let (input, secret) = try await seal(salts, number)
            let request = AuthenticatorFixture.assertion(allowing: [kept.id]) { request in
                request.extensions.set(hmacSecretInput: input, as: .hmacSecret)
                request.options.userVerification = isVerified
            }
            let response = try await fixture.sign(request)
            let outputs = try CTAPExtensions(of: response.data)
            let opened = try secret.decrypt(try #require(try outputs.hmacSecretOutput(.hmacSecret)))
            let under: UInt8 = isVerified ? 0xaa : 0xbb
            let expected = [salts.first, salts.second].compactMap { $0 }.flatMap {
                AuthenticatorFixture.result($0, under: under)
            }
            #expect(opened == expected)
            #expect(try response.isSigned(by: kept))
            #expect(outputs.identifiers == [.hmacSecret] && response.unsignedExtensionOutputs.isEmpty)
        }
    }

    @Test func `where another manager kept one secret there is nothing for others`() async throws {
        let secrets = SoftwarePasskeyKey.HMACSecrets(
            withVerification: AuthenticatorFixture.secrets.withVerification,
            withoutVerification: nil
        )
        let kept = try await fixture.keep(hmacSecrets: secrets)
        let (input, _) = try await seal(one, .two)
        let request = AuthenticatorFixture.assertion(allowing: [kept.id]) {
            $0.extensions.set(hmacSecretInput: input, as: .hmacSecret)
        }
        #expect(try await fixture.sign(request).data.extensions == nil)
        var verified = request
        verified.options.userVerification = true
        #expect(try await fixture.sign(verified).data.extensions != nil)
    }

    @Test func `salts that somebody touched end the request before anybody is asked`() async throws {
        let kept = try await fixture.keep()
        let (input, _) = try await seal(one, .two)
        var touched = input
        touched.saltAuth[0] ^= 1
        let wrong = touched
        await fixture.refuses(
            .pinAuthInvalid,
            AuthenticatorFixture.assertion(allowing: [kept.id]) {
                $0.extensions.set(hmacSecretInput: wrong, as: .hmacSecret)
            }
        )
        var unknown = input
        unknown.pinUVAuthProtocol = .init(rawValue: 3)
        let strange = unknown
        await fixture.refuses(
            .invalidParameter,
            AuthenticatorFixture.assertion(allowing: [kept.id]) {
                $0.extensions.set(hmacSecretInput: strange, as: .hmacSecret)
            }
        )
        await fixture.refuses(
            .cborUnexpectedType,
            AuthenticatorFixture.assertion(allowing: [kept.id]) { $0.extensions[.hmacSecret] = true }
        )
        #expect(fixture.consent.questions.isEmpty)
    }

    @Test func `without a person there are no secrets`() async throws {
        let kept = try await fixture.keep()
        let (input, _) = try await seal(one, .two)
        let request = AuthenticatorFixture.assertion(allowing: [kept.id]) { request in
            request.extensions.set(hmacSecretInput: input, as: .hmacSecret)
            request.options.userPresence = false
        }
        await fixture.refuses(.unsupportedOption, request)
    }

    @Test func `a new passkey says that it has the secrets, and gives results at once`() async throws {
        let (input, secret) = try await seal(two, .two)
        let request = AuthenticatorFixture.creation { request in
            request.extensions[.hmacSecret] = true
            request.extensions.set(hmacSecretInput: input, as: .hmacSecretMC)
            request.options.userVerification = true
        }
        let made = try await fixture.make(request)
        let outputs = try CTAPExtensions(of: made.data)
        #expect(try outputs.flag(.hmacSecret) == true)
        let atOnce = try secret.decrypt(try #require(try outputs.hmacSecretOutput(.hmacSecretMC)))

        // The same salts give the same results ever after.
        let (again, secretThen) = try await seal(two, .one)
        let signed = try await fixture.sign(
            AuthenticatorFixture.assertion { request in
                request.extensions.set(hmacSecretInput: again, as: .hmacSecret)
                request.options.userVerification = true
            }
        )
        let later = try #require(try CTAPExtensions(of: signed.data).hmacSecretOutput(.hmacSecret))
        #expect(try secretThen.decrypt(later) == atOnce)
        #expect(atOnce.count == 64)
    }

    @Test func `results at once need hmac-secret beside them`() async throws {
        let (input, _) = try await seal(two, .two)
        await fixture.refuses(
            .invalidParameter,
            AuthenticatorFixture.creation { $0.extensions.set(hmacSecretInput: input, as: .hmacSecretMC) }
        )
        #expect(fixture.consent.questions.isEmpty)
    }

    @Test func `a passkey that was not asked for it says nothing of it`() async throws {
        #expect(
            try await fixture.make(AuthenticatorFixture.creation { $0.extensions[.hmacSecret] = false }).data.extensions
                == nil
        )
        #expect(fixture.store.passkeys.first?.key.hasHMACSecret == true)
    }

    @Test func `every passkey that follows answers with its own secret`() async throws {
        try await fixture.keep(1, createdAt: 1)
        let other = SoftwarePasskeyKey.HMACSecrets(withVerification: .init(size: .bits256), withoutVerification: nil)
        try await fixture.keep(2, of: AuthenticatorFixture.bert, hmacSecrets: other, createdAt: 2)
        let (input, secret) = try await seal(one, .two)
        _ = try await fixture.sign(
            AuthenticatorFixture.assertion { request in
                request.extensions.set(hmacSecretInput: input, as: .hmacSecret)
                request.options.userVerification = true
            }
        )
        let next = try await fixture.authenticator.getNextAssertion(in: .init())
        let output = try #require(try CTAPExtensions(of: next.data).hmacSecretOutput(.hmacSecret))
        #expect(try secret.decrypt(output) == AuthenticatorFixture.result(one.first, under: 0xaa))
    }

    @Test func `there is no other subcommand and no PIN`() async throws {
        for number in [1, 3, 4, 5, 6, 7, 9, 99] {
            let request = ClientPINRequest(pinUVAuthProtocol: .two, subcommand: .init(rawValue: number))
            await #expect(throws: CTAPStatus.invalidSubcommand) {
                try await fixture.authenticator.clientPIN(request, in: .init())
            }
        }
        let without = ClientPINRequest(pinUVAuthProtocol: nil, subcommand: .getKeyAgreement)
        await #expect(throws: CTAPStatus.missingParameter) {
            try await fixture.authenticator.clientPIN(without, in: .init())
        }
        let unknown = ClientPINRequest(pinUVAuthProtocol: .init(rawValue: 3), subcommand: .getKeyAgreement)
        await #expect(throws: CTAPStatus.invalidParameter) {
            try await fixture.authenticator.clientPIN(unknown, in: .init())
        }
        #expect(try await key(.one) != key(.two))
        #expect(try await key(.two) == key(.two))
    }
}

@Suite(.overBothStores) struct `prf for a client in the same process` {
    let fixture = AuthenticatorFixture()

    @Test func `results come in the clear, unsigned, and from the secret of verified persons`() async throws {
        let kept = try await fixture.keep()
        let request = AuthenticatorFixture.assertion(allowing: [kept.id]) { request in
            request.extensions.set(prfInput: PRFExtensionInput(eval: two))
            request.options.userVerification = true
        }
        let response = try await fixture.sign(request)
        let results = try #require(try response.unsignedExtensionOutputs.prfOutput()?.results)
        #expect(results.first == AuthenticatorFixture.result(two.first, under: 0xaa))
        #expect(results.second == two.second.map { AuthenticatorFixture.result($0, under: 0xaa) })
        #expect(try response.data.extensions == nil)
    }

    @Test func `nobody else has results`() async throws {
        let kept = try await fixture.keep()
        let request = AuthenticatorFixture.assertion(allowing: [kept.id]) {
            $0.extensions.set(prfInput: .init(eval: one))
        }
        #expect(try await fixture.sign(request).unsignedExtensionOutputs.isEmpty)
        let silent = AuthenticatorFixture.assertion(allowing: [kept.id]) { request in
            request.extensions.set(prfInput: .init(eval: one))
            request.options.userPresence = false
        }
        await fixture.refuses(.unsupportedOption, silent)
    }

    @Test func `salts of a credential go first, and only where it was named`() async throws {
        let kept = try await fixture.keep()
        let input = PRFExtensionInput(eval: one, evalByCredential: [kept.id: two])
        func results(_ request: GetAssertionRequest) async throws -> PRFInputs.Values? {
            var request = request
            request.extensions.set(prfInput: input)
            request.options.userVerification = true
            return try await fixture.sign(request).unsignedExtensionOutputs.prfOutput()?.results
        }
        #expect(
            try await results(AuthenticatorFixture.assertion(allowing: [kept.id]))?.first
                == AuthenticatorFixture.result(two.first, under: 0xaa)
        )
        #expect(
            try await results(AuthenticatorFixture.assertion())?.first
                == AuthenticatorFixture.result(one.first, under: 0xaa)
        )
    }

    @Test(arguments: [true, false])
    func `a new passkey is enabled, and gives results to verified persons`(isVerified: Bool) async throws {
        let request = AuthenticatorFixture.creation { request in
            request.extensions.set(prfInput: PRFExtensionInput(eval: one))
            request.options.userVerification = isVerified
        }
        let output = try #require(try await fixture.make(request).unsignedExtensionOutputs.prfOutput())
        #expect(output.enabled == true)
        #expect((output.results != nil) == isVerified)
        guard isVerified else { return }
        let again = AuthenticatorFixture.assertion { request in
            request.extensions.set(prfInput: PRFExtensionInput(eval: one))
            request.options.userVerification = true
        }
        #expect(try await fixture.sign(again).unsignedExtensionOutputs.prfOutput()?.results == output.results)
    }

    @Test func `a malformed input ends the request before anybody is asked`() async throws {
        try await fixture.keep()
        await fixture.refuses(.cborUnexpectedType, AuthenticatorFixture.assertion { $0.extensions[.prf] = true })
        await fixture.refuses(.cborUnexpectedType, AuthenticatorFixture.creation { $0.extensions[.prf] = true })
        #expect(fixture.consent.questions.isEmpty)
    }

    @Test(arguments: 0..<3)
    func `the standard's PRF cases come out`(index: Int) async throws {
        guard let bytes = TestVectors.bytes("webauthn-l3.json") else { return }
        let prf = try #require(try JSONValue(bytes)["prf"])
        func value(_ value: JSONValue?) throws -> [UInt8] {
            try #require(value?.stringValue.flatMap { TestVectors.bytes(hex: $0) })
        }
        let example = try #require(prf["cases"]?.arrayValue?[index])
        let secret = try value(prf["hmacSecret"]?["authenticator_cred_random"])
        let kept = try await fixture.keep(
            hmacSecrets: .init(withVerification: .init(data: secret), withoutVerification: nil)
        )
        let second = try example["prf_eval_second"].map { try value($0) }
        let inputs = PRFInputs.Values(first: try value(example["prf_eval_first"]), second: second)
        let request = AuthenticatorFixture.assertion(allowing: [kept.id]) { request in
            request.extensions.set(prfInput: PRFExtensionInput(eval: PRFSalts(hashing: inputs)))
            request.options.userVerification = true
        }
        let results = try #require(try await fixture.sign(request).unsignedExtensionOutputs.prfOutput()?.results)
        #expect(results.first == (try value(example["prf_results_first"])))
        #expect(try results.second == example["prf_results_second"].map { try value($0) })
    }
}

@Suite(.overBothStores) struct `Small extensions` {
    let fixture = AuthenticatorFixture()

    @Test(arguments: 1...3) func `a level is kept and signed`(level: Int) async throws {
        let policy = try #require(CredentialProtectionPolicy(level: UInt64(level)))
        let made = try await fixture.make(AuthenticatorFixture.creation { $0.extensions.set(credProtect: policy) })
        #expect(try CTAPExtensions(of: made.data).credProtect() == policy)
        #expect(fixture.store.passkeys.first?.info.protection == policy)
    }

    @Test func `an unknown level ends the request`() async {
        await fixture.refuses(.invalidParameter, AuthenticatorFixture.creation { $0.extensions[.credProtect] = 4 })
        #expect(fixture.consent.questions.isEmpty)
    }

    @Test func `what is not known is ignored, and the length of PINs with it`() async throws {
        let made = try await fixture.make(
            AuthenticatorFixture.creation {
                $0.extensions = [.minPinLength: true, "future": 1, .credBlob: .bytes([1])]
            }
        )
        #expect(try made.data.extensions == nil && made.unsignedExtensionOutputs.isEmpty)
    }

    @Test func `the client learns that a passkey is discoverable`() async throws {
        let made = try await fixture.make(AuthenticatorFixture.creation { $0.extensions[.credProps] = true })
        #expect(try made.unsignedExtensionOutputs.isDiscoverable() == true)
        #expect(try made.data.extensions == nil)
    }

    @Test func `a blob is written, read and read no more than asked for`() async throws {
        let made = try await fixture.make(
            AuthenticatorFixture.creation { $0.extensions.set(largeBlobInput: .init(support: .preferred)) }
        )
        #expect(try made.unsignedExtensionOutputs.largeBlobOutput()?.supported == true)
        let id = try #require(try made.id)
        func outputs(_ input: LargeBlobInputs) async throws -> LargeBlobOutputs? {
            let request = AuthenticatorFixture.assertion(allowing: [id]) { $0.extensions.set(largeBlobInput: input) }
            return try await fixture.sign(request).unsignedExtensionOutputs.largeBlobOutput()
        }
        #expect(try await outputs(.init(read: true)) == nil)
        #expect(try await outputs(.init(write: [1, 2, 3])) == LargeBlobOutputs(written: true))
        #expect(try await outputs(.init(read: true)) == LargeBlobOutputs(blob: [1, 2, 3]))
        #expect(try await outputs(.init(read: false)) == nil)
        #expect(fixture.store.passkeys.first?.largeBlob == [1, 2, 3])
    }

    @Test func `a blob that is too long, or that the store refuses, is not written`() async throws {
        let fixture = AuthenticatorFixture { $0.maximumLargeBlobLength = 4 }
        let kept = try await fixture.keep(largeBlob: [9])
        func written(_ blob: [UInt8]) async throws -> Bool? {
            let request = AuthenticatorFixture.assertion(allowing: [kept.id]) {
                $0.extensions.set(largeBlobInput: .init(write: blob))
            }
            let response = try await fixture.sign(request)
            #expect(try response.isSigned(by: kept))
            return try response.unsignedExtensionOutputs.largeBlobOutput()?.written
        }
        #expect(try await written([1, 2, 3, 4, 5]) == false)
        #expect(fixture.store.passkeys.first?.largeBlob == [9])
        #expect(try await written([1, 2, 3, 4]) == true)
        fixture.store.fail(at: .write, with: .full)
        #expect(try await written([5]) == false)
        #expect(fixture.store.passkeys.first?.largeBlob == [1, 2, 3, 4])
    }

    @Test func `a blob is written with one named passkey, one thing at a time, and a person`() async throws {
        let kept = try await fixture.keep()
        let other = try #require(CredentialID([9]))
        let write = LargeBlobInputs(write: [1])
        await fixture.refuses(
            .invalidParameter,
            AuthenticatorFixture.assertion { $0.extensions.set(largeBlobInput: write) }
        )
        await fixture.refuses(
            .invalidParameter,
            AuthenticatorFixture.assertion(allowing: [kept.id, other]) { $0.extensions.set(largeBlobInput: write) }
        )
        await fixture.refuses(
            .invalidParameter,
            AuthenticatorFixture.assertion(allowing: [kept.id]) {
                $0.extensions.set(largeBlobInput: .init(read: true, write: [1]))
            }
        )
        for input in [write, LargeBlobInputs(read: true)] {
            let silent = AuthenticatorFixture.assertion(allowing: [kept.id]) { request in
                request.extensions.set(largeBlobInput: input)
                request.options.userPresence = false
            }
            await fixture.refuses(.unsupportedOption, silent)
        }
        #expect(fixture.store.passkeys.first?.largeBlob == nil && fixture.consent.questions.isEmpty)
    }
}
