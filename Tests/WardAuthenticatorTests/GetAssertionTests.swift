import Testing
import WardAuthenticator
import WardCBOR
import WardCTAP
import WardTesting
import WardWebAuthn

@Suite(.overBothStores) struct `Signing with a passkey` {
    let fixture = AuthenticatorFixture()

    @Test func `the signature is the passkey's, over what was sent`() async throws {
        let kept = try await fixture.keep()
        let response = try await fixture.sign(AuthenticatorFixture.assertion(allowing: [kept.id]))
        #expect(try response.isSigned(by: kept))
        #expect(response.credential == PublicKeyCredentialDescriptor(id: kept.id))
        #expect(response.user == CTAPUserEntity(id: AuthenticatorFixture.anna))
        let data = try response.data
        #expect(data.signCount == 0 && data.extensions == nil && data.attestedCredential == nil)
        #expect(data.flags == [.userPresent, .backupEligible, .backupState])
        #expect(response.numberOfCredentials == nil && response.isUserSelected == nil)
        #expect(fixture.store.calls == [.look, .sign, .note])
    }

    // MARK: Steps 1 to 5

    @Test func `an empty parameter waits for a touch and says that there is no PIN`() async throws {
        try await fixture.keep()
        await fixture.refuses(.pinNotSet, AuthenticatorFixture.assertion { $0.pinUVAuthParam = [] })
        #expect(fixture.consent.questions.map(\.question) == [.selectAuthenticator])
    }

    @Test(
        arguments: [(nil, .missingParameter), (3, .invalidParameter), (1, .pinAuthInvalid), (2, .pinAuthInvalid)]
            as [(Int?, CTAPStatus)]
    )
    func `no token is valid, and its protocol is looked at first`(number: Int?, status: CTAPStatus) async throws {
        try await fixture.keep()
        let request = AuthenticatorFixture.assertion { request in
            request.pinUVAuthParam = AuthenticatorFixture.hash
            request.pinUVAuthProtocol = number.map(PINUVAuthProtocol.init)
        }
        await fixture.refuses(status, request)
        #expect(fixture.consent.questions.isEmpty)
    }

    @Test(arguments: [true, false]) func `rk has no place in an assertion`(value: Bool) async throws {
        try await fixture.keep()
        await fixture.refuses(.unsupportedOption, AuthenticatorFixture.assertion { $0.options.residentKey = value })
    }

    @Test func `unknown options count as absent`() async throws {
        try await fixture.keep()
        _ = try await fixture.sign(
            AuthenticatorFixture.assertion { $0.options.unknown = [CBORPair(key: "future", value: false)] }
        )
    }

    @Test(arguments: [VerificationCapability.unsupported, .notConfigured])
    func `verification that cannot be had is refused`(capability: VerificationCapability) async throws {
        try await fixture.keep()
        fixture.consent.set(capability)
        await fixture.refuses(.invalidOption, AuthenticatorFixture.assertion { $0.options.userVerification = true })
        _ = try await fixture.sign()
    }

    @Test func `a token's parameter turns verification off`() async throws {
        try await fixture.keep()
        fixture.consent.set(.unsupported)
        let request = AuthenticatorFixture.assertion { request in
            request.options.userVerification = true
            request.pinUVAuthParam = AuthenticatorFixture.hash
            request.pinUVAuthProtocol = .two
        }
        await fixture.refuses(.pinAuthInvalid, request)
    }

    @Test func `enterprise attestation, long lists and short hashes are refused`() async throws {
        let fixture = AuthenticatorFixture { $0.maximumCredentialCountInList = 1 }
        let kept = try await fixture.keep()
        await fixture.refuses(.invalidParameter, AuthenticatorFixture.assertion { $0.enterpriseAttestation = 1 })
        await fixture.refuses(.limitExceeded, AuthenticatorFixture.assertion(allowing: [kept.id, CredentialID([1])!]))
        await fixture.refuses(.invalidLength, AuthenticatorFixture.assertion { $0.clientDataHash = [] })
    }

    // MARK: Consent and flags

    @Test func `somebody is asked also where nothing is here, and hears the same`() async throws {
        try await fixture.keep(rpID: "other.example")
        await fixture.refuses(.noCredentials, AuthenticatorFixture.assertion())
        await fixture.refuses(.noCredentials, AuthenticatorFixture.assertion(allowing: [CredentialID([9])!]))
        #expect(fixture.consent.questions.map(\.question) == [.usePasskey([]), .usePasskey([])])
        fixture.consent.answer(ScriptedConsent.always(.refused))
        await fixture.refuses(.operationDenied, AuthenticatorFixture.assertion())
    }

