import Synchronization
import Testing
import WardCTAP
import WardClient
import WardWebAuthn

@Suite struct `Mediation and time` {
    // MARK: The table

    @Test(
        arguments: [
            ("optional", nil), ("required", nil), ("silent", "NotAllowedError"), ("conditional", "NotAllowedError"),
            ("immediate", "TypeError"), ("", "TypeError"),
        ] as [(CredentialMediationRequirement, String?)]
    )
    func `a client that offers nothing conditional answers each value`(
        mediation: CredentialMediationRequirement,
        error: String?
    ) async throws {
        let (authenticator, _) = try await ClientFixture.holder()
        let before = authenticator.seen.contexts.count
        let client = WebAuthnClient(authenticator)
        if let error {
            let created = await ClientError.thrown {
                try await client.create(ClientFixture.creation(), from: ClientFixture.caller(), mediation: mediation)
            }
            let got = await ClientError.thrown {
                try await client.get(ClientFixture.request(), from: ClientFixture.caller(), mediation: mediation)
            }
            #expect(created?.code.name == error)
            #expect(got?.code.name == error)
            #expect(authenticator.seen.contexts.count == before)
        } else {
            _ = try await client.create(ClientFixture.creation(), from: ClientFixture.caller(), mediation: mediation)
            _ = try await client.get(ClientFixture.request(), from: ClientFixture.caller(), mediation: mediation)
            #expect(authenticator.seen.contexts.allSatisfy { !$0.isConditional })
        }
    }

    // MARK: Conditional create

    private let upgrading = ClientConfiguration(mayUpgrade: { _, rpID, user in
        rpID == "example.com" && user.name == "ada"
    })

    @Test func `an upgrade asks nobody and says so`() async throws {
        let authenticator = ScriptedAuthenticator()
        let client = WebAuthnClient(authenticator, upgrading)
        let response = try await client.create(
            ClientFixture.creation(),
            from: ClientFixture.caller(),
            mediation: .conditional
        )
        let flags = try AttestationObject(response.attestationObject).authenticatorData.flags
        #expect(!flags.contains(.userPresent))
        #expect(!flags.contains(.userVerified))
        #expect(authenticator.seen.made.first?.options.userVerification == nil)
        #expect(authenticator.seen.made.first?.options.userPresence == nil)
        #expect(authenticator.seen.contexts.first?.isConditional == true)
        #expect(authenticator.seen.selections == 0)
    }

    @Test func `an upgrade nobody signed in for is a NotAllowedError`() async throws {
        let authenticator = ScriptedAuthenticator()
        let client = WebAuthnClient(authenticator, upgrading)
        let error = await ClientError.thrown {
            try await client.create(
                ClientFixture.creation { $0.user.name = "grace" },
                from: ClientFixture.caller(),
                mediation: .conditional
            )
        }
        #expect(error?.code == .notAllowed)
        #expect(authenticator.seen.contexts.isEmpty)
    }

    @Test func `an upgrade in a frame of another origin is a NotAllowedError`() async throws {
        let frame = Caller.frame(
            try WebOrigin(ClientFixture.origin),
            under: try WebOrigin("https://shop.example"),
            hasTransientActivation: true
        )
        let client = WebAuthnClient(ScriptedAuthenticator(), upgrading)
        let error = await ClientError.thrown {
            try await client.create(ClientFixture.creation(), from: frame, mediation: .conditional)
        }
        #expect(error?.code == .notAllowed)
    }

    @Test func `an upgrade that requires verification is a ConstraintError`() async throws {
        let client = WebAuthnClient(ScriptedAuthenticator(), upgrading)
        let error = await ClientError.thrown {
            try await client.create(
                ClientFixture.creation { $0.authenticatorSelection = .init(userVerification: .required) },
                from: ClientFixture.caller(),
                mediation: .conditional
            )
        }
        #expect(error?.code == .constraint)
    }

