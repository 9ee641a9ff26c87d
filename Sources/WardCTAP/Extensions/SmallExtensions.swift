internal import WardCBOR
public import WardWebAuthn

extension CTAPExtensions {
    /// `credProtect`: the wanted or actual protection level of the credential.
    ///
    /// CTAP 2.3, section 12.1.
    ///
    /// - Throws: ``CTAPStatus`` if it is not a number from 1 to 3.
    public func credProtect() throws(CTAPStatus) -> CredentialProtectionPolicy? {
        guard let value = self[.credProtect] else { return nil }
        guard let policy = CredentialProtectionPolicy(level: try value.asUnsigned()) else { throw .invalidParameter }
        return policy
    }

    /// Sets `credProtect`; a policy without a number removes it.
    public mutating func set(credProtect policy: CredentialProtectionPolicy) {
        self[.credProtect] = policy.level.map { .unsigned($0) }
    }

    /// An extension with a boolean value: `hmac-secret` and `minPinLength` at registration, and `credProps` in Ward's own
    /// messages.
    ///
    /// - Throws: ``CTAPStatus`` if it is not a boolean.
    public func flag(_ identifier: Identifier) throws(CTAPStatus) -> Bool? {
        guard let value = self[identifier] else { return nil }
        return try value.asBool()
    }

    // MARK: largeBlob

    /// The input of `largeBlob` for authenticators in the same process, and for phones.
    ///
    /// - Throws: ``CTAPStatus`` if it is malformed.
    public func largeBlobInput() throws(CTAPStatus) -> LargeBlobInputs? {
        guard let value = self[.largeBlob] else { return nil }
        var reader = try MessageReader(value)
        return LargeBlobInputs(
            support: try reader.value("support") { value throws(CTAPStatus) in .init(rawValue: try value.asText()) },
            read: try reader.value("read") { value throws(CTAPStatus) in try value.asBool() },
            write: try reader.value("write") { value throws(CTAPStatus) in try value.asBytes() }
        )
    }

    /// Sets the input of `largeBlob`.
    public mutating func set(largeBlobInput input: LargeBlobInputs) {
        var writer = MessageWriter()
        writer.put("support", input.support.map { .text($0.rawValue) })
        writer.put("read", input.read.map { .bool($0) })
        writer.put("write", input.write.map { .bytes($0) })
        self[.largeBlob] = writer.value
    }

    /// The output of `largeBlob`, which is among the unsigned outputs.
    ///
    /// - Throws: ``CTAPStatus`` if it is malformed.
    public func largeBlobOutput() throws(CTAPStatus) -> LargeBlobOutputs? {
        guard let value = self[.largeBlob] else { return nil }
        var reader = try MessageReader(value)
        return LargeBlobOutputs(
            supported: try reader.value("supported") { value throws(CTAPStatus) in try value.asBool() },
            blob: try reader.value("blob") { value throws(CTAPStatus) in try value.asBytes() },
            written: try reader.value("written") { value throws(CTAPStatus) in try value.asBool() }
        )
    }

    /// Sets the output of `largeBlob`.
    public mutating func set(largeBlobOutput output: LargeBlobOutputs) {
        var writer = MessageWriter()
        writer.put("supported", output.supported.map { .bool($0) })
        writer.put("blob", output.blob.map { .bytes($0) })
        writer.put("written", output.written.map { .bool($0) })
        self[.largeBlob] = writer.value
    }

    // MARK: credProps

    /// Whether the credential is discoverable, if the client asked: `{"rk": …}` among the unsigned outputs.
    ///
    /// - Throws: ``CTAPStatus`` if it is malformed.
    public func isDiscoverable() throws(CTAPStatus) -> Bool? {
        guard let value = self[.credProps] else { return nil }
        var reader = try MessageReader(value)
        return try reader.value("rk") { value throws(CTAPStatus) in try value.asBool() }
    }

    /// Sets whether the credential is discoverable.
    public mutating func set(isDiscoverable: Bool) { self[.credProps] = ["rk": .bool(isDiscoverable)] }
}