    @Test(
        arguments: [
            (.refused, .operationDenied), (.timedOut, .userActionTimeout), (.cancelled, .keepaliveCancel),
            (.agreed(.init(isPresent: false, isVerified: true)), .operationDenied),
        ] as [(ConsentAnswer, CTAPStatus)]
    )
    func `without a yes of somebody present nothing is signed`(answer: ConsentAnswer, status: CTAPStatus) async throws {
        try await fixture.keep()
        fixture.consent.answer(ScriptedConsent.always(answer))
        await fixture.refuses(status, AuthenticatorFixture.assertion())
        #expect(fixture.store.calls == [.look])
    }

    @Test(arguments: [true, false], [true, false])
    func `the flag of verification is what really happened`(isVerified: Bool, wanted: Bool) async throws {
        try await fixture.keep()
        fixture.consent.answer(ScriptedConsent.always(.agreed(.init(isPresent: true, isVerified: isVerified))))
        let request = AuthenticatorFixture.assertion { $0.options.userVerification = wanted }
        guard isVerified || !wanted else {
            await fixture.refuses(.operationDenied, request)
            return
        }
        #expect(try await fixture.sign(request).data.flags.contains(.userVerified) == isVerified)
        #expect(fixture.consent.questions.first?.wantsVerification == wanted)
    }

    @Test(arguments: [(true, true), (true, false), (false, false), (false, true)])
    func `backup flags are those the passkey was made with`(isEligible: Bool, isBackedUp: Bool) async throws {
        let kept = try await fixture.keep(isBackupEligible: isEligible, isBackedUp: isBackedUp)
        let flags = try await fixture.sign(AuthenticatorFixture.assertion(allowing: [kept.id])).data.flags
        #expect(flags.contains(.backupEligible) == isEligible)
        #expect(flags.contains(.backupState) == (isEligible && isBackedUp))
    }

    @Test func `verification without presence sets no flag of presence`() async throws {
        let kept = try await fixture.keep()
        let request = AuthenticatorFixture.assertion(allowing: [kept.id]) { request in
            request.options.userPresence = false
            request.options.userVerification = true
        }
        fixture.consent.answer(ScriptedConsent.always(.agreed(.init(isPresent: true, isVerified: true))))
        let flags = try await fixture.sign(request).data.flags
        #expect(!flags.contains(.userPresent) && flags.contains(.userVerified))
        #expect(fixture.consent.questions.count == 1)
        #expect(fixture.consent.questions.first?.wantsPresence == false)
    }

    // MARK: Pre-flight

    @Test func `a pre-flight is answered at once, and tells no name`() async throws {
        let kept = try await fixture.keep()
        let request = AuthenticatorFixture.assertion(allowing: [kept.id]) { $0.options.userPresence = false }
        let response = try await fixture.sign(request)
        #expect(fixture.consent.questions.isEmpty)
        #expect(response.user == nil && response.credential?.id == kept.id)
        #expect(try response.data.flags == [.backupEligible, .backupState])
        #expect(try response.isSigned(by: kept))
        #expect(fixture.store.calls == [.look, .sign])
        await fixture.refuses(
            .noCredentials,
            AuthenticatorFixture.assertion(allowing: [CredentialID([9])!]) { $0.options.userPresence = false }
        )
        #expect(fixture.consent.questions.isEmpty)
    }

    @Test func `a pre-flight finds nothing that it does not name`() async throws {
        try await fixture.keep()
        await fixture.refuses(.noCredentials, AuthenticatorFixture.assertion { $0.options.userPresence = false })
        #expect(fixture.consent.questions.isEmpty)
    }

    @Test func `a pre-flight finds nothing of level 3`() async throws {
        let kept = try await fixture.keep(protection: .userVerificationRequired)
        await fixture.refuses(
            .noCredentials,
            AuthenticatorFixture.assertion(allowing: [kept.id]) { $0.options.userPresence = false }
        )
    }

    @Test func `a conditional context has no pre-flight`() async throws {
        let kept = try await fixture.keep()
        let context = CeremonyContext(isConditional: true)
        let request = AuthenticatorFixture.assertion(allowing: [kept.id]) { $0.options.userPresence = false }
        await fixture.refuses(.notAllowed, request, in: context)
        let unknown = AuthenticatorFixture.assertion(allowing: [CredentialID([9])!]) { $0.options.userPresence = false }
        await fixture.refuses(.notAllowed, unknown, in: context)
    }