    @Test func `an upgrade tells nobody that a passkey is here already`() async throws {
        let (authenticator, held) = try await ClientFixture.holder()
        let client = WebAuthnClient(authenticator, upgrading)
        let error = await ClientError.thrown {
            try await client.create(
                ClientFixture.creation { $0.excludeCredentials = [.init(id: held.id)] },
                from: ClientFixture.caller(),
                mediation: .conditional
            )
        }
        #expect(error?.code == .notAllowed)
    }

    @Test func `an upgrade for another kind of authenticator shows nothing`() async throws {
        let authenticator = ScriptedAuthenticator()
        let client = WebAuthnClient(authenticator, upgrading)
        let error = await ClientError.thrown {
            try await client.create(
                ClientFixture.creation {
                    $0.authenticatorSelection = .init(
                        authenticatorAttachment: .crossPlatform,
                        userVerification: .preferred
                    )
                },
                from: ClientFixture.caller(),
                mediation: .conditional
            )
        }
        #expect(error?.code == .notAllowed)
        #expect(authenticator.seen.selections == 0)
    }

    // MARK: Conditional get

    private func conditional(
        _ authenticator: ScriptedAuthenticator,
        _ clock: ManualClock = .init(),
        discovers: [CredentialID]? = nil
    ) -> WebAuthnClient<ScriptedAuthenticator> {
        var configuration = ClientConfiguration(timeout: clock.timeout, offersAutofill: true)
        if let discovers { configuration.silentDiscovery = { _ in discovers } }
        return WebAuthnClient(authenticator, configuration)
    }

    @Test func `autofill takes any discoverable credential, and has no timeout`() async throws {
        let (authenticator, held) = try await ClientFixture.holder()
        let clock = ManualClock()
        let response = try await conditional(authenticator, clock).get(
            ClientFixture.request { $0.timeout = 1 },
            from: ClientFixture.caller(),
            mediation: .conditional
        )
        #expect(response.id == held.id)
        #expect(authenticator.seen.contexts.last?.isConditional == true)
        #expect(authenticator.seen.contexts.last?.timeout == nil)
        #expect(clock.asked == [])
    }

    @Test func `listed credentials are a filter, and those here alone are offered`() async throws {
        let (authenticator, held) = try await ClientFixture.holder()
        let client = conditional(authenticator, discovers: [held.id])
        let options = ClientFixture.request {
            $0.allowCredentials = [.init(id: ClientFixture.otherID), .init(id: held.id)]
        }
        let response = try await client.get(options, from: ClientFixture.caller(), mediation: .conditional)
        #expect(response.id == held.id)
        #expect(authenticator.seen.got.last?.allowList.map(\.id) == [held.id])
    }

