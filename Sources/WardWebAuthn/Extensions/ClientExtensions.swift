/// Extension inputs of a request, by identifier; what is unknown here is kept as it came.
///
/// WebAuthn Level 3, [§5.7](https://www.w3.org/TR/webauthn-3/#dictdef-authenticationextensionsclientinputs).
public struct AuthenticationExtensionsClientInputs: Hashable, WebAuthnJSON {
    /// The members in order.
    public var members: [JSONValue.Member]

    /// None, or those given.
    public init(_ members: [JSONValue.Member] = []) {
        self.members = members
    }

    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` when it is none.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        guard let members = value.objectValue else { throw WebAuthnError(.wrongType, "extensions is no object") }
        self.members = members
    }

    /// The JSON form.
    public var value: JSONValue { .object(members) }

    /// One extension's input; setting `nil` takes it out.
    public subscript(identifier: String) -> JSONValue? {
        get { members.first { $0.name == identifier }?.value }
        set { members.set(identifier, to: newValue) }
    }
}

/// Extension outputs of a client, by identifier; what is unknown here is kept as it came.
///
/// They are not signed: a page can write what it likes into them. WebAuthn Level 3,
/// [§5.7](https://www.w3.org/TR/webauthn-3/#dictdef-authenticationextensionsclientoutputs).
public struct AuthenticationExtensionsClientOutputs: Hashable, WebAuthnJSON {
    /// The members in order.
    public var members: [JSONValue.Member]

    /// None, or those given.
    public init(_ members: [JSONValue.Member] = []) {
        self.members = members
    }

    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` when it is none.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        guard let members = value.objectValue else {
            throw WebAuthnError(.wrongType, "clientExtensionResults is no object")
        }
        self.members = members
    }

    /// The JSON form.
    public var value: JSONValue { .object(members) }

    /// One extension's output; setting `nil` takes it out.
    public subscript(identifier: String) -> JSONValue? {
        get { members.first { $0.name == identifier }?.value }
        set { members.set(identifier, to: newValue) }
    }
}

extension [JSONValue.Member] {
    fileprivate mutating func set(_ name: String, to value: JSONValue?) {
        let index = firstIndex { $0.name == name }
        switch (index, value) {
        case (let index?, let value?): self[index].value = value
        case (let index?, nil): remove(at: index)
        case (nil, let value?): append(.init(name, value))
        case (nil, nil): break
        }
    }
}
