package import Foundation
internal import Synchronization
package import WardRelyingParty
package import WardTesting
internal import WardWebAuthn

/// The app's own service: makes challenges, and believes nothing that it has not verified.
package final class ExampleService: Sendable {
    private struct State {
        var users: [Data: UserHandle] = [:]
        var ceremonies: [Data: CeremonyID] = [:]
    }

    package let relyingParty: RelyingParty
    package let store = MemoryCredentialStore()
    private let state = Mutex(State())

    package init() throws {
        relyingParty = try RelyingParty(id: "example.com", name: "Example", origins: ["https://example.com"])
    }

    /// A user handle for a new account.
    package func newUserID() -> Data { Data(UserHandle.random().bytes) }

    package func registrationChallenge(userID: Data, isConditional: Bool = false) async throws -> Data {
        guard let handle = UserHandle(Array(userID)) else { throw CocoaError(.coderInvalidValue) }
        var request = RegistrationRequest()
        request.userVerification = .preferred
        if isConditional { request.mediation = .conditional }
        let user = PublicKeyCredentialUserEntity(id: handle, name: "anna", displayName: "Anna")
        let begun = try await relyingParty.beginRegistration(for: user, in: store, request: request)
        return keep(begun.options.challenge, begun.ceremony)
    }

    package func signInChallenge() async throws -> Data {
        var request = AuthenticationRequest()
        request.userVerification = .preferred
        let begun = try await relyingParty.beginAuthentication(in: store, request: request)
        return keep(begun.options.challenge, begun.ceremony)
    }

    /// Takes a new passkey.
    package func register(_ challenge: Data, id: Data, attestationObject: Data?, clientDataJSON: Data) async throws {
        let response = RegistrationResponse(
            id: try credentialID(id),
            clientDataJSON: Array(clientDataJSON),
            attestationObject: Array(attestationObject ?? Data())
        )
        _ = try await relyingParty.finishRegistration(try take(challenge), response.json, in: store)
    }

    /// Signs in; answers whose account it is.
    package func signIn(
        _ challenge: Data,
        id: Data,
        authenticatorData: Data,
        clientDataJSON: Data,
        signature: Data,
        userID: Data?
    ) async throws -> Data {
        let response = AuthenticationResponse(
            id: try credentialID(id),
            clientDataJSON: Array(clientDataJSON),
            authenticatorData: Array(authenticatorData),
            signature: Array(signature),
            userHandle: userID.flatMap { UserHandle(Array($0)) }
        )
        let verified = try await relyingParty.finishAuthentication(try take(challenge), response.json, in: store)
        return Data(verified.credential.userHandle.bytes)
    }

    private func credentialID(_ id: Data) throws -> CredentialID {
        guard let id = CredentialID(Array(id)) else { throw CocoaError(.coderInvalidValue) }
        return id
    }

    private func keep(_ challenge: Challenge, _ ceremony: CeremonyID) -> Data {
        let data = Data(challenge.bytes)
        state.withLock { $0.ceremonies[data] = ceremony }
        return data
    }

    private func take(_ challenge: Data) throws -> CeremonyID {
        guard let id = state.withLock({ $0.ceremonies.removeValue(forKey: challenge) }) else {
            throw CocoaError(.coderValueNotFound)
        }
        return id
    }
}
