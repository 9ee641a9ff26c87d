public import WardCBOR

/// Extension outputs of an authenticator, by identifier.
///
/// They are signed; unknown outputs are kept.
///
/// WebAuthn Level 3, [§9](https://www.w3.org/TR/webauthn-3/#sctn-extensions); CTAP 2.2, section 12.
public struct AuthenticatorExtensionOutputs: Hashable, Sendable {
    /// The outputs as canonical CBOR.
    public let bytes: [UInt8]
    private let value: CBORValue

    /// Reads a map of outputs.
    ///
    /// - Parameter bytes: The bytes of ``AuthenticatorData/extensions``.
    /// - Throws: ``WebAuthnError`` with `malformedAuthenticatorData` if they are not a canonical map.
    public init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard let value = try? CBORValue.decode(bytes, rules: .webAuthn), case .map = value else {
            throw WebAuthnError(.malformedAuthenticatorData, "extension data is not a map")
        }
        self.bytes = bytes
        self.value = value
    }

    /// One extension's output.
    public subscript(identifier: String) -> CBORValue? {
        guard case .map(let pairs) = value else { return nil }
        return pairs.first { $0.key == .text(identifier) }?.value
    }

    /// `credProtect`: the protection level of the credential.
    public var credProtect: CredentialProtectionPolicy? {
        if case .unsigned(let level)? = self["credProtect"] { CredentialProtectionPolicy(level: level) } else { nil }
    }

    /// `hmac-secret` at registration: whether the credential has the secret.
    public var hasHMACSecret: Bool? {
        if case .bool(let flag)? = self["hmac-secret"] { flag } else { nil }
    }

    /// `minPinLength`: the authenticator's minimum PIN length, in code points.
    public var minPinLength: UInt64? {
        if case .unsigned(let length)? = self["minPinLength"] { length } else { nil }
    }

    /// `credBlob` at registration: whether the authenticator stored the bytes.
    public var isCredBlobStored: Bool? {
        if case .bool(let flag)? = self["credBlob"] { flag } else { nil }
    }

    /// `credBlob` at sign-in: the bytes.
    public var credBlob: [UInt8]? {
        if case .bytes(let bytes)? = self["credBlob"] { bytes } else { nil }
    }

    /// `uvm`: how the person was verified, each method as three numbers; at most three.
    public var uvm: [[UInt64]]? {
        guard case .array(let entries)? = self["uvm"], entries.count <= 3 else { return nil }
        var methods: [[UInt64]] = []
        for entry in entries {
            guard case .array(let numbers) = entry, numbers.count == 3 else { return nil }
            var method: [UInt64] = []
            for number in numbers {
                guard case .unsigned(let part) = number else { return nil }
                method.append(part)
            }
            methods.append(method)
        }
        return methods
    }
}
