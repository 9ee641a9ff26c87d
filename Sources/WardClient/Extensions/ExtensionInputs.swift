internal import WardText
internal import WardWebAuthn

/// A page's `prf` input, with the credential IDs as the page wrote them.
struct PRFRequest: Sendable {
    var eval: PRFInputs.Values?
    /// At registration, an absent input and an empty input have different meanings.
    var byCredential: [(key: String, values: PRFInputs.Values)]?
}

extension AuthenticationExtensionsClientInputs {
    /// An input that is present; `null` counts as absent.
    private func input(_ name: String) -> JSONValue? {
        guard let value = self[name], value != .null else { return nil }
        return value
    }

    /// A boolean; absent means false.
    func flag(_ name: String) throws(ClientError) -> Bool {
        guard let value = input(name) else { return false }
        guard let flag = value.boolValue else { throw ClientError(.type, "extensions.\(name) must be a boolean") }
        return flag
    }

    /// A policy; unknown values count as absent
    /// ([§2.1.1](https://www.w3.org/TR/webauthn-3/#sct-domstring-backwards-compatibility)).
    func protectionPolicy() throws(ClientError) -> CredentialProtectionPolicy? {
        guard let value = input("credentialProtectionPolicy") else { return nil }
        guard let text = value.stringValue else {
            throw ClientError(.type, "extensions.credentialProtectionPolicy must be text")
        }
        let policy = CredentialProtectionPolicy(rawValue: text)
        return policy.level == nil ? nil : policy
    }

    /// `largeBlob`.
    func largeBlobRequest() throws(ClientError) -> LargeBlobInputs? {
        guard let value = input("largeBlob") else { return nil }
        guard case .object = value else { throw ClientError(.type, "extensions.largeBlob must be an object") }
        var blob = LargeBlobInputs()
        if let support = value["support"], support != .null {
            guard let text = support.stringValue else {
                throw ClientError(.type, "extensions.largeBlob.support must be text")
            }
            blob.support = .init(rawValue: text)
        }
        if let read = value["read"], read != .null {
            guard let flag = read.boolValue else {
                throw ClientError(.type, "extensions.largeBlob.read must be a boolean")
            }
            blob.read = flag
        }
        if let write = value["write"], write != .null { blob.write = try Self.bytes(write, "largeBlob.write") }
        return blob
    }

    func prfRequest() throws(ClientError) -> PRFRequest? {
        guard let value = input("prf") else { return nil }
        guard case .object = value else { throw ClientError(.type, "extensions.prf must be an object") }
        var request = PRFRequest()
        if let eval = value["eval"], eval != .null { request.eval = try Self.values(eval, "prf.eval") }
        if let record = value["evalByCredential"], record != .null {
            guard case .object(let members) = record else {
                throw ClientError(.type, "extensions.prf.evalByCredential must be an object")
            }
            var entries: [(key: String, values: PRFInputs.Values)] = []
            for member in members {
                entries.append((member.name, try Self.values(member.value, "prf.evalByCredential")))
            }
            request.byCredential = entries
        }
        return request
    }

    private static func values(_ value: JSONValue, _ path: String) throws(ClientError) -> PRFInputs.Values {
        guard case .object = value, let first = value["first"] else {
            throw ClientError(.type, "extensions.\(path) must have a first input")
        }
        var values = PRFInputs.Values(first: try bytes(first, "\(path).first"))
        if let second = value["second"], second != .null { values.second = try bytes(second, "\(path).second") }
        return values
    }

    private static func bytes(_ value: JSONValue, _ path: String) throws(ClientError) -> [UInt8] {
        guard let text = value.stringValue else { throw ClientError(.type, "extensions.\(path) must be base64url") }
        guard let bytes = Base64URL.decode(text) else {
            throw ClientError(.encoding, "extensions.\(path) is not base64url")
        }
        return bytes
    }
}
