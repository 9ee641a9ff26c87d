internal import Crypto
internal import WardText

/// Inputs of the `prf` extension, for the credential's pseudo-random function (PRF).
///
/// WebAuthn Level 3, [§10.1.4](https://www.w3.org/TR/webauthn-3/#prf-extension). The client hashes each input with a
/// prefix before it reaches an authenticator, so inputs may have any length.
public struct PRFInputs: Hashable, Sendable {
    /// One or two inputs.
    public struct Values: Hashable, Sendable {
        /// The first input or result.
        public var first: [UInt8]
        /// The second input or result, if any.
        public var second: [UInt8]?

        /// Creates one or two values.
        public init(first: [UInt8], second: [UInt8]? = nil) {
            self.first = first
            self.second = second
        }

        /// The salts for an authenticator's `hmac-secret`: SHA-256 over a prefix and each input.
        ///
        /// The prefix prevents a page from requesting results of other uses of the authenticator.
        ///
        /// WebAuthn Level 3, [§10.1.4](https://www.w3.org/TR/webauthn-3/#prf-extension).
        public var salts: [[UInt8]] {
            ([first] + (second.map { [$0] } ?? [])).map { input in
                Array(SHA256.hash(data: Array("WebAuthn PRF".utf8) + [0] + input))
            }
        }

        init?(_ value: JSONValue?) {
            guard let first = value?["first"]?.base64URLValue else { return nil }
            self.first = first
            second = value?["second"]?.base64URLValue
        }

        var value: JSONValue {
            var members: [JSONValue.Member] = [.init("first", .string(Base64URL.encode(first)))]
            if let second { members.append(.init("second", .string(Base64URL.encode(second)))) }
            return .object(members)
        }
    }

    /// Inputs for any credential.
    public var eval: Values?
    /// Inputs by credential ID; only for requests that list credentials.
    public var evalByCredential: [CredentialID: Values]

    /// Creates inputs.
    ///
    /// Without values, they only ask whether the credential supports the PRF.
    public init(eval: Values? = nil, evalByCredential: [CredentialID: Values] = [:]) {
        self.eval = eval
        self.evalByCredential = evalByCredential
    }

    init(_ value: JSONValue) {
        eval = Values(value["eval"])
        evalByCredential = [:]
        for member in value["evalByCredential"]?.objectValue ?? [] {
            guard let id = CredentialID(base64URL: member.name), let values = Values(member.value) else { continue }
            evalByCredential[id] = values
        }
    }

    var value: JSONValue {
        var members: [JSONValue.Member] = []
        if let eval { members.append(.init("eval", eval.value)) }
        if !evalByCredential.isEmpty {
            let entries = evalByCredential.map { JSONValue.Member($0.key.base64URL, $0.value.value) }
            members.append(.init("evalByCredential", .object(entries.sorted { $0.name < $1.name })))
        }
        return .object(members)
    }
}

/// Outputs of the `prf` extension.
///
/// Results are secrets: a page must not send them to its service.
public struct PRFOutputs: Hashable, Sendable {
    /// Whether the new credential supports the PRF; only at registration.
    public var enabled: Bool?
    /// The results, 32 bytes each.
    public var results: PRFInputs.Values?

    /// Creates the outputs.
    public init(enabled: Bool? = nil, results: PRFInputs.Values? = nil) {
        self.enabled = enabled
        self.results = results
    }

    init(_ value: JSONValue) {
        enabled = value["enabled"]?.boolValue
        results = PRFInputs.Values(value["results"])
    }

    var value: JSONValue {
        var members: [JSONValue.Member] = []
        if let enabled { members.append(.init("enabled", .bool(enabled))) }
        if let results { members.append(.init("results", results.value)) }
        return .object(members)
    }
}
