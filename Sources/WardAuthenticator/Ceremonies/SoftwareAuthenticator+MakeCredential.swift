internal import Crypto
internal import WardCBOR
internal import WardCOSE
public import WardCTAP
internal import WardWebAuthn

extension SoftwareAuthenticator {
    /// Creates a passkey, in the order of CTAP 2.3, section 6.1.2.
    ///
    /// - Every passkey is discoverable, even if the request does not ask for that.
    /// - A passkey of the same relying party, account and algorithm is replaced, as in step 17, if a discoverable one was
    ///   requested and the old one is not excluded. The store does both in one step. A passkey with another algorithm
    ///   stays, so that a relying party can change the algorithm without a gap. If `rk` is off, the old passkey stays,
    ///   because some old relying parties use one user handle for several accounts.
    /// - The person is asked before the authenticator reveals that an excluded credential exists, and in the same way
    ///   if none exists.
    /// - If `CeremonyContext.isConditional`, there is no prompt. Whatever needs the person (verification, replacing,
    ///   revealing an excluded credential) ends with `CTAPStatus.operationDenied`, the same as a refusal of
    ///   ``UserConsent/permitsUpgrade(_:)``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The context of the request, for prompts.
    /// - Returns: The credential and its attestation.
    /// - Throws: `CTAPStatus`; then nothing was stored.
    public func makeCredential(
        _ request: MakeCredentialRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> MakeCredentialResponse {
        forgetConversation(context)
        // Step 1: an empty pinUvAuthParam asks for nothing but a touch.
        if request.pinUVAuthParam?.isEmpty == true { try await answerTouchProbe(in: context) }
        // Step 2: the protocol of a pinUvAuthParam.
        try checkTokenProtocol(request.pinUVAuthParam, request.pinUVAuthProtocol)
        // Step 3: the first algorithm of the list that is known.
        let algorithms = await store.algorithms
        let wanted = request.pubKeyCredParams.first { parameters in
            parameters.type == "public-key" && algorithms.contains(parameters.alg)
        }
        guard let algorithm = wanted?.alg else { throw .unsupportedAlgorithm }
        // Step 4: flags start off; they are set from what consent says.
        // Step 5: options; unknown ones count as absent, a pinUvAuthParam turns uv off, up cannot be turned off.
        let wantsVerification = try await readVerificationOption(request.options, request.pinUVAuthParam)
        guard request.options.userPresence != false else { throw .invalidOption }
        // Steps 6 to 8: alwaysUv is not supported; makeCredUvNotRqd is, because the owner unlocked the store and a
        // person is asked. Step 9: no enterprise attestation.
        guard request.enterpriseAttestation == nil else { throw .invalidParameter }
        // Step 10 and 11: there are no tokens, so none is valid.
        guard request.pinUVAuthParam == nil else { throw .pinAuthInvalid }
        guard request.excludeList.count <= configuration.maximumCredentialCountInList else { throw .limitExceeded }
        guard request.clientDataHash.count == 32 else { throw .invalidLength }
        // The extension inputs are read before the person is asked, so that an invalid request ends early.
        let extensions = try RegistrationExtensions(request.extensions, self)

        // Step 12, first half: look for excluded credentials.
        let present = try await passkeys(for: request.relyingParty.id, among: nil)
        let excludedIDs = Set(request.excludeList.filter { $0.type == "public-key" }.map(\.id))
        let excluded = present.filter { excludedIDs.contains($0.id) }
        let replaced =
            request.options.residentKey == true
            ? present.filter { $0.userHandle == request.user.id && $0.algorithm == algorithm } : []

        // Steps 11.2 and 13: verification and presence in one prompt, or no prompt.
        let prompt = ConsentRequest(
            question: .makePasskey(
                account: .init(request.user),
                replacing: replaced.map { .init($0) },
                isExcluded: !excluded.isEmpty
            ),
            rpID: request.relyingParty.id,
            rpName: request.relyingParty.name,
            wantsPresence: !context.isConditional,
            wantsVerification: wantsVerification,
            isVerificationOptional: context.isVerificationOptional
                && excluded.allSatisfy { $0.mayAnswer(isVerified: false, isNamed: true) },
            context: context
        )
        let agreement: ConsentAgreement
        if context.isConditional {
            let isFree = excluded.isEmpty && replaced.isEmpty && !wantsVerification
            guard isFree, await consent.permitsUpgrade(prompt) else { throw .operationDenied }
            agreement = ConsentAgreement(isPresent: false, isVerified: false)
        } else {
            agreement = try await agree(prompt)
        }
        // Step 12, second half: after the person agreed. Level 3 is not revealed to a person who was not verified.
        let isExcluded = excluded.contains { $0.mayAnswer(isVerified: agreement.isVerified, isNamed: true) }
        guard !isExcluded else { throw .credentialExcluded }

        // Steps 14 to 18: flags, extensions, the key. Everything that can fail happens before the store is changed.
        let passkey = try describe(request, algorithm, extensions, isUpgrade: context.isConditional)
        do {
            let key = try await store.makeKey(for: passkey)
            let response = try await attest(passkey, key, request, extensions, agreement)
            guard !Task.isCancelled else { throw CTAPStatus.keepaliveCancel }
            try await store.create(passkey, with: key, replacing: replaced.map(\.id))
            return response
        } catch let error as PasskeyStoreError {
            throw CTAPStatus(error)
        } catch {
            throw error as? CTAPStatus ?? .other
        }
    }

    /// Steps 16 to 18: describes the new passkey, with a new credential ID.
    ///
    /// The store then generates the key and the secrets of `hmac-secret`.
    private func describe(
        _ request: MakeCredentialRequest,
        _ algorithm: COSEAlgorithmIdentifier,
        _ extensions: RegistrationExtensions,
        isUpgrade: Bool
    ) throws(CTAPStatus) -> NewPasskey {
        guard let id = CredentialID(effects.randomBytes(32)) else { throw .other }
        return NewPasskey(
            id: id,
            rpID: request.relyingParty.id,
            rpName: (request.relyingParty.name ?? "").limited(toUTF8Bytes: 1_024),
            userHandle: request.user.id,
            userName: (request.user.name ?? "").limited(toUTF8Bytes: 1_024),
            userDisplayName: (request.user.displayName ?? "").limited(toUTF8Bytes: 1_024),
            algorithm: algorithm,
            protection: extensions.protection,
            createdAt: effects.now(),
            isUpgrade: isUpgrade
        )
    }

    /// Steps 14, 15 and 19: the authenticator data and its attestation statement.
    private func attest(
        _ passkey: NewPasskey,
        _ key: Store.NewKey,
        _ request: MakeCredentialRequest,
        _ extensions: RegistrationExtensions,
        _ agreement: ConsentAgreement
    ) async throws -> MakeCredentialResponse {
        // The public key from the store becomes part of a signed answer. So a key for another algorithm than requested must be
        // refused.
        guard key.publicKey.algorithm == passkey.algorithm else { throw CTAPStatus.other }
        let outputs = try await extensions.outputs(for: key, isVerified: agreement.isVerified, effects)
        let data = AuthenticatorData.assemble(
            rpIDHash: Array(SHA256.hash(data: Array(passkey.rpID.utf8))),
            // The new passkey is not in a backup yet.
            flags: .init(agreement, isBackupEligible: key.isBackupEligible, isBackedUp: false),
            signCount: 0,
            credential: (configuration.aaguid, passkey.id.bytes, key.publicKey.encoded),
            extensions: outputs.signed.bytes
        )
        // The first preferred format that is supported, or `none` if there is no preference.
        let format = request.attestationFormatsPreference.first { ["none", "packed"].contains($0) } ?? "none"
        var statement: CBORValue = [:]
        if format == "packed" {
            // L3 #sctn-packed-attestation, self attestation.
            let signature = try await key.sign(data + request.clientDataHash)
            statement = ["alg": .integer(Int64(passkey.algorithm.rawValue)), "sig": .bytes(signature)]
        }
        return MakeCredentialResponse(
            format: format,
            authenticatorData: data,
            attestationStatement: statement,
            unsignedExtensionOutputs: outputs.unsigned
        )
    }
}

extension AuthenticatorData.Flags {
    /// The flags for the result of the prompt and for the credential.
    init(_ agreement: ConsentAgreement, isBackupEligible: Bool, isBackedUp: Bool) {
        self = []
        if agreement.isPresent { insert(.userPresent) }
        if agreement.isVerified { insert(.userVerified) }
        if isBackupEligible { insert(.backupEligible) }
        // BS without BE is an error. If a store reports that, BS is left out.
        if isBackupEligible && isBackedUp { insert(.backupState) }
    }
}

extension ConsentRequest.Account {
    init(_ passkey: PasskeyInfo) {
        credentialID = passkey.id
        userHandle = passkey.userHandle
        name = passkey.userName
        displayName = passkey.userDisplayName
        createdAt = passkey.createdAt
    }

    init(_ user: CTAPUserEntity) {
        credentialID = nil
        userHandle = user.id
        name = user.name ?? ""
        displayName = user.displayName ?? ""
        createdAt = nil
    }
}

extension String {
    /// The longest prefix of whole characters that has at most this number of bytes.
    func limited(toUTF8Bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var length = 0
        var end = startIndex
        for index in indices {
            let next = self.index(after: index)
            length += utf8.distance(from: index, to: next)
            guard length <= limit else { break }
            end = next
        }
        return String(self[..<end])
    }
}
