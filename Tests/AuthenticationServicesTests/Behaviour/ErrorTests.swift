import AuthenticationServices
import Testing

@Suite struct `Authorization errors` {
    @Test func `a code is found in what a delegate gets`() {
        let error: any Error = ASAuthorizationError(.canceled)
        #expect((error as? ASAuthorizationError)?.code == .canceled)
    }
}
