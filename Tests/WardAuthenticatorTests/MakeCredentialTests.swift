import Testing
import WardAuthenticator
import WardCBOR
import WardCOSE
import WardCTAP
import WardTesting
import WardWebAuthn

@Suite(.overBothStores) struct `Making a passkey` {
    let fixture = AuthenticatorFixture()

    @Test func `what is answered is what is kept`() async throws {
        let response = try await fixture.make()
        let data = try response.data
        let kept = try #require(fixture.store.passkeys.first)
        let credential = try #require(data.attestedCredential)
        #expect(fixture.store.passkeys.count == 1)
        #expect(credential.credentialID == kept.id.bytes && kept.id.bytes.count == 32)
        #expect(credential.publicKey == kept.key.publicKey)
        #expect(credential.aaguid == .ward && AAGUID.ward != .zero)
        #expect(kept.info.rpID == AuthenticatorFixture.id && kept.rpName == "Example")
        #expect(
            kept.info.userHandle == AuthenticatorFixture.anna && kept.info.userName == "anna"
                && kept.info.userDisplayName == "Anna"
        )
        #expect(kept.info.createdAt == fixture.world.now && !kept.isUpgrade && kept.largeBlob == nil)
        #expect(response.format == "none" && response.attestationStatement == .map([]))
        #expect(data.signCount == 0)
        #expect(data.extensions == nil && response.unsignedExtensionOutputs.isEmpty)
    }

    @Test func `no two passkeys share a name, a key or a secret`() async throws {
        _ = try await fixture.make(AuthenticatorFixture.creation(AuthenticatorFixture.anna))
        _ = try await fixture.make(AuthenticatorFixture.creation(AuthenticatorFixture.bert))
        let kept = fixture.store.passkeys
        #expect(Set(kept.map(\.id)).count == 2)
        #expect(Set(kept.map(\.key.publicKey)).count == 2)
        let salt = try #require(PRFSalts(first: AuthenticatorFixture.hash))
        var results: Set<PRFSalts> = []
        for passkey in kept {
            for isVerified in [true, false] {
                let result = try await passkey.key.hmacSecret(of: salt, isVerified: isVerified)
                results.insert(try #require(result))
            }
        }
        #expect(results.count == 4)
    }

    // MARK: Steps 1 and 2

    @Test func `an empty parameter waits for a touch and says that there is no PIN`() async {
        await fixture.refuses(.pinNotSet, AuthenticatorFixture.creation { $0.pinUVAuthParam = [] })
        #expect(fixture.consent.questions.map(\.question) == [.selectAuthenticator])
        fixture.consent.answer(ScriptedConsent.always(.refused))
        await fixture.refuses(.operationDenied, AuthenticatorFixture.creation { $0.pinUVAuthParam = [] })
        #expect(fixture.store.passkeys.isEmpty)
    }

    @Test(
        arguments: [(nil, .missingParameter), (3, .invalidParameter), (1, .pinAuthInvalid), (2, .pinAuthInvalid)]
            as [(Int?, CTAPStatus)]
    )
    func `no token is valid, and its protocol is looked at first`(number: Int?, status: CTAPStatus) async {
        let request = AuthenticatorFixture.creation { request in
            request.pinUVAuthParam = AuthenticatorFixture.hash
            request.pinUVAuthProtocol = number.map(PINUVAuthProtocol.init)
        }
        await fixture.refuses(status, request)
        #expect(fixture.consent.questions.isEmpty)
    }

    // MARK: Step 3

    @Test(
        arguments: [
            ([.es256, .edDSA], .es256), ([.edDSA, .es256], .edDSA), ([.rs256, .edDSA], .edDSA),
            ([.mlDSA65, .es256], .mlDSA65), ([.es256, .mlDSA65], .es256), ([.mlDSA44, .mlDSA87, .es256], .es256),
        ] as [([COSEAlgorithmIdentifier], COSEAlgorithmIdentifier)]
    )
    func `the first algorithm that is known is taken`(
        algorithms: [COSEAlgorithmIdentifier],
        expected: COSEAlgorithmIdentifier
    ) async throws {
        let response = try await fixture.make(AuthenticatorFixture.creation(algorithms: algorithms))
        #expect(try response.data.attestedCredential?.publicKey.algorithm == expected)
    }

    @Test func `without a known algorithm nobody is asked`() async {
        await fixture.refuses(.unsupportedAlgorithm, AuthenticatorFixture.creation(algorithms: [.rs256]))
        await fixture.refuses(.unsupportedAlgorithm, AuthenticatorFixture.creation(algorithms: []))
        await fixture.refuses(
            .unsupportedAlgorithm,
            AuthenticatorFixture.creation {
                $0.pubKeyCredParams[0].type = "other"; $0.pubKeyCredParams.removeLast()
            }
        )
        #expect(fixture.consent.questions.isEmpty)
    }

    // MARK: Step 5

    @Test func `presence cannot be turned off`() async {
        await fixture.refuses(.invalidOption, AuthenticatorFixture.creation { $0.options.userPresence = false })
        #expect(fixture.consent.questions.isEmpty)
    }

    @Test func `unknown options count as absent`() async throws {
        _ = try await fixture.make(
            AuthenticatorFixture.creation { $0.options.unknown = [CBORPair(key: "future", value: true)] }
        )
        #expect(fixture.store.passkeys.count == 1)
    }

    @Test(arguments: [VerificationCapability.unsupported, .notConfigured])
    func `verification that cannot be had is refused`(capability: VerificationCapability) async throws {
        fixture.consent.set(capability)
        await fixture.refuses(.invalidOption, AuthenticatorFixture.creation { $0.options.userVerification = true })
        #expect(fixture.consent.questions.isEmpty)
        _ = try await fixture.make(AuthenticatorFixture.creation { $0.options.userVerification = false })
    }

    @Test func `a token's parameter turns verification off`() async {
        // The token is refused, but not because verification could not be had: the parameter came first.
        fixture.consent.set(.unsupported)
        let request = AuthenticatorFixture.creation { request in
            request.options.userVerification = true
            request.pinUVAuthParam = AuthenticatorFixture.hash
            request.pinUVAuthProtocol = .two
        }
        await fixture.refuses(.pinAuthInvalid, request)
    }

    @Test func `a passkey is discoverable even where that was not asked for`() async throws {
        let made = try await fixture.make(AuthenticatorFixture.creation { $0.options.residentKey = false })
        let signed = try await fixture.sign()
        #expect(try signed.credential?.id == made.id)
    }

    // MARK: Step 9 and bounds

    @Test func `enterprise attestation is not offered`() async {
        await fixture.refuses(.invalidParameter, AuthenticatorFixture.creation { $0.enterpriseAttestation = 1 })
    }

    @Test func `lists and hashes are bounded`() async throws {
        let fixture = AuthenticatorFixture { $0.maximumCredentialCountInList = 2 }
        let ids = try (1...3).map { try #require(CredentialID([$0])) }
        await fixture.refuses(
            .limitExceeded,
            AuthenticatorFixture.creation { $0.excludeList = ids.map { .init(id: $0) } }
        )
        await fixture.refuses(.invalidLength, AuthenticatorFixture.creation { $0.clientDataHash = [1] })
        _ = try await fixture.make(
            AuthenticatorFixture.creation { $0.excludeList = ids.prefix(2).map { .init(id: $0) } }
        )
    }

    @Test func `long names are cut between characters`() async throws {
        let name = String(repeating: "é", count: 1_000)
        let request = AuthenticatorFixture.creation { request in
            request.user.name = name
            request.user.displayName = nil
            request.relyingParty.name = name
        }
        _ = try await fixture.make(request)
        let kept = try #require(fixture.store.passkeys.first)
        #expect(kept.info.userName == String(repeating: "é", count: 512))
        #expect(kept.rpName.utf8.count == 1_024)
        #expect(kept.info.userDisplayName.isEmpty)
    }

    // MARK: Consent and flags

    @Test func `the prompt says all there is to say`() async throws {
        let context = CeremonyContext(
            channel: 4,
            origin: try Origin("https://login.example.com"),
            caller: .init(name: "Browser", processID: 7),
            timeout: .seconds(60)
        )
        _ = try await fixture.make(AuthenticatorFixture.creation { $0.options.userVerification = true }, in: context)
        let question = try #require(fixture.consent.questions.first)
        #expect(question.context == context)
        #expect(question.rpID == AuthenticatorFixture.id && question.rpName == "Example")
        #expect(question.wantsPresence && question.wantsVerification)
        guard case .makePasskey(let account, let replacing, let isExcluded) = question.question else {
            Issue.record("another question")
            return
        }
        #expect(
            account.userHandle == AuthenticatorFixture.anna && account.name == "anna" && account.displayName == "Anna"
        )
        #expect(account.credentialID == nil && replacing.isEmpty && !isExcluded)
    }

    @Test(arguments: [true, false], [true, false])
    func `flags are what really happened`(isVerified: Bool, wanted: Bool) async throws {
        fixture.consent.answer(ScriptedConsent.always(.agreed(.init(isPresent: true, isVerified: isVerified))))
        let request = AuthenticatorFixture.creation { $0.options.userVerification = wanted }
        guard isVerified || !wanted else {
            await fixture.refuses(.operationDenied, request)
            #expect(fixture.store.passkeys.isEmpty)
            return
        }
        let flags = try await fixture.make(request).data.flags
        #expect(flags.contains(.userPresent))
        #expect(flags.contains(.userVerified) == isVerified)
        // Keys of a device are in no copy, ever; the others in none yet.
        #expect(flags.contains(.backupEligible) == (BothStores.keys == .software) && !flags.contains(.backupState))
    }

    @Test(
        arguments: [
            (.refused, .operationDenied), (.timedOut, .userActionTimeout), (.cancelled, .keepaliveCancel),
            (.agreed(.init(isPresent: false, isVerified: true)), .operationDenied),
        ] as [(ConsentAnswer, CTAPStatus)]
    )
    func `without a yes of somebody present nothing is kept`(answer: ConsentAnswer, status: CTAPStatus) async {
        fixture.consent.answer(ScriptedConsent.always(answer))
        await fixture.refuses(status, AuthenticatorFixture.creation())
        #expect(fixture.store.passkeys.isEmpty && !fixture.store.calls.contains(.draw))
    }

    // MARK: Step 12

    @Test func `an excluded passkey is spoken of only after a yes`() async throws {
        let kept = try await fixture.keep()
        let request = AuthenticatorFixture.creation { $0.excludeList = [.init(id: kept.id)] }
        fixture.consent.answer(ScriptedConsent.always(.refused))
        await fixture.refuses(.operationDenied, request)
        fixture.consent.answer(ScriptedConsent.obliging)
        await fixture.refuses(.credentialExcluded, request)
        #expect(fixture.consent.questions.count == 2)
        for question in fixture.consent.questions {
            guard case .makePasskey(_, _, let isExcluded) = question.question else { continue }
            #expect(isExcluded)
        }
        #expect(fixture.store.passkeys.map(\.id) == [kept.id])
    }

    @Test func `only passkeys of the same relying party are excluded, and only by their type`() async throws {
        let elsewhere = try await fixture.keep(1, rpID: "other.example")
        let here = try await fixture.keep(2, of: AuthenticatorFixture.bert)
        _ = try await fixture.make(AuthenticatorFixture.creation { $0.excludeList = [.init(id: elsewhere.id)] })
        var descriptor = PublicKeyCredentialDescriptor(id: here.id)
        descriptor.type = "other"
        _ = try await fixture.make(AuthenticatorFixture.creation { $0.excludeList = [descriptor] })
    }

    @Test(arguments: [true, false])
    func `a passkey of level 3 is spoken of only to a verified person`(isVerified: Bool) async throws {
        let kept = try await fixture.keep(of: AuthenticatorFixture.bert, protection: .userVerificationRequired)
        let request = AuthenticatorFixture.creation { request in
            request.excludeList = [.init(id: kept.id)]
            request.options.userVerification = isVerified
        }
        if isVerified {
            await fixture.refuses(.credentialExcluded, request)
        } else {
            _ = try await fixture.make(request)
        }
    }

    // MARK: Step 17

    @Test func `a passkey of the same account is replaced, and the prompt says so`() async throws {
        let old = try await fixture.keep(1)
        let other = try await fixture.keep(2, of: AuthenticatorFixture.bert)
        let elsewhere = try await fixture.keep(3, rpID: "other.example")
        let made = try await fixture.make()
        let ids = fixture.store.passkeys.map(\.id)
        #expect(Set(ids) == [other.id, elsewhere.id, try #require(try made.id)])
        guard case .makePasskey(_, let replacing, _)? = fixture.consent.questions.first?.question else {
            Issue.record("another question")
            return
        }
        #expect(replacing.map(\.credentialID) == [old.id])
    }

    @Test func `a passkey of another algorithm stands beside it`() async throws {
        let old = try await fixture.keep(1)
        let made = try await fixture.make(AuthenticatorFixture.creation(algorithms: [.mlDSA65, .es256]))
        #expect(Set(fixture.store.passkeys.map(\.id)) == [old.id, try #require(try made.id)])
        guard case .makePasskey(_, let replacing, _)? = fixture.consent.questions.first?.question else {
            Issue.record("another question")
            return
        }
        #expect(replacing.isEmpty)
    }

    @Test(arguments: [nil, false] as [Bool?])
    func `where no discoverable one was asked for, the old one stays`(residentKey: Bool?) async throws {
        let old = try await fixture.keep()
        _ = try await fixture.make(AuthenticatorFixture.creation { $0.options.residentKey = residentKey })
        #expect(fixture.store.passkeys.count == 2)
        #expect(fixture.store.passkeys.contains { $0.id == old.id })
    }

    // MARK: Step 19

    @Test(
        arguments: [
            ([], "none"), (["packed"], "packed"), (["none", "packed"], "none"), (["tpm", "packed"], "packed"),
            (["tpm"], "none"),
        ] as [([String], String)]
    )
    func `the first format that can be made is made`(preference: [String], format: String) async throws {
        let response = try await fixture.make(
            AuthenticatorFixture.creation { $0.attestationFormatsPreference = preference }
        )
        #expect(response.format == format)
    }

    @Test(arguments: SoftwarePasskeyKey.algorithms)
    func `packed is signed by the passkey itself`(algorithm: COSEAlgorithmIdentifier) async throws {
        let request = AuthenticatorFixture.creation(algorithms: [algorithm]) {
            $0.attestationFormatsPreference = ["packed"]
        }
        let response = try await fixture.make(request)
        let statement = try #require(response.attestationStatement)
        #expect(statement["alg"]?.integerValue == Int64(algorithm.rawValue))
        let key = try #require(try response.data.attestedCredential?.publicKey)
        let signature = try #require(statement["sig"]?.bytesValue)
        #expect(statement.mapValue?.count == 2)
        let signed = response.authenticatorData + AuthenticatorFixture.hash
        #expect(try key.verificationKey().isValid(signature: signature, for: signed))
    }

    // MARK: Conditional

    @Test func `an upgrade asks nobody and says so`() async throws {
        fixture.consent.permitUpgrades()
        let response = try await fixture.make(AuthenticatorFixture.creation(), in: CeremonyContext(isConditional: true))
        #expect(fixture.consent.questions.isEmpty && fixture.consent.upgrades.count == 1)
        let flags = try response.data.flags
        #expect(!flags.contains(.userPresent) && !flags.contains(.userVerified))
        // Keys of a device are in no copy, ever; the others in none yet.
        #expect(flags.contains(.backupEligible) == (BothStores.keys == .software) && !flags.contains(.backupState))
        #expect(fixture.store.passkeys.first?.isUpgrade == true)
    }

    @Test func `an upgrade needs leave`() async {
        await fixture.refuses(
            .operationDenied,
            AuthenticatorFixture.creation(),
            in: CeremonyContext(isConditional: true)
        )
        #expect(fixture.store.passkeys.isEmpty && fixture.consent.questions.isEmpty)
    }

    @Test func `an upgrade with verification is refused`() async {
        fixture.consent.permitUpgrades()
        let request = AuthenticatorFixture.creation { $0.options.userVerification = true }
        await fixture.refuses(.operationDenied, request, in: CeremonyContext(isConditional: true))
        #expect(fixture.store.passkeys.isEmpty)
    }

    @Test func `an upgrade replaces nothing and tells nothing`() async throws {
        fixture.consent.permitUpgrades()
        let kept = try await fixture.keep()
        let context = CeremonyContext(isConditional: true)
        await fixture.refuses(.operationDenied, AuthenticatorFixture.creation(), in: context)
        let excluding = AuthenticatorFixture.creation(AuthenticatorFixture.bert) {
            $0.excludeList = [.init(id: kept.id)]
        }
        await fixture.refuses(.operationDenied, excluding, in: context)
        #expect(fixture.store.passkeys.map(\.id) == [kept.id])
        #expect(fixture.consent.upgrades.isEmpty)
    }

    // MARK: Trouble

    @Test(
        arguments: [
            (.look, .failed, .other), (.look, .locked, .operationDenied), (.draw, .failed, .other),
            (.draw, .full, .keyStoreFull), (.create, .failed, .other), (.create, .full, .keyStoreFull),
            (.create, .locked, .operationDenied),
        ] as [(MemoryPasskeys.Call, PasskeyStoreError.Code, CTAPStatus)]
    )
    func `a store that fails leaves no passkey behind`(
        call: MemoryPasskeys.Call,
        code: PasskeyStoreError.Code,
        status: CTAPStatus
    ) async throws {
        let old = try await fixture.keep()
        fixture.store.fail(at: call, with: code)
        await fixture.refuses(status, AuthenticatorFixture.creation())
        #expect(fixture.store.passkeys.map(\.id) == [old.id])
    }

    @Test func `a task that is cancelled while a person thinks keeps nothing`() async {
        fixture.consent.answer { request in
            while !Task.isCancelled { await Task.yield() }
            return .agreed(.init(isPresent: true, isVerified: request.wantsVerification))
        }
        let fixture = fixture
        let task = Task { try await fixture.make() }
        while fixture.consent.questions.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CTAPStatus.keepaliveCancel) { try await task.value }
        #expect(fixture.store.passkeys.isEmpty)
    }

    /// A passkey that its site never hears of would be offered again and again.
    @Test func `a task that is cancelled while the key is drawn keeps nothing`() async {
        fixture.store.cancel(at: .draw)
        let fixture = fixture
        let task = Task { try await fixture.make() }
        await #expect(throws: CTAPStatus.keepaliveCancel) { try await task.value }
        #expect(fixture.store.calls.contains(.draw) && fixture.store.passkeys.isEmpty)
    }

    @Test func `a store that draws a key of another kind makes no credential`() async {
        fixture.store.draw(.edDSA)
        await fixture.refuses(.other, AuthenticatorFixture.creation(algorithms: [.es256]))
        #expect(fixture.store.passkeys.isEmpty)
    }
}
