import Testing
import WardAuthenticator
import WardCTAP
import WardWebAuthn

@Suite(.overBothStores) struct `Verification that is preferred and not required` {
    let fixture = AuthenticatorFixture()
    let preferring = CeremonyContext(isVerificationOptional: true)

    private func confirming() {
        fixture.consent.answer(ScriptedConsent.always(.agreed(ConsentAgreement(isPresent: true, isVerified: false))))
    }

    @Test func `a yes alone signs, and the flags say so`() async throws {
        let kept = try await fixture.keep()
        confirming()
        let request = AuthenticatorFixture.assertion(allowing: [kept.id]) { $0.options.userVerification = true }
        let response = try await fixture.sign(request, in: preferring)
        #expect(try response.data.flags == [.userPresent, .backupEligible, .backupState])
        #expect(fixture.consent.questions.map(\.wantsVerification) == [true])
        #expect(fixture.consent.questions.map(\.isVerificationOptional) == [true])
        let made = try await fixture.make(
            AuthenticatorFixture.creation(AuthenticatorFixture.bert) { $0.options.userVerification = true },
            in: preferring
        )
        #expect(try !made.data.flags.contains(.userVerified))
    }

    @Test func `a verified person is signed as one`() async throws {
        try await fixture.keep()
        let response = try await fixture.sign(
            AuthenticatorFixture.assertion { $0.options.userVerification = true },
            in: preferring
        )
        #expect(try response.data.flags.contains(.userVerified))
    }

    @Test func `a yes alone is not an answer where verification is required`() async throws {
        try await fixture.keep()
        confirming()
        await fixture.refuses(.operationDenied, AuthenticatorFixture.assertion { $0.options.userVerification = true })
        await fixture.refuses(.operationDenied, AuthenticatorFixture.creation { $0.options.userVerification = true })
    }

    @Test(arguments: [(2, false), (3, true)] as [(UInt64, Bool)])
    func `a passkey that answers for verified persons alone makes it required`(
        level: UInt64,
        isNamed: Bool
    ) async throws {
        let kept = try await fixture.keep(protection: CredentialProtectionPolicy(level: level))
        confirming()
        let request = AuthenticatorFixture.assertion(allowing: isNamed ? [kept.id] : []) {
            $0.options.userVerification = true
        }
        await fixture.refuses(.operationDenied, request, in: preferring)
        #expect(fixture.consent.questions.map(\.isVerificationOptional) == [false])
    }

    @Test func `an excluded passkey of level 3 makes it required`() async throws {
        let kept = try await fixture.keep(of: AuthenticatorFixture.bert, protection: .userVerificationRequired)
        confirming()
        let request = AuthenticatorFixture.creation { request in
            request.excludeList = [.init(id: kept.id)]
            request.options.userVerification = true
        }
        await fixture.refuses(.operationDenied, request, in: preferring)
    }
}
