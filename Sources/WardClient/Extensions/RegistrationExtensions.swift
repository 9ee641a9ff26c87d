internal import WardCBOR
internal import WardCTAP
internal import WardText
internal import WardWebAuthn

/// The extensions of one registration: reads and checks the inputs, passes them to an authenticator, and returns the
/// outputs.
///
/// It supports `credProps`, `prf`, `largeBlob`, `credentialProtectionPolicy` with its enforcement, `minPinLength` and
/// `hmacCreateSecret`. All others are ignored and have no output, as the standard's step 12 requires. `appid` is for
/// sign-in. `appidExclude` is ignored because no authenticator here has credentials of FIDO U2F; an output of true
/// would be false.
///
/// WebAuthn Level 3, [§10](https://www.w3.org/TR/webauthn-3/#sctn-defined-extensions); CTAP 2.3, section 12.
struct RegistrationExtensions: Sendable {
    private let wantsCredProps: Bool
    private let prf: PRFRequest?
    private let largeBlob: LargeBlobInputs?
    private let protection: CredentialProtectionPolicy?
    private let enforcesProtection: Bool
    private let wantsMinPINLength: Bool
    private let wantsHMACSecret: Bool

    /// Reads the page's inputs.
    init(_ inputs: AuthenticationExtensionsClientInputs) throws(ClientError) {
        wantsCredProps = try inputs.flag("credProps")
        prf = try inputs.prfRequest()
        largeBlob = try inputs.largeBlobRequest()
        protection = try inputs.protectionPolicy()
        enforcesProtection = try inputs.flag("enforceCredentialProtectionPolicy")
        wantsMinPINLength = try inputs.flag("minPinLength")
        wantsHMACSecret = try inputs.flag("hmacCreateSecret")
        // L3 #prf-extension, registration, step 1: "If evalByCredential is present, return NotSupportedError".
        if prf?.byCredential != nil {
            throw ClientError(.notSupported, "prf.evalByCredential is only for signing in")
        }
        // L3 #sctn-large-blob-extension, registration, step 1.
        if let largeBlob, largeBlob.read != nil || largeBlob.write != nil {
            throw ClientError(.notSupported, "largeBlob.read and largeBlob.write are only for signing in")
        }
    }

    /// The required feature that this authenticator does not support, as a phrase for the page's developer.
    func unmet(by info: AuthenticatorInfo) -> String? {
        // L3 #sctn-large-blob-extension, registration, step 2.
        if largeBlob?.support == .required, !info.supports(.largeBlob) { return "largeBlob is required" }
        // CTAP 2.3, section 12.1: with enforcement, no credential is better than a less protected one.
        if enforcesProtection, let protection, protection != .userVerificationOptional, !info.supports(.credProtect) {
            return "the credential protection policy is enforced"
        }
        return nil
    }

    /// Whether user verification is required, even if the options do not require it.
    ///
    /// L3 #prf-extension: the function "MUST be the one used for when user verification is performed". This matters if
    /// results are requested at registration.
    var needsUserVerification: Bool { prf?.eval != nil }

    /// The salts that this authenticator needs encrypted, if it evaluates them at registration.
    func saltsToSeal(for info: AuthenticatorInfo) -> PRFSalts? {
        guard let eval = prf?.eval, !info.supports(.prf), info.supports(.hmacSecret), info.supports(.hmacSecretMC)
        else { return nil }
        return PRFSalts(hashing: eval)
    }

    /// The inputs for the authenticator.
    func inputs(for info: AuthenticatorInfo, _ sealed: HMACSecretInput?) -> CTAPExtensions {
        var extensions = CTAPExtensions()
        if wantsCredProps, info.supports(.credProps) { extensions[.credProps] = .bool(true) }
        if let prf {
            if info.supports(.prf) {
                // Steps 2 and 3: the inputs are hashed, so that no page gets results of other uses of the function.
                extensions.set(prfInput: PRFExtensionInput(eval: prf.eval.map { PRFSalts(hashing: $0) }))
            } else if info.supports(.hmacSecret) {
                extensions[.hmacSecret] = .bool(true)
                if let sealed { extensions.set(hmacSecretInput: sealed, as: .hmacSecretMC) }
            }
        }
        if wantsHMACSecret, info.supports(.hmacSecret) { extensions[.hmacSecret] = .bool(true) }
        if let largeBlob, info.supports(.largeBlob) {
            let support: LargeBlobInputs.Support = largeBlob.support == .required ? .required : .preferred
            extensions.set(largeBlobInput: LargeBlobInputs(support: support))
        }
        if let protection, info.supports(.credProtect) { extensions.set(credProtect: protection) }
        if wantsMinPINLength, info.supports(.minPinLength) { extensions[.minPinLength] = .bool(true) }
        return extensions
    }

    /// The outputs for the page.
    ///
    /// - Parameters:
    ///   - response: The authenticator's answer.
    ///   - data: Its authenticator data, already checked.
    ///   - requireResidentKey: What was requested from the authenticator.
    ///   - info: The authenticator's information.
    ///   - secret: The shared secret that decrypts results, if they are encrypted.
    /// - Returns: The outputs of the requested extensions.
    func outputs(
        of response: MakeCredentialResponse,
        _ data: AuthenticatorData,
        requireResidentKey: Bool,
        _ info: AuthenticatorInfo,
        _ secret: PINUVSharedSecret?
    ) -> AuthenticationExtensionsClientOutputs {
        let signed = data.extensions.flatMap { try? AuthenticatorExtensionOutputs($0) }
        let unsigned = response.unsignedExtensionOutputs
        var outputs = AuthenticationExtensionsClientOutputs()
        if wantsCredProps {
            // If the authenticator reports whether the credential is discoverable, its report is used. An authenticator may
            // create discoverable credentials without a request and not report it. Then the output is left out: "client
            // platforms may be forced to omit the rk property".
            let canKeep = info.options[.residentKey] == true
            let isDiscoverable =
                (try? unsigned.isDiscoverable()) ?? (requireResidentKey || !canKeep ? requireResidentKey : nil)
            outputs["credProps"] = .object(isDiscoverable.map { [.init("rk", .bool($0))] } ?? [])
        }
        if let prf {
            var output = PRFOutputs(enabled: signed?.hasHMACSecret ?? false)
            if info.supports(.prf), let said = try? unsigned.prfOutput() {
                output.enabled = said.enabled ?? (said.results != nil)
                output.results = prf.eval == nil ? nil : said.results
            } else {
                output.results = secret?.results(signed?["hmac-secret-mc"]?.bytesValue)
            }
            outputs.prf = output
        }
        if let largeBlob {
            let said = (try? unsigned.largeBlobOutput())?.supported
            let isSupported = info.supports(.largeBlob) && (said ?? (largeBlob.support == .required))
            outputs.largeBlob = LargeBlobOutputs(supported: isSupported)
        }
        if wantsHMACSecret { outputs.hmacCreateSecret = signed?.hasHMACSecret ?? false }
        return outputs
    }
}