    @Test func `a conditional context asks in its own way`() async throws {
        let kept = try await fixture.keep()
        let response = try await fixture.sign(
            AuthenticatorFixture.assertion(),
            in: CeremonyContext(isConditional: true)
        )
        #expect(response.credential?.id == kept.id)
        #expect(fixture.consent.questions.first?.context.isConditional == true)
    }

    // MARK: Step 7

    @Test(
        arguments: [
            (nil, false, false, true), (1, false, false, true), (2, false, false, false), (2, false, true, true),
            (2, true, false, true), (3, false, true, false), (3, true, true, true), (3, true, false, true),
        ] as [(UInt64?, Bool, Bool, Bool)]
    )
    func `levels are kept`(level: UInt64?, isVerified: Bool, isNamed: Bool, isFound: Bool) async throws {
        let kept = try await fixture.keep(protection: level.flatMap { CredentialProtectionPolicy(level: $0) })
        let request = AuthenticatorFixture.assertion(allowing: isNamed ? [kept.id] : []) {
            $0.options.userVerification = isVerified
        }
        if isFound {
            #expect(try await fixture.sign(request).credential?.id == kept.id)
        } else {
            await fixture.refuses(.noCredentials, request)
            // No prompt mentions it either.
            #expect(fixture.consent.questions.map(\.question) == [.usePasskey([])])
        }
    }

    @Test func `a descriptor of another type names nothing`() async throws {
        let kept = try await fixture.keep()
        let request = AuthenticatorFixture.assertion(allowing: [kept.id]) { $0.allowList[0].type = "other" }
        await fixture.refuses(.noCredentials, request)
    }

    @Test func `a store that answers with another's passkeys makes nobody sign for them`() async throws {
        let other = try await fixture.keep(1, rpID: "other.example")
        fixture.store.confuse()
        await fixture.refuses(.noCredentials, AuthenticatorFixture.assertion())
        await fixture.refuses(.noCredentials, AuthenticatorFixture.assertion(allowing: [other.id]))
        let here = try await fixture.keep(2)
        await fixture.refuses(.noCredentials, AuthenticatorFixture.assertion(allowing: [CredentialID([9])!]))
        #expect(try await fixture.sign(AuthenticatorFixture.assertion()).credential?.id == here.id)
    }

    // MARK: Steps 11 and 12

    @Test func `the newest goes first, and the prompt shows them in that order`() async throws {
        let old = try await fixture.keep(1, createdAt: 1)
        let new = try await fixture.keep(3, of: AuthenticatorFixture.bert, createdAt: 3)
        let middle = try await fixture.keep(2, of: UserHandle([7])!, createdAt: 2)
        let response = try await fixture.sign(AuthenticatorFixture.assertion(allowing: [old.id, middle.id, new.id]))
        #expect(response.credential?.id == new.id)
        guard case .usePasskey(let accounts)? = fixture.consent.questions.first?.question else {
            Issue.record("another question")
            return
        }
        #expect(accounts.map(\.credentialID) == [new.id, middle.id, old.id])
        #expect(accounts[0].name == "name3" && accounts[0].createdAt == 3)
        // Named ones are never counted or continued.
        #expect(response.numberOfCredentials == nil)
        await #expect(throws: CTAPStatus.notAllowed) { try await fixture.authenticator.getNextAssertion(in: .init()) }
    }

    @Test func `the person's choice is signed with, and said`() async throws {
        let old = try await fixture.keep(1, createdAt: 1)
        try await fixture.keep(2, of: AuthenticatorFixture.bert, createdAt: 2)
        fixture.consent.answer(
            ScriptedConsent.always(.agreed(.init(isPresent: true, isVerified: true, chosen: old.id)))
        )
        let response = try await fixture.sign()
        #expect(try response.isSigned(by: old))
        #expect(response.isUserSelected == true && response.numberOfCredentials == nil)
        #expect(response.user == CTAPUserEntity(id: AuthenticatorFixture.anna))
        await #expect(throws: CTAPStatus.notAllowed) { try await fixture.authenticator.getNextAssertion(in: .init()) }
        // Not said where the relying party named them.
        #expect(try await fixture.sign(AuthenticatorFixture.assertion(allowing: [old.id])).isUserSelected == nil)
    }

