import Testing
import WardAuthenticator
import WardCBOR
import WardCTAP
import WardTesting
import WardWebAuthn

@Suite struct `Signing with a passkey` {
    let room = Room()

    @Test func `the signature is the passkey's, over what was sent`() async throws {
        let kept = try room.keep()
        let response = try await room.sign(Room.assertion(allowing: [kept.id]))
        #expect(try response.isSigned(by: kept))
        #expect(response.credential == PublicKeyCredentialDescriptor(id: kept.id))
        #expect(response.user == CTAPUserEntity(id: Room.anna))
        let data = try response.data
        #expect(data.signCount == 0 && data.extensions == nil && data.attestedCredential == nil)
        #expect(data.flags == [.userPresent, .backupEligible, .backupState])
        #expect(response.numberOfCredentials == nil && response.isUserSelected == nil)
        #expect(room.store.calls == [.look, .note])
    }

    // MARK: Steps 1 to 5

    @Test func `an empty parameter waits for a touch and says that there is no PIN`() async throws {
        try room.keep()
        await room.refuses(.pinNotSet, Room.assertion { $0.pinUVAuthParam = [] })
        #expect(room.consent.questions.map(\.question) == [.selectAuthenticator])
    }

    @Test(
        arguments: [(nil, .missingParameter), (3, .invalidParameter), (1, .pinAuthInvalid), (2, .pinAuthInvalid)]
            as [(Int?, CTAPStatus)]
    )
    func `no token is valid, and its protocol is looked at first`(number: Int?, status: CTAPStatus) async throws {
        try room.keep()
        let request = Room.assertion { request in
            request.pinUVAuthParam = Room.hash
            request.pinUVAuthProtocol = number.map(PINUVAuthProtocol.init)
        }
        await room.refuses(status, request)
        #expect(room.consent.questions.isEmpty)
    }

    @Test(arguments: [true, false]) func `rk has no place in an assertion`(value: Bool) async throws {
        try room.keep()
        await room.refuses(.unsupportedOption, Room.assertion { $0.options.residentKey = value })
    }

    @Test func `unknown options count as absent`() async throws {
        try room.keep()
        _ = try await room.sign(Room.assertion { $0.options.unknown = [CBORPair(key: "future", value: false)] })
    }

    @Test(arguments: [VerificationCapability.unsupported, .notConfigured])
    func `verification that cannot be had is refused`(capability: VerificationCapability) async throws {
        try room.keep()
        room.consent.set(capability)
        await room.refuses(.invalidOption, Room.assertion { $0.options.userVerification = true })
        _ = try await room.sign()
    }

    @Test func `a token's parameter turns verification off`() async throws {
        try room.keep()
        room.consent.set(.unsupported)
        let request = Room.assertion { request in
            request.options.userVerification = true
            request.pinUVAuthParam = Room.hash
            request.pinUVAuthProtocol = .two
        }
        await room.refuses(.pinAuthInvalid, request)
    }

    @Test func `enterprise attestation, long lists and short hashes are refused`() async throws {
        let room = Room { $0.maximumCredentialCountInList = 1 }
        let kept = try room.keep()
        await room.refuses(.invalidParameter, Room.assertion { $0.enterpriseAttestation = 1 })
        await room.refuses(.limitExceeded, Room.assertion(allowing: [kept.id, CredentialID([1])!]))
        await room.refuses(.invalidLength, Room.assertion { $0.clientDataHash = [] })
    }

    // MARK: Consent and flags

    @Test func `somebody is asked also where nothing is here, and hears the same`() async throws {
        try room.keep(relyingPartyID: "other.example")
        await room.refuses(.noCredentials, Room.assertion())
        await room.refuses(.noCredentials, Room.assertion(allowing: [CredentialID([9])!]))
        #expect(room.consent.questions.map(\.question) == [.usePasskey([]), .usePasskey([])])
        room.consent.answer(ScriptedConsent.always(.refused))
        await room.refuses(.operationDenied, Room.assertion())
    }

