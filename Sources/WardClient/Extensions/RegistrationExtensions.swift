internal import WardCBOR
internal import WardCTAP
internal import WardWebAuthn

/// The extensions of one registration: read and checked first, put to an authenticator next, answered last.
///
/// Known are `credProps`, `prf`, `largeBlob`, `credentialProtectionPolicy` with its enforcement, `minPinLength` and
/// `hmacCreateSecret`; everything else is ignored and has no output, which the standard's step 12 wants. Among the ignored are
/// `appid`, which belongs to sign-in, and `appidExclude`: no authenticator here has credentials of FIDO U2F, so nothing would
/// be excluded, and an output of true would claim that somebody looked.
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

    /// Reads what the page asks for.
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
            throw ClientError(.notSupported, "prf.evalByCredential is for signing in: there is no credential yet")
        }
        // L3 #sctn-large-blob-extension, registration, step 1.
        if let largeBlob, largeBlob.read != nil || largeBlob.write != nil {
            throw ClientError(.notSupported, "largeBlob.read and largeBlob.write are for signing in")
        }
    }

    /// What the page insists on and this authenticator does not have, in words for its developer.
    func unmet(by info: AuthenticatorInfo) -> String? {
        // L3 #sctn-large-blob-extension, registration, step 2.
        if largeBlob?.support == .required, !info.supports(.largeBlob) { return "largeBlob is required" }
        // CTAP 2.3, section 12.1: enforcement means no credential rather than one that is guarded less.
        if enforcesProtection, let protection, protection != .userVerificationOptional, !info.supports(.credProtect) {
            return "the credential protection policy is enforced"
        }
        return nil
    }

    /// Whether the person has to be verified whatever the options say.
    ///
    /// L3 #prf-extension: the function "MUST be the one used for when user verification is performed"; it matters where
    /// results are asked for at once.
    var needsUserVerification: Bool { prf?.eval != nil }

    /// The salts that this authenticator takes encrypted, where it evaluates them in the moment a credential is made.
    func saltsToSeal(for info: AuthenticatorInfo) -> PRFSalts? {
        guard let eval = prf?.eval, !info.supports(.prf), info.supports(.hmacSecret), info.supports(.hmacSecretMC)
        else { return nil }
        return PRFSalts(hashing: eval)
    }

    /// What the authenticator gets.
    func inputs(for info: AuthenticatorInfo, _ sealed: HMACSecretInput?) -> CTAPExtensions {
        var extensions = CTAPExtensions()
        if wantsCredProps, info.supports(.credProps) { extensions[.credProps] = .bool(true) }
        if let prf {
            if info.supports(.prf) {
                // Steps 2 and 3: the inputs are hashed, so that no page gets what other uses of the function give out.
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

    /// What the page gets beside the credential.
    ///
    /// - Parameters:
    ///   - response: The authenticator's answer.
    ///   - data: Its authenticator data, checked.
    ///   - requireResidentKey: What the authenticator was asked for.
    ///   - info: What it is.
    ///   - secret: What opens results that came encrypted.
    /// - Returns: The outputs of the extensions that were asked for.
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
            // Where the authenticator says what it made, that is true. Where it could make more than was asked for and does
            // not say, nothing is claimed: "client platforms may be forced to omit the rk property".
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
