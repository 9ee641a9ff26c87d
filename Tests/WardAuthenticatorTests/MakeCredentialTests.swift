import Testing
import WardAuthenticator
import WardCBOR
import WardCOSE
import WardCTAP
import WardTesting
import WardWebAuthn

@Suite struct `Making a passkey` {
    let room = Room()

    @Test func `what is answered is what is kept`() async throws {
        let response = try await room.make()
        let data = try response.data
        let kept = try #require(room.store.credentials.first)
        let credential = try #require(data.attestedCredential)
        #expect(room.store.credentials.count == 1)
        #expect(credential.credentialID == kept.id.bytes && kept.id.bytes.count == 32)
        #expect(credential.publicKey == kept.privateKey.publicKey)
        #expect(credential.aaguid == .ward && AAGUID.ward != .zero)
        #expect(kept.relyingPartyID == Room.id && kept.relyingPartyName == "Example")
        #expect(kept.userHandle == Room.anna && kept.userName == "anna" && kept.userDisplayName == "Anna")
        #expect(kept.createdAt == room.world.now && !kept.isUpgrade && kept.largeBlob == nil)
        #expect(response.format == "none" && response.attestationStatement == .map([]))
        #expect(data.signCount == 0)
        #expect(data.extensions == nil && response.unsignedExtensionOutputs.isEmpty)
    }

    @Test func `no two passkeys share a name, a key or a secret`() async throws {
        _ = try await room.make(Room.creation(Room.anna))
        _ = try await room.make(Room.creation(Room.bert))
        let kept = room.store.credentials
        #expect(Set(kept.map(\.id)).count == 2)
        #expect(Set(kept.map(\.privateKey.publicKey)).count == 2)
        let secrets = kept.compactMap(\.hmacSecrets)
        #expect(secrets.count == 2)
        #expect(secrets[0].withVerification != secrets[1].withVerification)
        #expect(secrets[0].withVerification != secrets[0].withoutVerification)
    }

    // MARK: Steps 1 and 2

    @Test func `an empty parameter waits for a touch and says that there is no PIN`() async {
        await room.refuses(.pinNotSet, Room.creation { $0.pinUVAuthParam = [] })
        #expect(room.consent.questions.map(\.question) == [.selectAuthenticator])
        room.consent.answer(ScriptedConsent.always(.refused))
        await room.refuses(.operationDenied, Room.creation { $0.pinUVAuthParam = [] })
        #expect(room.store.credentials.isEmpty)
    }

    @Test(
        arguments: [(nil, .missingParameter), (3, .invalidParameter), (1, .pinAuthInvalid), (2, .pinAuthInvalid)]
            as [(Int?, CTAPStatus)]
    )
    func `no token is valid, and its protocol is looked at first`(number: Int?, status: CTAPStatus) async {
        let request = Room.creation { request in
            request.pinUVAuthParam = Room.hash
            request.pinUVAuthProtocol = number.map(PINUVAuthProtocol.init)
        }
        await room.refuses(status, request)
        #expect(room.consent.questions.isEmpty)
    }

    // MARK: Step 3

    @Test(
        arguments: [
            ([.es256, .edDSA], .es256), ([.edDSA, .es256], .edDSA), ([.rs256, .edDSA], .edDSA),
        ] as [([COSEAlgorithmIdentifier], COSEAlgorithmIdentifier)]
    )
    func `the first algorithm that is known is taken`(
        algorithms: [COSEAlgorithmIdentifier],
        expected: COSEAlgorithmIdentifier
    ) async throws {
        let response = try await room.make(Room.creation(algorithms: algorithms))
        #expect(try response.data.attestedCredential?.publicKey.algorithm == expected)
    }

    @Test func `without a known algorithm nobody is asked`() async {
        await room.refuses(.unsupportedAlgorithm, Room.creation(algorithms: [.rs256]))
        await room.refuses(.unsupportedAlgorithm, Room.creation(algorithms: []))
        await room.refuses(
            .unsupportedAlgorithm,
            Room.creation {
                $0.pubKeyCredParams[0].type = "other"; $0.pubKeyCredParams.removeLast()
            }
        )
        #expect(room.consent.questions.isEmpty)
    }