    @Test(
        arguments: [
            (.refused, .operationDenied), (.timedOut, .userActionTimeout), (.cancelled, .keepaliveCancel),
            (.agreed(.init(isPresent: false, isVerified: true)), .operationDenied),
        ] as [(ConsentAnswer, CTAPStatus)]
    )
    func `without a yes of somebody present nothing is signed`(answer: ConsentAnswer, status: CTAPStatus) async throws {
        try room.keep()
        room.consent.answer(ScriptedConsent.always(answer))
        await room.refuses(status, Room.assertion())
        #expect(!room.store.calls.contains(.note))
    }

    @Test(arguments: [true, false], [true, false])
    func `the flag of verification is what really happened`(isVerified: Bool, wanted: Bool) async throws {
        try room.keep()
        room.consent.answer(ScriptedConsent.always(.agreed(.init(isPresent: true, isVerified: isVerified))))
        let request = Room.assertion { $0.options.userVerification = wanted }
        guard isVerified || !wanted else {
            await room.refuses(.operationDenied, request)
            return
        }
        #expect(try await room.sign(request).data.flags.contains(.userVerified) == isVerified)
        #expect(room.consent.questions.first?.wantsVerification == wanted)
    }

    @Test(arguments: [(true, true), (true, false), (false, false), (false, true)])
    func `backup flags are those the passkey was made with`(isEligible: Bool, isBackedUp: Bool) async throws {
        let kept = try room.keep(isBackupEligible: isEligible, isBackedUp: isBackedUp)
        let flags = try await room.sign(Room.assertion(allowing: [kept.id])).data.flags
        #expect(flags.contains(.backupEligible) == isEligible)
        #expect(flags.contains(.backupState) == (isEligible && isBackedUp))
    }

    @Test func `verification without presence sets no flag of presence`() async throws {
        let kept = try room.keep()
        let request = Room.assertion(allowing: [kept.id]) { request in
            request.options.userPresence = false
            request.options.userVerification = true
        }
        room.consent.answer(ScriptedConsent.always(.agreed(.init(isPresent: true, isVerified: true))))
        let flags = try await room.sign(request).data.flags
        #expect(!flags.contains(.userPresent) && flags.contains(.userVerified))
        #expect(room.consent.questions.count == 1)
        #expect(room.consent.questions.first?.wantsPresence == false)
    }

    // MARK: Pre-flight

    @Test func `a pre-flight is answered at once, and tells no name`() async throws {
        let kept = try room.keep()
        let request = Room.assertion(allowing: [kept.id]) { $0.options.userPresence = false }
        let response = try await room.sign(request)
        #expect(room.consent.questions.isEmpty)
        #expect(response.user == nil && response.credential?.id == kept.id)
        #expect(try response.data.flags == [.backupEligible, .backupState])
        #expect(try response.isSigned(by: kept))
        #expect(room.store.calls == [.look])
        await room.refuses(
            .noCredentials,
            Room.assertion(allowing: [CredentialID([9])!]) { $0.options.userPresence = false }
        )
        #expect(room.consent.questions.isEmpty)
    }

    @Test func `a pre-flight finds nothing that it does not name`() async throws {
        try room.keep()
        await room.refuses(.noCredentials, Room.assertion { $0.options.userPresence = false })
        #expect(room.consent.questions.isEmpty)
    }

    @Test func `a pre-flight finds nothing of level 3`() async throws {
        let kept = try room.keep(protection: .userVerificationRequired)
        await room.refuses(.noCredentials, Room.assertion(allowing: [kept.id]) { $0.options.userPresence = false })
    }

    @Test func `a conditional context has no pre-flight`() async throws {
        let kept = try room.keep()
        let context = CeremonyContext(isConditional: true)
        let request = Room.assertion(allowing: [kept.id]) { $0.options.userPresence = false }
        await room.refuses(.notAllowed, request, in: context)
        let unknown = Room.assertion(allowing: [CredentialID([9])!]) { $0.options.userPresence = false }
        await room.refuses(.notAllowed, unknown, in: context)
    }

    @Test func `a conditional context asks in its own way`() async throws {
        let kept = try room.keep()
        let response = try await room.sign(Room.assertion(), in: CeremonyContext(isConditional: true))
        #expect(response.credential?.id == kept.id)
        #expect(room.consent.questions.first?.context.isConditional == true)
    }

    // MARK: Step 7

