import Testing
import WardAuthenticator
import WardCBOR
import WardCOSE
import WardCTAP
import WardTesting
import WardText
import WardWebAuthn

@Suite(.overBothStores) struct `Messages of a transport` {
    let fixture = AuthenticatorFixture()

    private func process(_ command: CTAPCommand, _ parameters: [UInt8] = [], channel: UInt64 = 0) async -> [UInt8] {
        await fixture.authenticator.process([command.rawValue] + parameters, in: CeremonyContext(channel: channel))
    }

    @Test func `a whole ceremony goes through messages`() async throws {
        let made = await process(.makeCredential, AuthenticatorFixture.creation().encoded)
        #expect(made.first == 0)
        let response = try MakeCredentialResponse(Array(made.dropFirst()))
        let id = try #require(try response.id)
        let signed = await process(.getAssertion, AuthenticatorFixture.assertion(allowing: [id]).encoded)
        #expect(signed.first == 0)
        let assertion = try GetAssertionResponse(Array(signed.dropFirst()))
        #expect(try assertion.isSigned(by: try #require(fixture.store.passkeys.first)))
        #expect(await process(.selection) == [0])
        let key = await process(
            .clientPIN,
            ClientPINRequest(pinUVAuthProtocol: .one, subcommand: .getKeyAgreement).encoded
        )
        #expect(try ClientPINResponse(Array(key.dropFirst())).keyAgreement != nil)
        try await fixture.keep(7, of: AuthenticatorFixture.bert)
        _ = await process(.getAssertion, AuthenticatorFixture.assertion().encoded)
        #expect(await process(.getNextAssertion).first == 0)
        #expect(await process(.getNextAssertion) == [CTAPStatus.notAllowed.rawValue])
    }

    @Test func `information is the same, less what goes in the clear`() async throws {
        let answer = await process(.getInfo)
        #expect(answer.first == 0)
        var expected = try await fixture.authenticator.info()
        #expect(expected.supports(.prf) && expected.supports(.largeBlob))
        expected.extensions = [.credProtect, .hmacSecret, .hmacSecretMC]
        #expect(try AuthenticatorInfo(Array(answer.dropFirst())) == expected)
        #expect(!expected.versions.contains("FIDO_2_2"))
        #expect(!expected.attestationFormats.contains("none"))
        #expect(expected.aaguid == .ward)
        #expect(expected.options[.residentKey] == true && expected.options[.userVerification] == true)
        #expect(expected.options[.clientPIN] == nil && expected.options[.pinUVAuthToken] == nil)
        #expect(expected.algorithms.map(\.alg) == [.es256, .edDSA, .mlDSA65])
        let open = AuthenticatorFixture { $0.takesDirectExtensionsInMessages = true }
        let offered = await open.authenticator.process([CTAPCommand.getInfo.rawValue], in: .init())
        #expect(try AuthenticatorInfo(Array(offered.dropFirst())).supports(.prf))
    }

    @Test(
        arguments: [(.unsupported, nil), (.notConfigured, false), (.ready, true)]
            as [(VerificationCapability, Bool?)]
    )
    func `information says whether persons can be verified`(
        capability: VerificationCapability,
        option: Bool?
    ) async throws {
        fixture.consent.set(capability)
        #expect(try await fixture.authenticator.info().options[.userVerification] == option)
    }

    @Test(arguments: [true, false])
    func `what goes in the clear is heard only where the transport encrypts`(isEncrypted: Bool) async throws {
        let fixture = AuthenticatorFixture { $0.takesDirectExtensionsInMessages = isEncrypted }
        let kept = try await fixture.keep(largeBlob: [9])
        let request = AuthenticatorFixture.assertion(allowing: [kept.id]) { request in
            request.extensions.set(prfInput: .init(eval: PRFSalts(first: AuthenticatorFixture.hash)))
            request.extensions.set(largeBlobInput: .init(read: true))
            request.options.userVerification = true
        }
        let message = [CTAPCommand.getAssertion.rawValue] + request.encoded
        let answer = await fixture.authenticator.process(message, in: .init())
        let response = try GetAssertionResponse(Array(answer.dropFirst()))
        #expect(response.unsignedExtensionOutputs.isEmpty != isEncrypted)
    }

