import AuthenticationServices
import Testing
import WardAgent
import WardAgentClient

/// What goes beyond signing in, as the vault's own authenticator answers it.
@MainActor @Suite(.timeLimit(.minutes(15))) struct `Extensions and reports, with Ward's own agent` {
    private let controller = AuthorizationController()
    private let platform = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: "example.com")
    private let challenge = Data("a challenge of thirty-two bytes..".utf8)
    private let userID = Data("anna's handle".utf8)

    private func make(
        _ fixture: RealAgentFixture,
        _ configure: (ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest) -> Void = { _ in }
    ) async throws -> ASAuthorizationPlatformPublicKeyCredentialRegistration {
        let request = platform.createCredentialRegistrationRequest(challenge: challenge, name: "anna", userID: userID)
        request.userVerificationPreference = .required
        configure(request)
        fixture.person.will(RealAgentFixture.typed)
        guard case .passkeyRegistration(let made) = try await controller.performRequest(request) else {
            throw ASAuthorizationError(.unknown)
        }
        return made
    }

    private func use(
        _ fixture: RealAgentFixture,
        _ configure: (ASAuthorizationPlatformPublicKeyCredentialAssertionRequest) -> Void
    ) async throws -> ASAuthorizationPlatformPublicKeyCredentialAssertion {
        let request = platform.createCredentialAssertionRequest(challenge: challenge)
        request.userVerificationPreference = .required
        configure(request)
        fixture.person.will(RealAgentFixture.typed)
        guard case .passkeyAssertion(let used) = try await controller.performRequest(request) else {
            throw ASAuthorizationError(.unknown)
        }
        return used
    }

    @Test func `a passkey's function gives the same keys for the same inputs, and other ones for others`() async throws
    {
        let fixture = try await RealAgentFixture()
        try await fixture.running {
            let made = try await make(fixture) { $0.prf = .checkForSupport }
            #expect(made.prf?.isSupported == true)
            let (one, two) = (Data("one".utf8), Data("two".utf8))
            let both = try #require(
                try await use(fixture) { $0.prf = .inputValues(.saltInput1(one, saltInput2: two)) }.prf
            )
            let swapped = try #require(
                try await use(fixture) { $0.prf = .inputValues(.saltInput1(two, saltInput2: one)) }.prf
            )
            #expect(both.second != nil && both.first != both.second)
            #expect(swapped.first == both.second && swapped.second == both.first)
            let chosen = try await use(fixture) {
                $0.allowedCredentials = [.init(credentialID: made.credentialID)]
                $0.prf = .perCredentialInputValues([made.credentialID: .saltInput1(two)])
            }
            #expect(chosen.prf?.first == both.second)
            #expect(chosen.prf?.second == nil)
            #expect(try await use(fixture) { _ in }.prf == nil)
        }
        try await fixture.end()
    }

    @Test func `a large blob is written, and read again`() async throws {
        let fixture = try await RealAgentFixture()
        try await fixture.running {
            let made = try await make(fixture) { $0.largeBlob = .supportRequired }
            #expect(made.largeBlob?.isSupported == true)
            let blob = Data(repeating: 7, count: 900)
            func allowed(_ request: ASAuthorizationPlatformPublicKeyCredentialAssertionRequest) {
                request.allowedCredentials = [.init(credentialID: made.credentialID)]
            }
            let written = try await use(fixture) {
                allowed($0)
                $0.largeBlob = .write(blob)
            }
            #expect(written.largeBlob?.result == .write(success: true))
            let read = try await use(fixture) {
                allowed($0)
                $0.largeBlob = .read
            }
            #expect(read.largeBlob?.result == .read(data: blob))
        }
        try await fixture.end()
    }

    @Test func `a passkey that is there already is not made again`() async throws {
        let fixture = try await RealAgentFixture()
        try await fixture.running {
            let made = try await make(fixture)
            await #expect {
                try await make(fixture) { $0.excludedCredentials = [.init(credentialID: made.credentialID)] }
            } throws: { error in
                (error as? ASAuthorizationError)?.code == .matchedExcludedCredential
            }
        }
        try await fixture.end()
    }

    @Test func `what a service says of its passkeys reaches the vault`() async throws {
        let fixture = try await RealAgentFixture()
        try await fixture.running {
            let made = try await make(fixture)
            let updater = ASCredentialUpdater()
            func kept() async throws -> [PasskeyRecord] {
                try await fixture.call(ListPasskeys(authorization: Authorization(mayPrompt: false))).passkeys
            }
            try await updater.reportPublicKeyCredentialUpdate(
                relyingPartyIdentifier: "example.com",
                userHandle: userID,
                newName: "anna.smith"
            )
            #expect(try await kept().map(\.userName) == ["anna.smith"])
            try await updater.reportUnknownPublicKeyCredential(
                relyingPartyIdentifier: "example.com",
                credentialID: made.credentialID
            )
            #expect(try await kept().map(\.isHidden) == [true])
            try await updater.reportAllAcceptedPublicKeyCredentials(
                relyingPartyIdentifier: "example.com",
                userHandle: userID,
                acceptedCredentialIDs: [made.credentialID]
            )
            #expect(try await kept().map(\.isHidden) == [false])
            await #expect(throws: ASAuthorizationError.self) {
                try await updater.reportUnknownPublicKeyCredential(
                    relyingPartyIdentifier: "example.net",
                    credentialID: made.credentialID
                )
            }
        }
        try await fixture.end()
    }

    @Test func `a password that is saved is kept, after a question`() async throws {
        let fixture = try await RealAgentFixture()
        try await fixture.running {
            let manager = CredentialDataManager()
            let scope = ASAutoFillURLScope(scheme: .https, host: "example.com")
            fixture.person.will(.agreed)
            try await manager.save(
                password: ASPasswordCredential(user: "anna", password: "opensesame"),
                for: scope,
                title: "Example"
            )
            #expect(fixture.person.asked.count == 1)
            let items = try await fixture.call(ListItems(authorization: Authorization(mayPrompt: false))).items
            #expect(items.map(\.title) == ["Example"])
            await #expect {
                try await manager.save(password: .init(user: "anna", password: "another"), for: scope)
            } throws: { error in
                (error as? ASAuthorizationError)?.code == .canceled
            }
        }
        try await fixture.end()
    }
}
