internal import WardText

extension AuthenticationExtensionsClientInputs {
    /// `credProps`: requests the properties of the new credential.
    /// [§10.1.3](https://www.w3.org/TR/webauthn-3/#sctn-authenticator-credential-properties-extension)
    public var credProps: Bool? {
        get { self["credProps"]?.boolValue }
        set { self["credProps"] = newValue.map { .bool($0) } }
    }

    /// `prf`. [§10.1.4](https://www.w3.org/TR/webauthn-3/#prf-extension)
    public var prf: PRFInputs? {
        get { self["prf"].map(PRFInputs.init) }
        set { self["prf"] = newValue?.value }
    }

    /// `largeBlob`. [§10.1.5](https://www.w3.org/TR/webauthn-3/#sctn-large-blob-extension)
    public var largeBlob: LargeBlobInputs? {
        get { self["largeBlob"].map(LargeBlobInputs.init) }
        set { self["largeBlob"] = newValue?.value }
    }

    /// `appid`: allows credentials of FIDO U2F at sign-in.
    /// [§10.1.1](https://www.w3.org/TR/webauthn-3/#sctn-appid-extension)
    public var appID: String? {
        get { self["appid"]?.stringValue }
        set { self["appid"] = newValue.map { .string($0) } }
    }

    /// `appidExclude`: excludes credentials of FIDO U2F at registration. [§10.1.2](https://www.w3.org/TR/webauthn-3/#sctn-appid-exclude-extension)
    public var appIDExclude: String? {
        get { self["appidExclude"]?.stringValue }
        set { self["appidExclude"] = newValue.map { .string($0) } }
    }

    /// `credentialProtectionPolicy`: the wanted protection level of the credential.
    ///
    /// CTAP 2.2, section 12.1.
    public var credentialProtectionPolicy: CredentialProtectionPolicy? {
        get { self["credentialProtectionPolicy"]?.stringValue.map(CredentialProtectionPolicy.init) }
        set { self["credentialProtectionPolicy"] = newValue.map { .string($0.rawValue) } }
    }

    /// `enforceCredentialProtectionPolicy`: whether registration fails if the protection level is not available.
    public var enforceCredentialProtectionPolicy: Bool? {
        get { self["enforceCredentialProtectionPolicy"]?.boolValue }
        set { self["enforceCredentialProtectionPolicy"] = newValue.map { .bool($0) } }
    }

    /// `hmacCreateSecret`: the older form of `prf`.
    ///
    /// CTAP 2.2, section 12.7.
    public var hmacCreateSecret: Bool? {
        get { self["hmacCreateSecret"]?.boolValue }
        set { self["hmacCreateSecret"] = newValue.map { .bool($0) } }
    }

    /// `minPinLength`: requests the authenticator's minimum PIN length.
    ///
    /// CTAP 2.2, section 12.5.
    public var minPinLength: Bool? {
        get { self["minPinLength"]?.boolValue }
        set { self["minPinLength"] = newValue.map { .bool($0) } }
    }

    /// `credBlob`: a few bytes (about 32) to store with a new credential.
    ///
    /// CTAP 2.2, section 12.2.
    public var credBlob: [UInt8]? {
        get { self["credBlob"]?.base64URLValue }
        set { self["credBlob"] = newValue.map { .string(Base64URL.encode($0)) } }
    }

    /// `getCredBlob`: requests these bytes at sign-in.
    public var getCredBlob: Bool? {
        get { self["getCredBlob"]?.boolValue }
        set { self["getCredBlob"] = newValue.map { .bool($0) } }
    }

    /// `uvm`: requests how the person was verified; Level 3 has removed it.
    public var uvm: Bool? {
        get { self["uvm"]?.boolValue }
        set { self["uvm"] = newValue.map { .bool($0) } }
    }
}

extension AuthenticationExtensionsClientOutputs {
    /// `credProps.rk`: whether the new credential is discoverable; `nil` if the client does not know.
    public var isDiscoverable: Bool? {
        get { self["credProps"]?["rk"]?.boolValue }
        set { self["credProps"] = newValue.map { ["rk": .bool($0)] } }
    }

    /// `prf`.
    public var prf: PRFOutputs? {
        get { self["prf"].map(PRFOutputs.init) }
        set { self["prf"] = newValue?.value }
    }

    /// `largeBlob`.
    public var largeBlob: LargeBlobOutputs? {
        get { self["largeBlob"].map(LargeBlobOutputs.init) }
        set { self["largeBlob"] = newValue?.value }
    }

    /// `appid`: whether the AppID was used instead of the RP ID.
    public var appID: Bool? {
        get { self["appid"]?.boolValue }
        set { self["appid"] = newValue.map { .bool($0) } }
    }

    /// `appidExclude`: whether the client checked for credentials of FIDO U2F.
    public var appIDExclude: Bool? {
        get { self["appidExclude"]?.boolValue }
        set { self["appidExclude"] = newValue.map { .bool($0) } }
    }

    /// `hmacCreateSecret`: whether the credential has the secret.
    public var hmacCreateSecret: Bool? {
        get { self["hmacCreateSecret"]?.boolValue }
        set { self["hmacCreateSecret"] = newValue.map { .bool($0) } }
    }

    /// `uvm`: how the person was verified, each method as three numbers.
    public var uvm: [[Int64]]? {
        guard let entries = self["uvm"]?.arrayValue else { return nil }
        let methods = entries.compactMap { entry in entry.arrayValue?.compactMap(\.integerValue) }
        return methods.count == entries.count && methods.allSatisfy { $0.count == 3 } ? methods : nil
    }
}