    // MARK: Step 5

    @Test func `presence cannot be turned off`() async {
        await room.refuses(.invalidOption, Room.creation { $0.options.userPresence = false })
        #expect(room.consent.questions.isEmpty)
    }

    @Test func `unknown options count as absent`() async throws {
        _ = try await room.make(Room.creation { $0.options.unknown = [CBORPair(key: "future", value: true)] })
        #expect(room.store.credentials.count == 1)
    }

    @Test(arguments: [VerificationCapability.unsupported, .notConfigured])
    func `verification that cannot be had is refused`(capability: VerificationCapability) async throws {
        room.consent.set(capability)
        await room.refuses(.invalidOption, Room.creation { $0.options.userVerification = true })
        #expect(room.consent.questions.isEmpty)
        _ = try await room.make(Room.creation { $0.options.userVerification = false })
    }

    @Test func `a token's parameter turns verification off`() async {
        // The token is refused, but not because verification could not be had: the parameter came first.
        room.consent.set(.unsupported)
        let request = Room.creation { request in
            request.options.userVerification = true
            request.pinUVAuthParam = Room.hash
            request.pinUVAuthProtocol = .two
        }
        await room.refuses(.pinAuthInvalid, request)
    }

    @Test func `a passkey is discoverable even where that was not asked for`() async throws {
        let made = try await room.make(Room.creation { $0.options.residentKey = false })
        let signed = try await room.sign()
        #expect(try signed.credential?.id == made.id)
    }

    // MARK: Step 9 and bounds

    @Test func `enterprise attestation is not offered`() async {
        await room.refuses(.invalidParameter, Room.creation { $0.enterpriseAttestation = 1 })
    }