    @Test func `no message is conditional`() async throws {
        fixture.consent.permitUpgrades()
        let message = [CTAPCommand.makeCredential.rawValue] + AuthenticatorFixture.creation().encoded
        let answer = await fixture.authenticator.process(message, in: CeremonyContext(isConditional: true))
        #expect(answer.first == 0)
        #expect(fixture.consent.upgrades.isEmpty && fixture.consent.questions.count == 1)
    }

    @Test(arguments: [0x00, 0x03, 0x05, 0x07, 0x09, 0x0a, 0x0c, 0x0d, 0x40, 0x41, 0xff] as [UInt8])
    func `other commands are none`(command: UInt8) async {
        #expect(await process(.init(rawValue: command)) == [CTAPStatus.invalidCommand.rawValue])
    }

    @Test func `no bytes, and too many, are answered`() async {
        #expect(await fixture.authenticator.process([], in: .init()) == [CTAPStatus.invalidLength.rawValue])
        let long = [UInt8](repeating: 1, count: 7_610)
        #expect(await fixture.authenticator.process(long, in: .init()) == [CTAPStatus.requestTooLarge.rawValue])
    }

    @Test(arguments: [CTAPCommand.getInfo, .getNextAssertion, .selection])
    func `commands without parameters take none`(command: CTAPCommand) async {
        #expect(await process(command, [0xa0]) == [CTAPStatus.invalidLength.rawValue])
        #expect(fixture.consent.questions.isEmpty)
    }

    @Test(
        arguments: [
            (.refused, .operationDenied), (.timedOut, .userActionTimeout), (.cancelled, .keepaliveCancel),
        ] as [(ConsentAnswer, CTAPStatus)]
    )
    func `a selection ends as the person ends it`(answer: ConsentAnswer, status: CTAPStatus) async {
        fixture.consent.answer(ScriptedConsent.always(answer))
        #expect(await process(.selection) == [status.rawValue])
        #expect(fixture.consent.questions.map(\.question) == [.selectAuthenticator])
        let question = fixture.consent.questions.first
        #expect(question?.rpID == nil && question?.wantsPresence == true)
    }

    @Test func `a selection that is taken back ends, whatever the person did`() async {
        fixture.consent.answer { _ in
            while !Task.isCancelled { await Task.yield() }
            return .agreed(.init(isPresent: true, isVerified: false))
        }
        let fixture = fixture
        let task = Task { await fixture.authenticator.process([CTAPCommand.selection.rawValue], in: .init()) }
        while fixture.consent.questions.isEmpty { await Task.yield() }
        task.cancel()
        #expect(await task.value == [CTAPStatus.keepaliveCancel.rawValue])
    }

    @Test func `the messages of others are understood`() async throws {
        guard let bytes = TestVectors.bytes("ctap/messages.json") else { return }
        let frame = try JSONValue(bytes)["cableFrames"]?["makeCredentialRequestFrame"]?.stringValue
        let message = try #require(frame.flatMap { TestVectors.bytes(hex: $0) }).dropFirst()
        let answer = await fixture.authenticator.process(Array(message), in: .init())
        #expect(answer.first == 0)
        #expect(fixture.store.passkeys.first?.info.rpID == "test.ctap")
    }
}

@Suite(.overBothStores) struct `Whatever a message is` {
    let fixture = AuthenticatorFixture()

