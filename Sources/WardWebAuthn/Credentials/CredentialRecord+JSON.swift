public import WardText

/// The record as JSON, for a store of documents, an export, or a queue.
///
/// Names are those of the standard's [credential record](https://www.w3.org/TR/webauthn-3/#credential-record), bytes are
/// base64url. Nothing in it is secret, but anybody who can change it decides who signs in.
extension CredentialRecord: WebAuthnJSON {
    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` that names the missing or wrong member.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        let members = try JSONMembers(value, in: "credentialRecord")
        guard let id = CredentialID(try members.bytes("id")) else {
            throw WebAuthnError(.valueOutOfRange, "credentialRecord.id must have 1 to 1,023 bytes")
        }
        guard let userHandle = UserHandle(try members.bytes("userHandle")) else {
            throw WebAuthnError(.valueOutOfRange, "credentialRecord.userHandle must have 1 to 64 bytes")
        }
        guard let signCount = UInt32(exactly: try members.optionalInteger("signCount") ?? 0) else {
            throw WebAuthnError(.valueOutOfRange, "credentialRecord.signCount must have 32 bits")
        }
        guard let aaguid = AAGUID(try members.optionalString("aaguid") ?? AAGUID.zero.description) else {
            throw WebAuthnError(.valueOutOfRange, "credentialRecord.aaguid must be a UUID")
        }
        self.init(
            id: id,
            userHandle: userHandle,
            publicKey: try members.bytes("publicKey"),
            signCount: signCount,
            uvInitialized: try members.bool("uvInitialized"),
            transports: try members.strings("transports"),
            backupEligible: try members.bool("backupEligible"),
            backedUp: try members.bool("backupState"),
            aaguid: aaguid,
            attestationFormat: try members.optionalString("attestationFormat") ?? "none",
            attestationObject: try members.optionalBytes("attestationObject"),
            clientDataJSON: try members.optionalBytes("attestationClientDataJSON"),
            rpID: try members.string("rpId")
        )
    }

    /// The JSON form.
    public var value: JSONValue {
        var members: [JSONValue.Member] = [
            .init("type", "public-key"),
            .init("id", .string(id.base64URL)),
            .init("publicKey", .string(Base64URL.encode(publicKey))),
            .init("signCount", .integer(Int64(signCount))),
            .init("transports", .strings(transports)),
            .init("uvInitialized", .bool(uvInitialized)),
            .init("backupEligible", .bool(backupEligible)),
            .init("backupState", .bool(backedUp)),
            .init("rpId", .string(rpID)),
            .init("userHandle", .string(userHandle.base64URL)),
            .init("aaguid", .string(aaguid.description)),
            .init("attestationFormat", .string(attestationFormat)),
        ]
        if let attestationObject {
            members.append(.init("attestationObject", .string(Base64URL.encode(attestationObject))))
        }
        if let clientDataJSON {
            members.append(.init("attestationClientDataJSON", .string(Base64URL.encode(clientDataJSON))))
        }
        return .object(members)
    }
}
