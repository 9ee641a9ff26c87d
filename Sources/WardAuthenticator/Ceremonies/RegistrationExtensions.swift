internal import WardCBOR
internal import WardCTAP
internal import WardWebAuthn

/// What a client wants of extensions when a passkey is made; those nobody knows are ignored.
struct RegistrationExtensions: Sendable {
    /// The level asked for.
    let protection: CredentialProtectionPolicy?
    private let wantsHMACSecret: Bool
    private let salts: (salts: PRFSalts, secret: PINUVSharedSecret)?
    private let prf: PRFExtensionInput?
    private let wantsLargeBlob: Bool
    private let wantsProperties: Bool

    /// Reads all inputs, so that a wrong one ends the request before anybody is asked.
    init<Store, Consent>(
        _ inputs: CTAPExtensions,
        _ authenticator: SoftwareAuthenticator<Store, Consent>
    ) throws(CTAPStatus) {
        protection = try inputs.credProtect()
        wantsHMACSecret = try inputs.flag(.hmacSecret) ?? false
        if let sealed = try inputs.hmacSecretInput(.hmacSecretMC) {
            // CTAP 2.3, section 12.6: only beside hmac-secret.
            guard wantsHMACSecret else { throw .invalidParameter }
            salts = try sealed.open(with: try authenticator.agreement(sealed.pinUVAuthProtocol ?? .one))
        } else {
            salts = nil
        }
        prf = try inputs.prfInput()
        wantsLargeBlob = try inputs.largeBlobInput()?.support != nil
        wantsProperties = try inputs.flag(.credProps) ?? false
    }

    /// What was done: the part that is signed, and the part only the client sees.
    func outputs(
        for credential: StoredCredential,
        isVerified: Bool,
        _ effects: Effects
    ) throws(CTAPStatus) -> (signed: CTAPExtensions, unsigned: CTAPExtensions) {
        var signed = CTAPExtensions()
        var unsigned = CTAPExtensions()
        if let protection { signed.set(credProtect: protection) }
        if wantsHMACSecret { signed[.hmacSecret] = .bool(credential.hmacSecrets != nil) }
        if let salts, let results = credential.hmacSecrets?.results(of: salts.salts, isVerified: isVerified) {
            signed[.hmacSecretMC] = .bytes(try salts.secret.encrypt(results.joined, effects: effects))
        }
        if let prf {
            // L3 #prf-extension: the function for verified persons and no other; there is no result without one.
            var output = PRFOutputs(enabled: credential.hmacSecrets != nil)
            if isVerified, let salts = prf.eval {
                output.results = credential.hmacSecrets?.results(of: salts, isVerified: true)?.values
            }
            unsigned.set(prfOutput: output)
        }
        if wantsLargeBlob { unsigned.set(largeBlobOutput: LargeBlobOutputs(supported: true)) }
        if wantsProperties { unsigned.set(isDiscoverable: true) }
        return (signed, unsigned)
    }
}
