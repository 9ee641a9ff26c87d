internal import WardText

private let envelopeMembers = MemberNames(["ceremony", "credential", "passkeyName"])

/// The body `{"ceremony": …, "credential": …}` with which a page sends a response to its service, read in one pass.
package struct CredentialEnvelope<Response: Sendable>: Sendable {
    /// The ceremony's ID.
    package let ceremony: String
    /// The client's response.
    package let response: Response
    /// The page's name for a new passkey, if the page gives one.
    package let passkeyName: String?

    private struct Members {
        var ceremony: String?
        var credential: CredentialResponseReader?
        var passkeyName: String?
    }

    private static func read(_ body: [UInt8]) throws(WebAuthnError) -> (String, CredentialResponseReader, String?) {
        var place = CredentialPlace.body
        let members: Members
        do {
            members = try read(body.span, at: &place)
        } catch {
            throw WebAuthnError(error, in: place.path)
        }
        guard let ceremony = members.ceremony else { throw WebAuthnError(.missingMember, "ceremony") }
        guard let credential = members.credential else { throw WebAuthnError(.missingMember, "credential") }
        return (ceremony, credential, members.passkeyName)
    }

    private static func read(_ input: Span<UInt8>, at place: inout CredentialPlace) throws(JSONError) -> Members {
        var reader = JSONReader()
        var found = Members()
        var seen = SeenMembers()
        var members = try reader.readObject(input)
        while let name = try reader.nextName(&members, input) {
            switch try seen.record(name, envelopeMembers, &reader, input) {
            case 0:
                place = .ceremony
                found.ceremony = try reader.readString(input)
            case 1: found.credential = try CredentialResponseReader(&reader, input, at: &place)
            case 2:
                place = .passkeyName
                found.passkeyName = try reader.readString(input)
            default: _ = try reader.skip(input)
            }
            place = .body
        }
        try reader.finish(input)
        return found
    }
}

extension CredentialEnvelope where Response == RegistrationResponse {
    /// Reads a registration.
    package init(registration body: [UInt8]) throws(WebAuthnError) {
        let (ceremony, credential, passkeyName) = try Self.read(body)
        self.ceremony = ceremony
        self.passkeyName = passkeyName
        response = try RegistrationResponse(credential)
    }
}

extension CredentialEnvelope where Response == AuthenticationResponse {
    /// Reads a sign-in.
    package init(authentication body: [UInt8]) throws(WebAuthnError) {
        let (ceremony, credential, passkeyName) = try Self.read(body)
        self.ceremony = ceremony
        self.passkeyName = passkeyName
        response = try AuthenticationResponse(credential)
    }
}
