internal import WardCBOR
internal import WardCTAP
internal import WardWebAuthn

/// What is to be signed and answered, whichever credential does it: the request, and the inputs of its extensions.
struct AssertionOrder: Sendable {
    let request: GetAssertionRequest
    /// What happened; the same for every credential that answers.
    var agreement = ConsentAgreement(isPresent: false, isVerified: false)
    private let salts: (salts: PRFSalts, secret: PINUVSharedSecret)?
    private let prf: PRFExtensionInput?
    /// Whether the blob is to be read.
    let readsLargeBlob: Bool
    /// What is to be kept with the credential.
    let largeBlob: [UInt8]?

    /// Reads all inputs, so that a wrong one ends the request before anybody is asked.
    init<Store, Consent>(
        _ request: GetAssertionRequest,
        _ authenticator: SoftwareAuthenticator<Store, Consent>
    ) throws(CTAPStatus) {
        self.request = request
        let inputs = request.extensions
        if let sealed = try inputs.hmacSecretInput(.hmacSecret) {
            salts = try sealed.open(with: try authenticator.agreement(sealed.pinUVAuthProtocol ?? .one))
        } else {
            salts = nil
        }
        prf = try inputs.prfInput()
        let blob = try inputs.largeBlobInput()
        readsLargeBlob = blob?.read ?? false
        largeBlob = blob?.write
        // L3 #sctn-large-blob-extension: one of the two, and writing to one credential that is known.
        guard largeBlob == nil || (!readsLargeBlob && request.allowList.count == 1) else { throw .invalidParameter }
        // CTAP 2.3, section 12.5, and the same for what gives out secrets or changes something: not without a person.
        let needsPerson = salts != nil || prf != nil || readsLargeBlob || largeBlob != nil
        guard !needsPerson || request.options.userPresence != false else { throw .unsupportedOption }
    }

    /// What the signature covers of extensions.
    func signedOutputs(for credential: StoredCredential, _ effects: Effects) throws(CTAPStatus) -> CTAPExtensions {
        var signed = CTAPExtensions()
        if let salts,
            let results = credential.hmacSecrets?.results(of: salts.salts, isVerified: agreement.isVerified)
        {
            signed[.hmacSecret] = .bytes(try salts.secret.encrypt(results.joined, effects: effects))
        }
        return signed
    }

    /// What only the client sees, without what is about writing.
    func unsignedOutputs(for credential: StoredCredential) -> CTAPExtensions {
        var unsigned = CTAPExtensions()
        if let prf {
            // L3 #prf-extension: the function for verified persons and no other; there is no result without one.
            let wanted = request.allowList.isEmpty ? prf.eval : prf.salts(for: credential.id)
            if agreement.isVerified, let wanted,
                let results = credential.hmacSecrets?.results(of: wanted, isVerified: true)
            {
                unsigned.set(prfOutput: PRFOutputs(results: results.values))
            }
        }
        if readsLargeBlob, let blob = credential.largeBlob {
            unsigned.set(largeBlobOutput: LargeBlobOutputs(blob: blob))
        }
        return unsigned
    }
}
