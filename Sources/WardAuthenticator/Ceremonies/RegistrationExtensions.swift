internal import WardCBOR
internal import WardCTAP
internal import WardWebAuthn

/// A client's extension inputs for a new passkey.
///
/// Unknown inputs are ignored.
struct RegistrationExtensions: Sendable {
    /// The requested protection level.
    let protection: CredentialProtectionPolicy?
    private let wantsHMACSecret: Bool
    private let salts: (salts: PRFSalts, secret: PINUVSharedSecret)?
    private let prf: PRFExtensionInput?
    private let wantsLargeBlob: Bool
    private let wantsProperties: Bool

    /// Reads all inputs.
    ///
    /// So an invalid input ends the request before the person is asked.
    init<Store, Consent>(
        _ inputs: CTAPExtensions,
        _ authenticator: SoftwareAuthenticator<Store, Consent>
    ) throws(CTAPStatus) {
        protection = try inputs.credProtect()
        wantsHMACSecret = try inputs.flag(.hmacSecret) ?? false
        if let sealed = try inputs.hmacSecretInput(.hmacSecretMC) {
            // CTAP 2.3, section 12.6: only together with hmac-secret.
            guard wantsHMACSecret else { throw .invalidParameter }
            salts = try sealed.open(with: try authenticator.agreement(sealed.pinUVAuthProtocol ?? .one))
        } else {
            salts = nil
        }
        prf = try inputs.prfInput()
        wantsLargeBlob = try inputs.largeBlobInput()?.support != nil
        wantsProperties = try inputs.flag(.credProps) ?? false
    }

    /// The extension outputs: a part that is signed, and a part that is only for the client.
    func outputs(
        for key: some PasskeyKey,
        isVerified: Bool,
        _ effects: Effects
    ) async throws(CTAPStatus) -> (signed: CTAPExtensions, unsigned: CTAPExtensions) {
        var signed = CTAPExtensions()
        var unsigned = CTAPExtensions()
        if let protection { signed.set(credProtect: protection) }
        if wantsHMACSecret { signed[.hmacSecret] = .bool(key.hasHMACSecret) }
        if let salts, let results = try await results(of: salts.salts, with: key, isVerified: isVerified) {
            signed[.hmacSecretMC] = .bytes(try salts.secret.encrypt(results.joined, effects: effects))
        }
        if let prf {
            // L3 #prf-extension: only the secret for verified users is used. Without verification there is no result.
            var output = PRFOutputs(enabled: key.hasHMACSecret)
            if isVerified, let salts = prf.eval {
                output.results = try await results(of: salts, with: key, isVerified: true)?.values
            }
            unsigned.set(prfOutput: output)
        }
        if wantsLargeBlob { unsigned.set(largeBlobOutput: LargeBlobOutputs(supported: true)) }
        if wantsProperties { unsigned.set(isDiscoverable: true) }
        return (signed, unsigned)
    }

    private func results(
        of salts: PRFSalts,
        with key: some PasskeyKey,
        isVerified: Bool
    ) async throws(CTAPStatus) -> PRFSalts? {
        do { return try await key.hmacSecret(of: salts, isVerified: isVerified) } catch { throw CTAPStatus(error) }
    }
}