    /// What a page must not learn from a conditional request: it stays open until the page takes it back.
    @Test(arguments: ["nothing here", "denied", "not on the list", "not on the list, as discovered", "unsound"])
    func `without a credential it waits until it is taken back`(why: String) async throws {
        let (authenticator, held) = try await ClientFixture.holder()
        var options = ClientFixture.request()
        var discovers: [CredentialID]?
        switch why {
        case "nothing here": authenticator.change { $0.credentials = [] }
        case "denied": authenticator.change { $0.refusal = .operationDenied }
        case "unsound": authenticator.change { $0.spoilGet = { $0.authenticatorData = [] } }
        default:
            options.allowCredentials = [.init(id: ClientFixture.otherID)]
            if why.hasSuffix("discovered") { discovers = [held.id] }
        }
        let clock = ManualClock()
        let client = conditional(authenticator, clock, discovers: discovers)
        let request = options
        let task = Task { try await client.get(request, from: ClientFixture.caller(), mediation: .conditional) }
        await clock.settle()
        clock.advance(by: .seconds(86_400))
        await clock.settle()
        task.cancel()
        #expect(await ClientError.thrown { try await task.value }?.code == .abort)
        if discovers != nil { #expect(authenticator.seen.got.isEmpty) }
    }

    // MARK: Time

    @Test(
        arguments: [
            (nil, 300_000), (0, 300_000), (-5, 300_000), (60_000, 300_000), (300_000, 300_000), (300_001, 300_001),
            (600_000, 600_000), (600_001, 600_000), (.max, 600_000), (.min, 300_000),
        ] as [(Int64?, Int64)]
    )
    func `the hint is kept within five and ten minutes`(hint: Int64?, milliseconds: Int64) {
        #expect(CeremonyTimeout.clamped(hint) == .milliseconds(milliseconds))
    }

    @Test func `time ends the request, and the authenticator is told`() async throws {
        let clock = ManualClock()
        let authenticator = ScriptedAuthenticator { $0.waits = true }
        let client = WebAuthnClient(authenticator, ClientConfiguration(timeout: clock.timeout))
        let task = Task {
            try await client.create(ClientFixture.creation { $0.timeout = 400_000 }, from: ClientFixture.caller())
        }
        while authenticator.seen.contexts.isEmpty { await Task.yield() }
        await clock.settle()
        #expect(clock.asked == [.seconds(400)])
        clock.advance(by: .seconds(400))
        let error = await ClientError.thrown { try await task.value }
        #expect(error?.code == .notAllowed)
        #expect(error?.reason == .timedOut)
        #expect(authenticator.seen.wasCancelled)
    }

    @Test func `a request taken back is an AbortError, and the authenticator is told`() async throws {
        for isCreation in [true, false] {
            let authenticator = ScriptedAuthenticator { $0.waits = true }
            let client = WebAuthnClient(authenticator)
            let task = Task {
                if isCreation {
                    _ = try await client.create(ClientFixture.creation(), from: ClientFixture.caller())
                } else {
                    _ = try await client.get(ClientFixture.request(), from: ClientFixture.caller())
                }
            }
            while authenticator.seen.contexts.isEmpty { await Task.yield() }
            task.cancel()
            let error = await ClientError.thrown { try await task.value }
            #expect(error?.code == .abort)
            #expect(error?.reason == .cancelled)
            #expect(authenticator.seen.wasCancelled)
        }
    }

    @Test func `a request that was taken back before it began asks nobody`() async throws {
        let authenticator = ScriptedAuthenticator()
        let client = WebAuthnClient(authenticator)
        let gate = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in gate.stream {}
            return try await client.create(ClientFixture.creation(), from: ClientFixture.caller())
        }
        task.cancel()
        gate.continuation.finish()
        #expect(await ClientError.thrown { try await task.value }?.code == .abort)
        #expect(authenticator.seen.contexts.isEmpty)
    }

    @Test func `an upgrade that was taken back before it began is not judged`() async throws {
        let judged = Mutex(false)
        let configuration = ClientConfiguration(mayUpgrade: { _, _, _ in
            judged.withLock { $0 = true }
            return true
        })
        let client = WebAuthnClient(ScriptedAuthenticator(), configuration)
        let gate = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in gate.stream {}
            return try await client.create(
                ClientFixture.creation(),
                from: ClientFixture.caller(),
                mediation: .conditional
            )
        }
        task.cancel()
        #expect(await ClientError.thrown { try await task.value }?.code == .abort)
        #expect(!judged.withLock { $0 })
    }

    @Test func `an upgrade that is taken back while it is judged asks no authenticator`() async throws {
        let authenticator = ScriptedAuthenticator()
        let (judging, never) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        let configuration = ClientConfiguration(mayUpgrade: { _, _, _ in
            judging.continuation.finish()
            // Ends when the task is cancelled.
            for await _ in never.stream {}
            return true
        })
        let client = WebAuthnClient(authenticator, configuration)
        let task = Task {
            try await client.create(ClientFixture.creation(), from: ClientFixture.caller(), mediation: .conditional)
        }
        for await _ in judging.stream {}
        task.cancel()
        #expect(await ClientError.thrown { try await task.value }?.code == .abort)
        #expect(authenticator.seen.contexts.isEmpty)
    }

    @Test func `an authenticator without information is an UnknownError, unless the question was taken back`() async {
        let client = WebAuthnClient(ScriptedAuthenticator { $0.infoRefusal = .other })
        #expect(await ClientError.thrown { try await client.capabilities() }?.code == .unknown)
        let gate = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in gate.stream {}
            return try await client.capabilities()
        }
        task.cancel()
        #expect(await ClientError.thrown { try await task.value }?.code == .abort)
    }
}