    @Test(
        arguments: [
            (nil, false, false, true), (1, false, false, true), (2, false, false, false), (2, false, true, true),
            (2, true, false, true), (3, false, true, false), (3, true, true, true), (3, true, false, true),
        ] as [(UInt64?, Bool, Bool, Bool)]
    )
    func `levels are kept`(level: UInt64?, isVerified: Bool, isNamed: Bool, isFound: Bool) async throws {
        let kept = try room.keep(protection: level.flatMap { CredentialProtectionPolicy(level: $0) })
        let request = Room.assertion(allowing: isNamed ? [kept.id] : []) { $0.options.userVerification = isVerified }
        if isFound {
            #expect(try await room.sign(request).credential?.id == kept.id)
        } else {
            await room.refuses(.noCredentials, request)
            // Nor does a prompt speak of it to whoever sits there.
            #expect(room.consent.questions.map(\.question) == [.usePasskey([])])
        }
    }

    @Test func `a descriptor of another type names nothing`() async throws {
        let kept = try room.keep()
        let request = Room.assertion(allowing: [kept.id]) { $0.allowList[0].type = "other" }
        await room.refuses(.noCredentials, request)
    }

    @Test func `a store that answers with another's passkeys makes nobody sign for them`() async throws {
        let other = try room.keep(1, relyingPartyID: "other.example")
        room.store.confuse()
        await room.refuses(.noCredentials, Room.assertion())
        await room.refuses(.noCredentials, Room.assertion(allowing: [other.id]))
        let here = try room.keep(2)
        await room.refuses(.noCredentials, Room.assertion(allowing: [CredentialID([9])!]))
        #expect(try await room.sign(Room.assertion()).credential?.id == here.id)
    }

    // MARK: Steps 11 and 12

    @Test func `the newest goes first, and the prompt shows them in that order`() async throws {
        let old = try room.keep(1, createdAt: 1)
        let new = try room.keep(3, of: Room.bert, createdAt: 3)
        let middle = try room.keep(2, of: UserHandle([7])!, createdAt: 2)
        let response = try await room.sign(Room.assertion(allowing: [old.id, middle.id, new.id]))
        #expect(response.credential?.id == new.id)
        guard case .usePasskey(let accounts)? = room.consent.questions.first?.question else {
            Issue.record("another question")
            return
        }
        #expect(accounts.map(\.credentialID) == [new.id, middle.id, old.id])
        #expect(accounts[0].name == "name3" && accounts[0].createdAt == 3)
        // Named ones are never counted or continued.
        #expect(response.numberOfCredentials == nil)
        await #expect(throws: CTAPStatus.notAllowed) { try await room.authenticator.getNextAssertion(in: .init()) }
    }

    @Test func `the person's choice is signed with, and said`() async throws {
        let old = try room.keep(1, createdAt: 1)
        try room.keep(2, of: Room.bert, createdAt: 2)
        room.consent.answer(
            ScriptedConsent.always(.agreed(.init(isPresent: true, isVerified: true, chosen: old.id)))
        )
        let response = try await room.sign()
        #expect(try response.isSigned(by: old))
        #expect(response.isUserSelected == true && response.numberOfCredentials == nil)
        #expect(response.user == CTAPUserEntity(id: Room.anna))
        await #expect(throws: CTAPStatus.notAllowed) { try await room.authenticator.getNextAssertion(in: .init()) }
        // Not said where the relying party named them.
        #expect(try await room.sign(Room.assertion(allowing: [old.id])).isUserSelected == nil)
    }

    @Test func `a choice that was not offered is nobody's`() async throws {
        try room.keep()
        room.consent.answer(
            ScriptedConsent.always(.agreed(.init(isPresent: true, isVerified: true, chosen: CredentialID([9])!)))
        )
        await room.refuses(.other, Room.assertion())
    }

    // MARK: Trouble

    @Test func `a store that cannot look ends the request, and one that cannot note does not`() async throws {
        let kept = try room.keep()
        room.store.fail(at: .note)
        #expect(try await room.sign().credential?.id == kept.id)
        room.store.fail(at: .look)
        await room.refuses(.other, Room.assertion())
        room.store.fail(at: .look, with: .locked)
        await room.refuses(.operationDenied, Room.assertion())
    }

