import AuthenticationServices
import AuthenticationServicesFixtures
import Testing

@MainActor @Suite struct `Listings with a continuation` {
    @Test func `an authorization crosses to the task that waits for it`() async throws {
        try await AppFixture.running { fixture, _ in
            fixture.change { $0.passwords = ["anna": "opensesame"] }
            let request = ASAuthorizationPasswordProvider().createRequest()
            let authorization = try await ContinuationSignIn().perform([request])
            #expect(await userName(of: authorization) == "anna")
        }
    }

    @Test func `an app that shows its form when it is cancelled does so when there is nothing`() async throws {
        try await AppFixture.running { _, _ in
            let request = ASAuthorizationPasswordProvider().createRequest()
            var showsForm = false
            do { _ = try await ContinuationSignIn().perform([request]) } catch ASAuthorizationError.canceled {
                showsForm = true
            }
            #expect(showsForm)
        }
    }

    @Test func `what is expected in a field may change`() {
        let field = TerminalTextField("Password: ", textContentType: .password, isSecureTextEntry: true)
        field.textContentType = .newPassword
        #expect(field.textContentType == .newPassword)
    }
}