    @Test func `what the person picked before is asked about and signed with, and nothing else`() async throws {
        let old = try await fixture.keep(1, createdAt: 1)
        try await fixture.keep(2, of: AuthenticatorFixture.bert, createdAt: 2)
        let context = CeremonyContext(picked: old.id)
        #expect(try await fixture.sign(in: context).isSigned(by: old))
        guard case .usePasskey(let accounts)? = fixture.consent.questions.first?.question else {
            Issue.record("another question")
            return
        }
        #expect(accounts.map(\.credentialID) == [old.id])
        await #expect(throws: CTAPStatus.notAllowed) { try await fixture.authenticator.getNextAssertion(in: context) }
        await fixture.refuses(
            .noCredentials,
            AuthenticatorFixture.assertion(),
            in: CeremonyContext(picked: CredentialID([9])!)
        )
    }

    @Test func `of all the store can do, it only lists before the person agrees`() async throws {
        let kept = try await fixture.keep(largeBlob: [9])
        let store = fixture.store
        fixture.consent.answer { request in
            #expect(store.calls == [.look])
            return await ScriptedConsent.obliging(request)
        }
        let request = AuthenticatorFixture.assertion(allowing: [kept.id]) { request in
            request.extensions.set(prfInput: .init(eval: PRFSalts(first: AuthenticatorFixture.hash)))
            request.extensions.set(largeBlobInput: .init(read: true))
            request.options.userVerification = true
        }
        _ = try await fixture.sign(request)
        #expect(store.calls == [.look, .sign, .hmacSecret, .read, .note])
    }

    @Test(
        arguments: [(.failed, .other), (.locked, .operationDenied), (.missing, .noCredentials)]
            as [(PasskeyStoreError.Code, CTAPStatus)]
    )
    func `a store that does not sign ends the request`(code: PasskeyStoreError.Code, status: CTAPStatus) async throws {
        let kept = try await fixture.keep()
        fixture.store.fail(at: .sign, with: code)
        await fixture.refuses(status, AuthenticatorFixture.assertion(allowing: [kept.id]))
    }

    @Test func `a choice that was not offered is nobody's`() async throws {
        try await fixture.keep()
        fixture.consent.answer(
            ScriptedConsent.always(.agreed(.init(isPresent: true, isVerified: true, chosen: CredentialID([9])!)))
        )
        await fixture.refuses(.other, AuthenticatorFixture.assertion())
    }

    // MARK: Trouble

    @Test func `a store that cannot look ends the request, and one that cannot note does not`() async throws {
        let kept = try await fixture.keep()
        fixture.store.fail(at: .note)
        #expect(try await fixture.sign().credential?.id == kept.id)
        fixture.store.fail(at: .look)
        await fixture.refuses(.other, AuthenticatorFixture.assertion())
        fixture.store.fail(at: .look, with: .locked)
        await fixture.refuses(.operationDenied, AuthenticatorFixture.assertion())
    }

    @Test func `a task that is cancelled while a person thinks signs nothing`() async throws {
        try await fixture.keep()
        fixture.consent.answer { _ in
            while !Task.isCancelled { await Task.yield() }
            return .agreed(.init(isPresent: true, isVerified: true))
        }
        let fixture = fixture
        let task = Task { try await fixture.sign() }
        while fixture.consent.questions.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CTAPStatus.keepaliveCancel) { try await task.value }
        #expect(fixture.store.calls == [.look])
    }

    @Test func `a task that is cancelled before is not asked for`() async throws {
        try await fixture.keep()
        let fixture = fixture
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await fixture.sign()
        }
        task.cancel()
        await #expect(throws: CTAPStatus.keepaliveCancel) { try await task.value }
        #expect(fixture.consent.questions.isEmpty)
    }

    @Test func `a task that is cancelled while the store signs hands nothing out, and writes nothing`() async throws {
        try await fixture.keep()
        fixture.store.cancel(at: .sign)
        let fixture = fixture
        let task = Task { try await fixture.sign() }
        await #expect(throws: CTAPStatus.keepaliveCancel) { try await task.value }
        #expect(fixture.store.calls.contains(.sign) && !fixture.store.calls.contains(.note))
    }
}

@Suite(.overBothStores) struct `The next passkey` {
    let fixture = AuthenticatorFixture()