    @Test func `a task that is cancelled while a person thinks signs nothing`() async throws {
        try room.keep()
        room.consent.answer { _ in
            while !Task.isCancelled { await Task.yield() }
            return .agreed(.init(isPresent: true, isVerified: true))
        }
        let room = room
        let task = Task { try await room.sign() }
        while room.consent.questions.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CTAPStatus.keepaliveCancel) { try await task.value }
        #expect(!room.store.calls.contains(.note))
    }

    @Test func `a task that is cancelled before is not asked for`() async throws {
        try room.keep()
        let room = room
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await room.sign()
        }
        task.cancel()
        await #expect(throws: CTAPStatus.keepaliveCancel) { try await task.value }
        #expect(room.consent.questions.isEmpty)
    }
}

@Suite struct `The next passkey` {
    let room = Room()

    private func next(on channel: UInt64 = 0) async throws -> GetAssertionResponse {
        try await room.authenticator.getNextAssertion(in: CeremonyContext(channel: channel))
    }

    private func keepThree() throws -> [StoredCredential] {
        [
            try room.keep(3, of: Room.anna, createdAt: 3), try room.keep(2, of: Room.bert, createdAt: 2),
            try room.keep(1, of: UserHandle([7])!, createdAt: 1),
        ]
    }

    @Test(arguments: [true, false])
    func `all are fetched in order, and names are for verified persons`(isVerified: Bool) async throws {
        let kept = try keepThree()
        let first = try await room.sign(Room.assertion { $0.options.userVerification = isVerified })
        #expect(first.numberOfCredentials == 3 && first.isUserSelected == nil)
        let responses = [first, try await next(), try await next()]
        for (response, credential) in zip(responses, kept) {
            #expect(response.credential?.id == credential.id)
            #expect(try response.isSigned(by: credential))
            #expect(try response.data.flags == first.data.flags)
            #expect(response.user?.id == credential.userHandle)
            #expect(response.user?.name == (isVerified ? credential.userName : nil))
            #expect(response.user?.displayName == (isVerified ? credential.userDisplayName : nil))
        }
        #expect(responses[1].numberOfCredentials == nil && responses[2].numberOfCredentials == nil)
        #expect(room.consent.questions.count == 1)
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
    }

    @Test func `it is remembered for thirty seconds, each time anew`() async throws {
        _ = try keepThree()
        _ = try await room.sign()
        room.world.advance(by: 30)
        _ = try await next()
        room.world.advance(by: 30)
        _ = try await next()
        _ = try await room.sign()
        _ = try await next()
        room.world.advance(by: 31)
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
        // Too late is over.
        room.world.advance(by: -31)
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
    }

    @Test func `it is nobody's but the caller's`() async throws {
        _ = try keepThree()
        _ = try await room.sign(Room.assertion(), in: CeremonyContext(channel: 1))
        await #expect(throws: CTAPStatus.notAllowed) { try await next(on: 2) }
        _ = try await next(on: 1)
    }

    @Test(arguments: [CTAPCommand.makeCredential, .getAssertion, .getInfo, .selection, .clientPIN, .reset])
    func `any other command ends it`(command: CTAPCommand) async throws {
        _ = try keepThree()
        _ = try await room.sign()
        _ = await room.authenticator.process([command.rawValue], in: .init())
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
    }

    @Test func `calls end it as messages do`() async throws {
        _ = try keepThree()
        _ = try await room.sign()
        try await room.authenticator.selection(in: .init())
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
        _ = try await room.sign()
        _ = try await room.make(Room.creation(UserHandle([8])!))
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
        _ = try await room.sign()
        room.consent.answer(ScriptedConsent.always(.refused))
        await room.refuses(.operationDenied, Room.assertion())
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
    }

    @Test func `of too many conversations the oldest is forgotten`() async throws {
        _ = try keepThree()
        for channel in UInt64(0)..<17 {
            _ = try await room.sign(Room.assertion(), in: CeremonyContext(channel: channel))
            room.world.advance(by: 1)
        }
        await #expect(throws: CTAPStatus.notAllowed) { try await next(on: 0) }
        _ = try await next(on: 1)
        _ = try await next(on: 16)
    }

    @Test func `one passkey alone is not counted`() async throws {
        try room.keep()
        #expect(try await room.sign().numberOfCredentials == nil)
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
    }
}