    /// Messages that are answered well, one of each kind.
    private func messages() async throws -> [[UInt8]] {
        let kept = try await fixture.keep()
        let key = try await fixture.authenticator.clientPIN(
            ClientPINRequest(pinUVAuthProtocol: .two, subcommand: .getKeyAgreement),
            in: .init()
        ).keyAgreement
        let sealed = try HMACSecretInput.seal(
            PRFSalts(first: AuthenticatorFixture.hash)!,
            to: try #require(key),
            using: .two
        ).input
        let creation = AuthenticatorFixture.creation { request in
            request.extensions[.hmacSecret] = true
            request.extensions.set(hmacSecretInput: sealed, as: .hmacSecretMC)
            request.extensions.set(credProtect: .userVerificationOptional)
            request.excludeList = [.init(id: CredentialID([1])!, transports: [.usb])]
            request.attestationFormatsPreference = ["packed"]
        }
        let assertion = AuthenticatorFixture.assertion(allowing: [kept.id]) { request in
            request.extensions.set(hmacSecretInput: sealed, as: .hmacSecret)
            request.options.userVerification = true
        }
        return [
            [1] + creation.encoded, [2] + assertion.encoded, [2] + AuthenticatorFixture.assertion().encoded, [4],
            [6] + ClientPINRequest(pinUVAuthProtocol: .two, subcommand: .getKeyAgreement).encoded, [8], [0x0b],
        ]
    }

    /// A status byte, and behind a success what the command answers with.
    private func check(_ answer: [UInt8], to message: [UInt8]) throws {
        let status = try #require(answer.first)
        guard status == 0 else {
            #expect(answer.count == 1)
            return
        }
        let body = Array(answer.dropFirst())
        switch message.first {
        case 1: #expect(try MakeCredentialResponse(body).encoded == body)
        case 2, 8: #expect(try GetAssertionResponse(body).encoded == body)
        case 4: #expect(try AuthenticatorInfo(body).encoded == body)
        case 6: #expect(try ClientPINResponse(body).encoded == body)
        default: #expect(body.isEmpty)
        }
    }

    @Test func `every cut is answered`() async throws {
        for message in try await messages() {
            for length in 0...message.count {
                let cut = Array(message.prefix(length))
                try check(await fixture.authenticator.process(cut, in: .init()), to: cut)
            }
        }
    }

    @Test func `every flipped bit is answered`() async throws {
        for message in try await messages() {
            for index in message.indices {
                for bit in [0, 3, 5, 7] {
                    var flipped = message
                    flipped[index] ^= 1 << bit
                    try check(await fixture.authenticator.process(flipped, in: .init()), to: flipped)
                }
            }
        }
    }

    @Test func `random bytes behind every command are answered`() async throws {
        for command in UInt8.min ... .max {
            for length in [1, 7, 40] {
                let message = [command] + fixture.world.randomBytes(length)
                try check(await fixture.authenticator.process(message, in: .init()), to: message)
            }
        }
    }

    @Test func `many at once are answered as one after the other`() async throws {
        let fixture = fixture
        let messages = try await messages()
        await withTaskGroup(of: [UInt8].self) { group in
            for channel in 0..<64 {
                let message = messages[channel % messages.count]
                group.addTask {
                    await fixture.authenticator.process(message, in: CeremonyContext(channel: UInt64(channel)))
                }
            }
            for await answer in group { #expect(!answer.isEmpty) }
        }
    }
}

@Suite struct `What is printed` {
    @Test(arguments: MemoryPasskeyStore.Keys.allCases)
    func `no secret is`(keys: MemoryPasskeyStore.Keys) async throws {
        let fixture = BothStores.$keys.withValue(keys) { AuthenticatorFixture() }
        let kept = try await fixture.keep()
        let key = SoftwarePasskeyKey(privateKey: try .generate(), hmacSecrets: AuthenticatorFixture.secrets)
        let text =
            String(describing: kept) + String(reflecting: kept) + String(describing: key) + String(reflecting: key)
        var dumped = ""
        dump(kept, to: &dumped)
        dump(key, to: &dumped)
        dump(key.hmacSecrets, to: &dumped)
        for secret in [key.privateKey.rawRepresentation, [UInt8](repeating: 0xaa, count: 32)] {
            let decimal = secret.prefix(4).map(String.init).joined(separator: ", ")
            #expect(!(text + dumped).contains(decimal))
        }
        #expect(text.contains(AuthenticatorFixture.id))
        #expect("\(PasskeyStoreError(.full))" == "full")
        #expect("\(PasskeyStoreError(.locked, "why"))" == "locked: why")
    }
}
