import HTTPTypes
import Hummingbird
import WardText
import WardWebAuthn

/// The body of the two calls that finish a ceremony, parsed once.
struct CeremonyAnswer<Answer: Sendable>: Sendable {
    /// The ID of the ceremony.
    let ceremony: CeremonyID
    /// The client's response.
    ///
    /// It is not verified yet.
    let response: Answer
    /// The page's name for the new passkey, if it gives one.
    let passkeyName: String?

    private init(_ envelope: CredentialEnvelope<Answer>) throws(APIError) {
        guard let ceremony = CeremonyID(envelope.ceremony) else {
            throw APIError(.malformedRequest, "\"ceremony\" is not the ID of a ceremony of this service.")
                .at("ceremony")
        }
        self.ceremony = ceremony
        response = envelope.response
        passkeyName = try envelope.passkeyName.map { text throws(APIError) in
            try PublicText.passkeyName(text, at: "passkeyName")
        }
    }
}

extension CeremonyAnswer where Answer == RegistrationResponse {
    /// Parses the body of a registration.
    init(registration body: [UInt8]) throws(APIError) {
        let envelope: CredentialEnvelope<Answer>
        do { envelope = try CredentialEnvelope(registration: body) } catch { throw APIError(error) }
        try self.init(envelope)
    }
}

extension CeremonyAnswer where Answer == AuthenticationResponse {
    /// Parses the body of a sign-in.
    init(authentication body: [UInt8]) throws(APIError) {
        let envelope: CredentialEnvelope<Answer>
        do { envelope = try CredentialEnvelope(authentication: body) } catch { throw APIError(error) }
        try self.init(envelope)
    }
}

extension Response {
    /// The response that starts a ceremony: its ID and its options.
    static func started(_ ceremony: CeremonyID, _ options: JSONValue) -> Response {
        let body: JSONValue = ["ceremony": .string(ceremony.description), "publicKey": options]
        return .json(body.serialized)
    }

    /// Adds a cookie to the response.
    func setting(_ cookie: String) -> Response {
        var response = self
        response.headers.append(HTTPField(name: .setCookie, value: cookie))
        return response
    }
}
