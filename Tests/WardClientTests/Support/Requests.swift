import Synchronization
import Testing
import WardClient
import WardCOSE
import WardWebAuthn

/// A clock that a test moves: sleepers wait until it is past their hour, or until they are cancelled.
final class ManualClock: Sendable {
    private struct Sleeper { let until: Duration, wake: AsyncStream<Void>.Continuation }
    private struct State {
        var now = Duration.zero
        var sleepers: [Sleeper] = []
        var asked: [Duration] = []
    }
    private let state = Mutex(State())

    /// How long somebody wanted to sleep, in order.
    var asked: [Duration] { state.withLock { $0.asked } }

    var timeout: CeremonyTimeout {
        CeremonyTimeout { duration in
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            self.state.withLock { state in
                state.asked.append(duration)
                state.sleepers.append(Sleeper(until: state.now + duration, wake: continuation))
            }
            for await _ in stream {}
            try Task.checkCancellation()
        }
    }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let due = state.sleepers.filter { $0.until <= state.now }
            state.sleepers.removeAll { $0.until <= state.now }
            return due
        }
        for sleeper in due { sleeper.wake.finish() }
    }

    /// Waits until somebody sleeps.
    func settle() async {
        while state.withLock({ $0.sleepers.isEmpty }) { await Task.yield() }
    }
}

/// Options and callers that are right, for tests that spoil one thing.
enum ClientFixture {
    static let origin = "https://login.example.com"
    static let rpID = "example.com"
    static let challenge = Challenge([UInt8](0..<32))!
    static let user = PublicKeyCredentialUserEntity(
        id: UserHandle([1, 2, 3])!,
        name: "ada",
        displayName: "Ada"
    )
    static let otherID = CredentialID([UInt8](repeating: 9, count: 32))!

    static func caller(_ origin: String = Self.origin) throws -> Caller { try Caller(origin: origin) }

    static func creation(
        _ change: (inout PublicKeyCredentialCreationOptions) -> Void = { _ in }
    ) -> PublicKeyCredentialCreationOptions {
        var options = PublicKeyCredentialCreationOptions(
            rp: .init(id: rpID, name: "Example"),
            user: user,
            challenge: challenge,
            pubKeyCredParams: [.init(.es256), .init(.rs256)]
        )
        change(&options)
        return options
    }

    static func request(
        _ change: (inout PublicKeyCredentialRequestOptions) -> Void = { _ in }
    ) -> PublicKeyCredentialRequestOptions {
        var options = PublicKeyCredentialRequestOptions(
            challenge: challenge,
            rpID: rpID,
            userVerification: .preferred
        )
        change(&options)
        return options
    }

    /// An authenticator that holds one passkey of this RP ID already.
    static func holder(
        _ change: (inout ScriptedAuthenticator.State) -> Void = { _ in }
    ) async throws -> (ScriptedAuthenticator, RegistrationResponse) {
        let authenticator = ScriptedAuthenticator(change)
        let client = WebAuthnClient(authenticator)
        return (authenticator, try await client.create(creation(), from: try caller()))
    }
}

extension ClientError {
    /// Runs what must fail, and answers how.
    static func thrown(
        _ body: () async throws -> some Any,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> ClientError? {
        await #expect(throws: ClientError.self, sourceLocation: sourceLocation) { _ = try await body() }
    }
}