    private func next(on channel: UInt64 = 0) async throws -> GetAssertionResponse {
        try await fixture.authenticator.getNextAssertion(in: CeremonyContext(channel: channel))
    }

    private func keepThree() async throws -> [MemoryPasskeyStore.Passkey] {
        [
            try await fixture.keep(3, of: AuthenticatorFixture.anna, createdAt: 3),
            try await fixture.keep(2, of: AuthenticatorFixture.bert, createdAt: 2),
            try await fixture.keep(1, of: UserHandle([7])!, createdAt: 1),
        ]
    }

    @Test(arguments: [true, false])
    func `all are fetched in order, and names are for verified persons`(isVerified: Bool) async throws {
        let kept = try await keepThree()
        let first = try await fixture.sign(AuthenticatorFixture.assertion { $0.options.userVerification = isVerified })
        #expect(first.numberOfCredentials == 3 && first.isUserSelected == nil)
        let responses = [first, try await next(), try await next()]
        for (response, credential) in zip(responses, kept) {
            #expect(response.credential?.id == credential.id)
            #expect(try response.isSigned(by: credential))
            #expect(try response.data.flags == first.data.flags)
            #expect(response.user?.id == credential.info.userHandle)
            #expect(response.user?.name == (isVerified ? credential.info.userName : nil))
            #expect(response.user?.displayName == (isVerified ? credential.info.userDisplayName : nil))
        }
        #expect(responses[1].numberOfCredentials == nil && responses[2].numberOfCredentials == nil)
        #expect(fixture.consent.questions.count == 1)
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
    }

    @Test func `a task that is cancelled before gets no further signature`() async throws {
        _ = try await keepThree()
        _ = try await fixture.sign()
        let signed = fixture.store.calls.filter { $0 == .sign }.count
        let fixture = fixture
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await fixture.authenticator.getNextAssertion(in: CeremonyContext(channel: 0))
        }
        task.cancel()
        await #expect(throws: CTAPStatus.keepaliveCancel) { try await task.value }
        #expect(fixture.store.calls.filter { $0 == .sign }.count == signed)
    }

    @Test func `it is remembered for thirty seconds, each time anew`() async throws {
        _ = try await keepThree()
        _ = try await fixture.sign()
        fixture.world.advance(by: 30)
        _ = try await next()
        fixture.world.advance(by: 30)
        _ = try await next()
        _ = try await fixture.sign()
        _ = try await next()
        fixture.world.advance(by: 31)
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
        // Too late is over.
        fixture.world.advance(by: -31)
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
    }

    @Test func `it is nobody's but the caller's`() async throws {
        _ = try await keepThree()
        _ = try await fixture.sign(AuthenticatorFixture.assertion(), in: CeremonyContext(channel: 1))
        await #expect(throws: CTAPStatus.notAllowed) { try await next(on: 2) }
        _ = try await next(on: 1)
    }

    @Test(arguments: [CTAPCommand.makeCredential, .getAssertion, .getInfo, .selection, .clientPIN, .reset])
    func `any other command ends it`(command: CTAPCommand) async throws {
        _ = try await keepThree()
        _ = try await fixture.sign()
        _ = await fixture.authenticator.process([command.rawValue], in: .init())
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
    }

    @Test func `calls end it as messages do`() async throws {
        _ = try await keepThree()
        _ = try await fixture.sign()
        try await fixture.authenticator.selection(in: .init())
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
        _ = try await fixture.sign()
        _ = try await fixture.make(AuthenticatorFixture.creation(UserHandle([8])!))
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
        _ = try await fixture.sign()
        fixture.consent.answer(ScriptedConsent.always(.refused))
        await fixture.refuses(.operationDenied, AuthenticatorFixture.assertion())
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
    }

    @Test func `of too many conversations the oldest is forgotten`() async throws {
        _ = try await keepThree()
        for channel in UInt64(0)..<17 {
            _ = try await fixture.sign(AuthenticatorFixture.assertion(), in: CeremonyContext(channel: channel))
            fixture.world.advance(by: 1)
        }
        await #expect(throws: CTAPStatus.notAllowed) { try await next(on: 0) }
        _ = try await next(on: 1)
        _ = try await next(on: 16)
    }

    @Test func `one passkey alone is not counted`() async throws {
        try await fixture.keep()
        #expect(try await fixture.sign().numberOfCredentials == nil)
        await #expect(throws: CTAPStatus.notAllowed) { try await next() }
    }
}
