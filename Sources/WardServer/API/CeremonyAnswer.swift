import HTTPTypes
import Hummingbird
import WardRelyingParty
import WardText
import WardWebAuthn

/// The body of the two calls that finish a ceremony, parsed once.
struct CeremonyAnswer<Begun: Sendable, Answer: Sendable>: Sendable {
    /// The ceremony.
    let ceremony: Begun
    /// The client's response.
    ///
    /// It is not verified yet.
    let response: Answer
    /// The page's name for the new passkey, if it gives one.
    let passkeyName: String?

    private init(_ ceremony: Begun, _ envelope: CredentialEnvelope<Answer>) throws(APIError) {
        self.ceremony = ceremony
        response = envelope.response
        passkeyName = try envelope.passkeyName.map { text throws(APIError) in
            try PublicText.passkeyName(text, at: "passkeyName")
        }
    }
}

extension CeremonyAnswer where Begun == CeremonyID, Answer == RegistrationResponse {
    /// Parses the body of a registration.
    init(registration body: [UInt8]) throws(APIError) {
        let envelope: CredentialEnvelope<Answer>
        do { envelope = try CredentialEnvelope(registration: body) } catch { throw APIError(error) }
        guard let ceremony = CeremonyID(envelope.ceremony) else { throw .notCeremony }
        try self.init(ceremony, envelope)
    }
}

extension CeremonyAnswer where Begun == BegunCeremony, Answer == AuthenticationResponse {
    /// Parses the body of a sign-in.
    init(authentication body: [UInt8], _ seal: CeremonySeal) throws(APIError) {
        let envelope: CredentialEnvelope<Answer>
        do { envelope = try CredentialEnvelope(authentication: body) } catch { throw APIError(error) }
        try self.init(try BegunCeremony(envelope.ceremony, seal), envelope)
    }
}

extension APIError {
    /// The error for a text that names no ceremony.
    static var notCeremony: APIError {
        APIError(.malformedRequest, "\"ceremony\" is not a ceremony of this service.").at("ceremony")
    }
}

extension Response {
    /// The response that starts a ceremony: the text for its answer, and its options.
    static func started(_ ceremony: String, _ options: JSONValue) -> Response {
        let body: JSONValue = ["ceremony": .string(ceremony), "publicKey": options]
        return .json(body.serialized)
    }

    /// Adds a cookie to the response.
    func setting(_ cookie: String) -> Response {
        var response = self
        response.headers.append(HTTPField(name: .setCookie, value: cookie))
        return response
    }
}
