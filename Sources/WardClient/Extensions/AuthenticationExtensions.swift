internal import WardCBOR
internal import WardCTAP
internal import WardWebAuthn

/// The extensions of one sign-in: reads and checks the inputs, passes them to an authenticator, and returns the
/// outputs.
///
/// It supports `prf` and `largeBlob`; all others are ignored and have no output. `appid` is ignored because no
/// authenticator here has credentials of FIDO U2F. Registration extensions such as `credProps` have no effect.
///
/// WebAuthn Level 3, [§10](https://www.w3.org/TR/webauthn-3/#sctn-defined-extensions).
struct AuthenticationExtensions: Sendable {
    private let wantsPRF: Bool
    private let eval: PRFInputs.Values?
    private let byCredential: [CredentialID: PRFInputs.Values]
    private let largeBlob: LargeBlobInputs?

    /// Reads the page's inputs.
    ///
    /// - Parameters:
    ///   - inputs: The extensions' inputs.
    ///   - allowed: The request's allow list.
    /// - Throws: ``ClientError`` with the exception of the failed step.
    init(
        _ inputs: AuthenticationExtensionsClientInputs,
        allowed: [PublicKeyCredentialDescriptor]
    ) throws(ClientError) {
        let prf = try inputs.prfRequest()
        wantsPRF = prf != nil
        eval = prf?.eval
        byCredential = try Self.byCredential(prf?.byCredential ?? [], allowed)
        largeBlob = try inputs.largeBlobRequest()
        guard let largeBlob else { return }
        // L3 #sctn-large-blob-extension, authentication, step 1.
        if largeBlob.support != nil {
            throw ClientError(.notSupported, "largeBlob.support is only for creating a credential")
        }
        // Step 2.
        if largeBlob.read != nil, largeBlob.write != nil {
            throw ClientError(.notSupported, "largeBlob cannot be read and written in one request")
        }
        // Step 4.1.
        if largeBlob.write != nil, allowed.count != 1 {
            throw ClientError(.notSupported, "largeBlob.write needs exactly one allowed credential")
        }
    }

    /// L3 #prf-extension, authentication, steps 1 and 2.
    private static func byCredential(
        _ entries: [(key: String, values: PRFInputs.Values)],
        _ allowed: [PublicKeyCredentialDescriptor]
    ) throws(ClientError) -> [CredentialID: PRFInputs.Values] {
        guard !entries.isEmpty else { return [:] }
        guard !allowed.isEmpty else {
            throw ClientError(.notSupported, "prf.evalByCredential needs allowCredentials")
        }
        let identifiers = Set(allowed.map(\.id))
        var values: [CredentialID: PRFInputs.Values] = [:]
        for entry in entries {
            guard let id = CredentialID(base64URL: entry.key), identifiers.contains(id) else {
                throw ClientError(.syntax, "a key of prf.evalByCredential is not in allowCredentials")
            }
            values[id] = entry.values
        }
        return values
    }

    /// Whether user verification is required, even if the options do not require it.
    ///
    /// L3 #prf-extension: the function "MUST be the one used for when user verification is performed. This overrides
    /// the UserVerificationRequirement if necessary."
    var needsUserVerification: Bool { eval != nil || !byCredential.isEmpty }

    /// Whether the credential must be known before the request, because `hmac-secret` needs the salts of one credential.
    func dependsOnCredential(for info: AuthenticatorInfo) -> Bool {
        !byCredential.isEmpty && !info.supports(.prf) && info.supports(.hmacSecret)
    }

    /// The salts that this authenticator needs encrypted.
    ///
    /// - Parameters:
    ///   - info: The authenticator's information.
    ///   - credential: The credential that will answer, if known.
    /// - Returns: `nil` if there are no salts, or the authenticator takes them unencrypted.
    func saltsToSeal(for info: AuthenticatorInfo, _ credential: CredentialID?) -> PRFSalts? {
        guard !info.supports(.prf), info.supports(.hmacSecret) else { return nil }
        return (credential.flatMap { byCredential[$0] } ?? eval).map { PRFSalts(hashing: $0) }
    }

    /// The inputs for the authenticator.
    func inputs(for info: AuthenticatorInfo, _ sealed: HMACSecretInput?) -> CTAPExtensions {
        var extensions = CTAPExtensions()
        // Steps 4 and 5: hash the inputs; the authenticator picks those of the credential that answers.
        if needsUserVerification, info.supports(.prf) {
            let salts = byCredential.mapValues { PRFSalts(hashing: $0) }
            extensions.set(
                prfInput: PRFExtensionInput(eval: eval.map { PRFSalts(hashing: $0) }, evalByCredential: salts)
            )
        }
        if let sealed { extensions.set(hmacSecretInput: sealed, as: .hmacSecret) }
        if let largeBlob, info.supports(.largeBlob), largeBlob.read == true || largeBlob.write != nil {
            extensions.set(largeBlobInput: largeBlob)
        }
        return extensions
    }

    /// The outputs for the page.
    ///
    /// - Parameters:
    ///   - response: The authenticator's answer.
    ///   - credential: The credential that signed.
    ///   - secret: The shared secret that decrypts results, if they are encrypted.
    /// - Returns: The outputs of the requested extensions.
    func outputs(
        of response: GetAssertionResponse,
        _ credential: CredentialID,
        _ secret: PINUVSharedSecret?
    ) -> AuthenticationExtensionsClientOutputs {
        let unsigned = response.unsignedExtensionOutputs
        var outputs = AuthenticationExtensionsClientOutputs()
        if wantsPRF {
            // Step 3: the output is present, with or without results; `enabled` is only for registration.
            let hasInputs = byCredential[credential] != nil || eval != nil
            var results = (try? unsigned.prfOutput())?.results
            if let secret, let data = try? AuthenticatorData(response.authenticatorData),
                let signed = data.extensions.flatMap({ try? AuthenticatorExtensionOutputs($0) })
            {
                results = secret.results(signed["hmac-secret"]?.bytesValue)
            }
            outputs.prf = PRFOutputs(results: hasInputs ? results : nil)
        }
        if let largeBlob {
            let said = try? unsigned.largeBlobOutput()
            if largeBlob.read == true { outputs.largeBlob = LargeBlobOutputs(blob: said?.blob) }
            if largeBlob.write != nil { outputs.largeBlob = LargeBlobOutputs(written: said?.written ?? false) }
        }
        return outputs
    }
}
