internal import WardCBOR
internal import WardCTAP
internal import WardWebAuthn

/// The request of an assertion and its extension inputs, the same for every credential that answers.
struct AssertionOrder: Sendable {
    let request: GetAssertionRequest
    /// The result of the prompt, the same for every credential that answers.
    var agreement = ConsentAgreement(isPresent: false, isVerified: false)
    private let salts: (salts: PRFSalts, secret: PINUVSharedSecret)?
    private let prf: PRFExtensionInput?
    /// Whether to read the large blob.
    let readsLargeBlob: Bool
    /// The large blob to store with the credential.
    let largeBlob: [UInt8]?

    /// Reads all inputs.
    ///
    /// So an invalid input ends the request before the person is asked.
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
        // L3 #sctn-large-blob-extension: either read or write, and write only to one known credential.
        guard largeBlob == nil || (!readsLargeBlob && request.allowList.count == 1) else { throw .invalidParameter }
        // CTAP 2.3, section 12.5: outputs that reveal secrets or change data need the person.
        let needsPerson = salts != nil || prf != nil || readsLargeBlob || largeBlob != nil
        guard !needsPerson || request.options.userPresence != false else { throw .unsupportedOption }
    }

    /// The signed extension outputs.
    func signedOutputs(
        for passkey: PasskeyInfo,
        _ store: some PasskeyStore,
        _ effects: Effects
    ) async throws(CTAPStatus) -> CTAPExtensions {
        var signed = CTAPExtensions()
        if let salts, let results = try await results(of: salts.salts, with: passkey, store) {
            signed[.hmacSecret] = .bytes(try salts.secret.encrypt(results.joined, effects: effects))
        }
        return signed
    }

    /// The unsigned extension outputs, for the client only, without the result of writing.
    func unsignedOutputs(
        for passkey: PasskeyInfo,
        _ store: some PasskeyStore
    ) async throws(CTAPStatus) -> CTAPExtensions {
        var unsigned = CTAPExtensions()
        if let prf {
            // L3 #prf-extension: only the secret for verified users is used. Without verification there is no result.
            let wanted = request.allowList.isEmpty ? prf.eval : prf.salts(for: passkey.id)
            if agreement.isVerified, let wanted, let results = try await results(of: wanted, with: passkey, store) {
                unsigned.set(prfOutput: PRFOutputs(results: results.values))
            }
        }
        if readsLargeBlob, let blob = try await readLargeBlob(of: passkey, store) {
            unsigned.set(largeBlobOutput: LargeBlobOutputs(blob: blob))
        }
        return unsigned
    }

    private func results(
        of salts: PRFSalts,
        with passkey: PasskeyInfo,
        _ store: some PasskeyStore
    ) async throws(CTAPStatus) -> PRFSalts? {
        do {
            return try await store.hmacSecret(
                of: salts,
                with: passkey.id,
                for: passkey.rpID,
                isVerified: agreement.isVerified
            )
        } catch {
            throw CTAPStatus(error)
        }
    }

    private func readLargeBlob(
        of passkey: PasskeyInfo,
        _ store: some PasskeyStore
    ) async throws(CTAPStatus) -> [UInt8]? {
        do { return try await store.largeBlob(of: passkey.id, for: passkey.rpID) } catch { throw CTAPStatus(error) }
    }
}

extension PRFSalts {
    /// The same bytes in the form in which a client returns them.
    var values: PRFInputs.Values { PRFInputs.Values(first: first, second: second) }
}
