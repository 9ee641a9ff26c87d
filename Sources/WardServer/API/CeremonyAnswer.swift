import HTTPTypes
import Hummingbird
import WardWebAuthn

/// The body of the two calls that end a ceremony, read once and from then on only passed along.
struct CeremonyAnswer<Answer: Sendable>: Sendable {
    /// Which ceremony.
    let ceremony: CeremonyID
    /// What the authenticator said; nothing of it is checked yet.
    let response: Answer

    private init(_ envelope: CredentialEnvelope<Answer>) throws(APIError) {
        guard let ceremony = CeremonyID(envelope.ceremony) else {
            throw APIError(.malformedRequest, "\"ceremony\" is none of this service's.")
        }
        self.ceremony = ceremony
        response = envelope.response
    }
}

extension CeremonyAnswer where Answer == RegistrationResponse {
    /// Reads a registration.
    init(registration body: [UInt8]) throws(APIError) {
        let envelope: CredentialEnvelope<Answer>
        do { envelope = try CredentialEnvelope(registration: body) } catch { throw APIError(error) }
        try self.init(envelope)
    }
}

extension CeremonyAnswer where Answer == AuthenticationResponse {
    /// Reads a sign-in.
    init(authentication body: [UInt8]) throws(APIError) {
        let envelope: CredentialEnvelope<Answer>
        do { envelope = try CredentialEnvelope(authentication: body) } catch { throw APIError(error) }
        try self.init(envelope)
    }
}

extension Response {
    /// The answer that begins a ceremony.
    static func started(_ ceremony: CeremonyID, _ options: JSONValue) -> Response {
        let body: JSONValue = ["ceremony": .string(ceremony.description), "publicKey": options]
        return .json(body.serialized)
    }

    /// The answer with a cookie.
    func setting(_ cookie: String) -> Response {
        var response = self
        response.headers.append(HTTPField(name: .setCookie, value: cookie))
        return response
    }
}
