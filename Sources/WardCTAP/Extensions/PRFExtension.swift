internal import WardCBOR
public import WardWebAuthn

/// One or two salts for a credential's secret function: 32 bytes each, which the client derives from a page's inputs.
public struct PRFSalts: Hashable, Sendable {
    /// The first salt.
    public let first: [UInt8]
    /// The second salt, if any.
    public let second: [UInt8]?

    /// Takes one or two salts of exactly 32 bytes, or returns `nil`.
    public init?(first: [UInt8], second: [UInt8]? = nil) {
        guard first.count == 32, second.map({ $0.count == 32 }) ?? true else { return nil }
        self.first = first
        self.second = second
    }

    /// Derives the salts from a page's inputs, as clients do.
    ///
    /// WebAuthn Level 3, [§10.1.4](https://www.w3.org/TR/webauthn-3/#prf-extension).
    public init(hashing inputs: PRFInputs.Values) {
        let salts = inputs.salts
        first = salts.first ?? []
        second = salts.count > 1 ? salts[1] : nil
    }

    /// Both salts concatenated: 32 or 64 bytes, as `hmac-secret` encrypts them.
    package var joined: [UInt8] { first + (second ?? []) }

    /// Splits 32 or 64 bytes into salts, or returns `nil` for any other length.
    package init?(joined bytes: [UInt8]) {
        guard bytes.count == 32 || bytes.count == 64 else { return nil }
        first = Array(bytes.prefix(32))
        second = bytes.count == 64 ? Array(bytes.suffix(32)) : nil
    }

    init(_ value: CBORValue) throws(CTAPStatus) {
        var reader = try MessageReader(value)
        let first = try reader.required("first") { value throws(CTAPStatus) in try value.asBytes() }
        let second = try reader.value("second") { value throws(CTAPStatus) in try value.asBytes() }
        guard let salts = PRFSalts(first: first, second: second) else { throw .invalidLength }
        self = salts
    }

    var value: CBORValue {
        var writer = MessageWriter()
        writer.put("first", .bytes(first))
        writer.put("second", second.map { .bytes($0) })
        return writer.value
    }
}

/// The input of the `prf` extension for authenticators in the same process, or over an encrypted channel such as to
/// phones: unencrypted salts.
///
/// No CTAP specification describes it. On the wire it is `{"eval": {"first", "second"?}, "evalByCredential": {id:
/// {…}}}`, with credential IDs in base64url, because `WardCBOR` does not read byte strings as keys.
public struct PRFExtensionInput: Hashable, Sendable {
    /// Salts for any credential.
    public var eval: PRFSalts?
    /// Salts by credential ID.
    ///
    /// They take precedence over ``eval``, and need an allow list.
    public var evalByCredential: [CredentialID: PRFSalts]

    /// Creates an input.
    ///
    /// An input without salts, at registration, only asks whether the credential supports the extension.
    public init(eval: PRFSalts? = nil, evalByCredential: [CredentialID: PRFSalts] = [:]) {
        self.eval = eval
        self.evalByCredential = evalByCredential
    }

    /// The salts for one credential.
    public func salts(for id: CredentialID) -> PRFSalts? { evalByCredential[id] ?? eval }

    init(_ value: CBORValue) throws(CTAPStatus) {
        var reader = try MessageReader(value)
        eval = try reader.value("eval") { value throws(CTAPStatus) in try PRFSalts(value) }
        evalByCredential = [:]
        guard let map = reader.take("evalByCredential") else { return }
        guard case .map(let pairs) = map else { throw .cborUnexpectedType }
        for pair in pairs {
            guard case .text(let text) = pair.key else { throw .cborUnexpectedType }
            guard let id = CredentialID(base64URL: text) else { throw .invalidParameter }
            evalByCredential[id] = try PRFSalts(pair.value)
        }
    }

    var value: CBORValue {
        var writer = MessageWriter()
        writer.put("eval", eval?.value)
        if !evalByCredential.isEmpty {
            let pairs = evalByCredential.map { CBORPair(key: .text($0.key.base64URL), value: $0.value.value) }
            writer.put("evalByCredential", .map(pairs))
        }
        return writer.value
    }
}

extension CTAPExtensions {
    /// The input of `prf`, if present.
    ///
    /// - Throws: ``CTAPStatus`` if it is malformed.
    public func prfInput() throws(CTAPStatus) -> PRFExtensionInput? {
        guard let value = self[.prf] else { return nil }
        return try PRFExtensionInput(value)
    }

    /// Sets the input of `prf`.
    public mutating func set(prfInput input: PRFExtensionInput) { self[.prf] = input.value }

    /// The output of `prf`, which is among the unsigned outputs.
    ///
    /// Results are secrets.
    ///
    /// - Throws: ``CTAPStatus`` if it is malformed.
    public func prfOutput() throws(CTAPStatus) -> PRFOutputs? {
        guard let value = self[.prf] else { return nil }
        var reader = try MessageReader(value)
        let enabled = try reader.value("enabled") { value throws(CTAPStatus) in try value.asBool() }
        let results = try reader.value("results") { value throws(CTAPStatus) in try PRFSalts(value) }
        return PRFOutputs(enabled: enabled, results: results.map { .init(first: $0.first, second: $0.second) })
    }

    /// Sets the output of `prf`.
    public mutating func set(prfOutput output: PRFOutputs) {
        var writer = MessageWriter()
        writer.put("enabled", output.enabled.map { .bool($0) })
        if let results = output.results {
            var inner = MessageWriter()
            inner.put("first", .bytes(results.first))
            inner.put("second", results.second.map { .bytes($0) })
            writer.put("results", inner.value)
        }
        self[.prf] = writer.value
    }
}
