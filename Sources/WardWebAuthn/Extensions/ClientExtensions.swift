public import WardText

/// Extension inputs of a request, by identifier; unknown inputs are kept.
///
/// WebAuthn Level 3, [§5.7](https://www.w3.org/TR/webauthn-3/#dictdef-authenticationextensionsclientinputs).
public struct AuthenticationExtensionsClientInputs: Hashable, WebAuthnJSON {
    /// The members in order.
    public var members: [JSONValue.Member]

    /// Creates inputs from members.
    public init(_ members: [JSONValue.Member] = []) {
        self.members = members
    }

    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` if the value is not an object.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        guard let members = value.objectValue else { throw WebAuthnError(.wrongType, "extensions is not an object") }
        self.members = members
    }

    /// The JSON form.
    public var value: JSONValue { .object(members) }

    /// One extension's input; setting `nil` removes it.
    public subscript(identifier: String) -> JSONValue? {
        get { members.first { $0.name == identifier }?.value }
        set { members.set(identifier, to: newValue) }
    }
}

/// Extension outputs of a client, by identifier; unknown outputs are kept.
///
/// They are not signed, so a page can change them. WebAuthn Level 3,
/// [§5.7](https://www.w3.org/TR/webauthn-3/#dictdef-authenticationextensionsclientoutputs).
public struct AuthenticationExtensionsClientOutputs: Hashable, WebAuthnJSON {
    /// The members in order.
    public var members: [JSONValue.Member]

    /// Creates outputs from members.
    public init(_ members: [JSONValue.Member] = []) {
        self.members = members
    }

    /// Reads the JSON form.
    ///
    /// - Parameter value: The object.
    /// - Throws: ``WebAuthnError`` if the value is not an object.
    public init(_ value: JSONValue) throws(WebAuthnError) {
        guard let members = value.objectValue else {
            throw WebAuthnError(.wrongType, "clientExtensionResults is not an object")
        }
        self.members = members
    }

    /// The JSON form.
    public var value: JSONValue { .object(members) }

    /// One extension's output; setting `nil` removes it.
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