    @Test func `lists and hashes are bounded`() async throws {
        let room = Room { $0.maximumCredentialCountInList = 2 }
        let ids = try (1...3).map { try #require(CredentialID([$0])) }
        await room.refuses(.limitExceeded, Room.creation { $0.excludeList = ids.map { .init(id: $0) } })
        await room.refuses(.invalidLength, Room.creation { $0.clientDataHash = [1] })
        _ = try await room.make(Room.creation { $0.excludeList = ids.prefix(2).map { .init(id: $0) } })
    }

    @Test func `long names are cut between characters`() async throws {
        let name = String(repeating: "é", count: 1_000)
        let request = Room.creation { request in
            request.user.name = name
            request.user.displayName = nil
            request.relyingParty.name = name
        }
        _ = try await room.make(request)
        let kept = try #require(room.store.credentials.first)
        #expect(kept.userName == String(repeating: "é", count: 512))
        #expect(kept.relyingPartyName.utf8.count == 1_024)
        #expect(kept.userDisplayName.isEmpty)
    }

    // MARK: Consent and flags

    @Test func `the prompt says all there is to say`() async throws {
        let context = CeremonyContext(
            channel: 4,
            origin: try Origin("https://login.example.com"),
            caller: .init(name: "Browser", processID: 7),
            timeout: .seconds(60)
        )
        _ = try await room.make(Room.creation { $0.options.userVerification = true }, in: context)
        let question = try #require(room.consent.questions.first)
        #expect(question.context == context)
        #expect(question.relyingPartyID == Room.id && question.relyingPartyName == "Example")
        #expect(question.wantsPresence && question.wantsVerification)
        guard case .makePasskey(let account, let replacing, let isExcluded) = question.question else {
            Issue.record("another question")
            return
        }
        #expect(account.userHandle == Room.anna && account.name == "anna" && account.displayName == "Anna")
        #expect(account.credentialID == nil && replacing.isEmpty && !isExcluded)
    }

    @Test(arguments: [true, false], [true, false])
    func `flags are what really happened`(isVerified: Bool, wanted: Bool) async throws {
        room.consent.answer(ScriptedConsent.always(.agreed(.init(isPresent: true, isVerified: isVerified))))
        let request = Room.creation { $0.options.userVerification = wanted }
        guard isVerified || !wanted else {
            await room.refuses(.operationDenied, request)
            #expect(room.store.credentials.isEmpty)
            return
        }
        let flags = try await room.make(request).data.flags
        #expect(flags.contains(.userPresent))
        #expect(flags.contains(.userVerified) == isVerified)
        // It is in no copy yet.
        #expect(flags.contains(.backupEligible) && !flags.contains(.backupState))
    }

    @Test(
        arguments: [
            (.refused, .operationDenied), (.timedOut, .userActionTimeout), (.cancelled, .keepaliveCancel),
            (.agreed(.init(isPresent: false, isVerified: true)), .operationDenied),
        ] as [(ConsentAnswer, CTAPStatus)]
    )
    func `without a yes of somebody present nothing is kept`(answer: ConsentAnswer, status: CTAPStatus) async {
        room.consent.answer(ScriptedConsent.always(answer))
        await room.refuses(status, Room.creation())
        #expect(room.store.credentials.isEmpty && !room.store.calls.contains(.save))
    }

    // MARK: Step 12

    @Test func `an excluded passkey is spoken of only after a yes`() async throws {
        let kept = try room.keep()
        let request = Room.creation { $0.excludeList = [.init(id: kept.id)] }
        room.consent.answer(ScriptedConsent.always(.refused))
        await room.refuses(.operationDenied, request)
        room.consent.answer(ScriptedConsent.obliging)
        await room.refuses(.credentialExcluded, request)
        #expect(room.consent.questions.count == 2)
        for question in room.consent.questions {
            guard case .makePasskey(_, _, let isExcluded) = question.question else { continue }
            #expect(isExcluded)
        }
        #expect(room.store.credentials.map(\.id) == [kept.id])
    }

    @Test func `only passkeys of the same relying party are excluded, and only by their type`() async throws {
        let elsewhere = try room.keep(1, relyingPartyID: "other.example")
        let here = try room.keep(2, of: Room.bert)
        _ = try await room.make(Room.creation { $0.excludeList = [.init(id: elsewhere.id)] })
        var descriptor = PublicKeyCredentialDescriptor(id: here.id)
        descriptor.type = "other"
        _ = try await room.make(Room.creation { $0.excludeList = [descriptor] })
    }

    @Test(arguments: [true, false])
    func `a passkey of level 3 is spoken of only to a verified person`(isVerified: Bool) async throws {
        let kept = try room.keep(of: Room.bert, protection: .userVerificationRequired)
        let request = Room.creation { request in
            request.excludeList = [.init(id: kept.id)]
            request.options.userVerification = isVerified
        }
        if isVerified {
            await room.refuses(.credentialExcluded, request)
        } else {
            _ = try await room.make(request)
        }
    }

    // MARK: Step 17

    @Test func `a passkey of the same account is replaced, and the prompt says so`() async throws {
        let old = try room.keep(1)
        let other = try room.keep(2, of: Room.bert)
        let elsewhere = try room.keep(3, relyingPartyID: "other.example")
        let made = try await room.make()
        let ids = room.store.credentials.map(\.id)
        #expect(Set(ids) == [other.id, elsewhere.id, try #require(try made.id)])
        guard case .makePasskey(_, let replacing, _)? = room.consent.questions.first?.question else {
            Issue.record("another question")
            return
        }
        #expect(replacing.map(\.credentialID) == [old.id])
    }

    @Test(arguments: [nil, false] as [Bool?])
    func `where no discoverable one was asked for, the old one stays`(residentKey: Bool?) async throws {
        let old = try room.keep()
        _ = try await room.make(Room.creation { $0.options.residentKey = residentKey })
        #expect(room.store.credentials.count == 2)
        #expect(room.store.credentials.contains { $0.id == old.id })
    }

    // MARK: Step 19

    @Test(
        arguments: [
            ([], "none"), (["packed"], "packed"), (["none", "packed"], "none"), (["tpm", "packed"], "packed"),
            (["tpm"], "none"),
        ] as [([String], String)]
    )
    func `the first format that can be made is made`(preference: [String], format: String) async throws {
        let response = try await room.make(Room.creation { $0.attestationFormatsPreference = preference })
        #expect(response.format == format)
    }

    @Test(arguments: [COSEAlgorithmIdentifier.es256, .edDSA])
    func `packed is signed by the passkey itself`(algorithm: COSEAlgorithmIdentifier) async throws {
        let request = Room.creation(algorithms: [algorithm]) { $0.attestationFormatsPreference = ["packed"] }
        let response = try await room.make(request)
        let statement = try #require(response.attestationStatement)
        #expect(statement["alg"]?.integerValue == Int64(algorithm.rawValue))
        let key = try #require(try response.data.attestedCredential?.publicKey)
        let signature = try #require(statement["sig"]?.bytesValue)
        #expect(statement.mapValue?.count == 2)
        let signed = response.authenticatorData + Room.hash
        #expect(try key.verificationKey().isValid(signature: signature, for: signed))
    }

    // MARK: Conditional

    @Test func `an upgrade asks nobody and says so`() async throws {
        room.consent.permitUpgrades()
        let response = try await room.make(Room.creation(), in: CeremonyContext(isConditional: true))
        #expect(room.consent.questions.isEmpty && room.consent.upgrades.count == 1)
        let flags = try response.data.flags
        #expect(!flags.contains(.userPresent) && !flags.contains(.userVerified))
        // It is in no copy yet.
        #expect(flags.contains(.backupEligible) && !flags.contains(.backupState))
        #expect(room.store.credentials.first?.isUpgrade == true)
    }

    @Test func `an upgrade needs leave`() async {
        await room.refuses(.operationDenied, Room.creation(), in: CeremonyContext(isConditional: true))
        #expect(room.store.credentials.isEmpty && room.consent.questions.isEmpty)
    }

    @Test func `an upgrade with verification is refused`() async {
        room.consent.permitUpgrades()
        let request = Room.creation { $0.options.userVerification = true }
        await room.refuses(.operationDenied, request, in: CeremonyContext(isConditional: true))
        #expect(room.store.credentials.isEmpty)
    }

    @Test func `an upgrade replaces nothing and tells nothing`() async throws {
        room.consent.permitUpgrades()
        let kept = try room.keep()
        let context = CeremonyContext(isConditional: true)
        await room.refuses(.operationDenied, Room.creation(), in: context)
        let excluding = Room.creation(Room.bert) { $0.excludeList = [.init(id: kept.id)] }
        await room.refuses(.operationDenied, excluding, in: context)
        #expect(room.store.credentials.map(\.id) == [kept.id])
        #expect(room.consent.upgrades.isEmpty)
    }

    // MARK: Trouble

    @Test(
        arguments: [
            (.look, .failed, .other), (.look, .locked, .operationDenied), (.save, .failed, .other),
            (.save, .full, .keyStoreFull), (.save, .locked, .operationDenied),
        ] as [(MemoryPasskeys.Call, CredentialStoreError.Code, CTAPStatus)]
    )
    func `a store that fails leaves no passkey behind`(
        call: MemoryPasskeys.Call,
        code: CredentialStoreError.Code,
        status: CTAPStatus
    ) async throws {
        let old = try room.keep()
        room.store.fail(at: call, with: code)
        await room.refuses(status, Room.creation())
        #expect(room.store.credentials.map(\.id) == [old.id])
    }

    @Test func `a task that is cancelled while a person thinks keeps nothing`() async {
        room.consent.answer { request in
            while !Task.isCancelled { await Task.yield() }
            return .agreed(.init(isPresent: true, isVerified: request.wantsVerification))
        }
        let room = room
        let task = Task { try await room.make() }
        while room.consent.questions.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CTAPStatus.keepaliveCancel) { try await task.value }
        #expect(room.store.credentials.isEmpty)
    }
}
