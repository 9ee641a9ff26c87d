internal import WardText

/// The body `{"ceremony": …, "credential": …}` with which a page sends a response to its service, read in one pass.
package struct CredentialEnvelope<Response: Sendable>: Sendable {
    /// The ceremony's ID.
    package let ceremony: String
    /// The client's response.
    package let response: Response

    private static func read(_ body: [UInt8]) throws(WebAuthnError) -> (String, CredentialResponseReader) {
        var place = "body"
        let members: (ceremony: String?, credential: CredentialResponseReader?)
        do {
            members = try read(body.span, at: &place)
        } catch {
            throw WebAuthnError(error, in: place)
        }
        guard let ceremony = members.ceremony else { throw WebAuthnError(.missingMember, "ceremony") }
        guard let credential = members.credential else { throw WebAuthnError(.missingMember, "credential") }
        return (ceremony, credential)
    }

    private static func read(
        _ input: Span<UInt8>,
        at place: inout String
    ) throws(JSONError) -> (String?, CredentialResponseReader?) {
        var reader = JSONReader()
        var ceremony: String?
        var credential: CredentialResponseReader?
        var seen = SeenMembers()
        let names = [Array("ceremony".utf8), Array("credential".utf8)]
        var members = try reader.readObject(input)
        while let name = try reader.nextName(&members, input) {
            switch try seen.record(name, names, &reader, input) {
            case 0:
                place = "ceremony"
                ceremony = try reader.readString(input)
            case 1: credential = try CredentialResponseReader(&reader, input, at: &place)
            default: _ = try reader.skip(input)
            }
            place = "body"
        }
        try reader.finish(input)
        return (ceremony, credential)
    }
}

extension CredentialEnvelope where Response == RegistrationResponse {
    /// Reads a registration.
    package init(registration body: [UInt8]) throws(WebAuthnError) {
        let (ceremony, credential) = try Self.read(body)
        self.ceremony = ceremony
        response = try RegistrationResponse(credential)
    }
}

extension CredentialEnvelope where Response == AuthenticationResponse {
    /// Reads a sign-in.
    package init(authentication body: [UInt8]) throws(WebAuthnError) {
        let (ceremony, credential) = try Self.read(body)
        self.ceremony = ceremony
        response = try AuthenticationResponse(credential)
    }
}
