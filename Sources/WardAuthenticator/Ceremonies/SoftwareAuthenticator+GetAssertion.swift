internal import Crypto
public import WardCTAP
internal import WardWebAuthn

extension SoftwareAuthenticator {
    /// Signs with a passkey, in the order of CTAP 2.3, section 6.2.2.
    ///
    /// - The person is also asked if there is no matching passkey, and the answer after that is
    ///   `CTAPStatus.noCredentials`. So neither a page nor a program on this machine learns, from the answer or its
    ///   time, who has an account where.
    /// - The exception is the pre-flight of platforms: `up` off, `uv` off. It is answered at once, without a prompt. A
    ///   program that can send messages over the transport learns whether a passkey with a credential ID that it
    ///   *knows* exists, and gets a signature without the flags UP and UV, which no relying party accepts for a
    ///   sign-in. It learns no name, no user handle and nothing about level 3. Without an allow list it learns nothing,
    ///   as if all passkeys had level 2. Pages cannot request it; a client that does it for itself must keep the answer
    ///   to itself. A conditional context gets `CTAPStatus.notAllowed`.
    /// - The newest passkey comes first. If the person picked one, in the prompt or before (`CeremonyContext.picked`), no
    ///   other follows.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The context of the request, for prompts.
    /// - Returns: The signature and the account.
    /// - Throws: `CTAPStatus`.
    public func getAssertion(
        _ request: GetAssertionRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> GetAssertionResponse {
        forgetConversation(context)
        // Step 1: an empty pinUvAuthParam asks for nothing but a touch.
        if request.pinUVAuthParam?.isEmpty == true { try await answerTouchProbe(in: context) }
        // Step 2: the protocol of a pinUvAuthParam.
        try checkTokenProtocol(request.pinUVAuthParam, request.pinUVAuthProtocol)
        // Step 3: flags start off; they are set from what consent says.
        // Step 4: options; rk has no place here, unknown ones count as absent, a pinUvAuthParam turns uv off.
        let wantsVerification = try await readVerificationOption(request.options, request.pinUVAuthParam)
        guard request.options.residentKey == nil else { throw .unsupportedOption }
        let wantsPresence = request.options.userPresence ?? true
        // Step 5: alwaysUv is not offered. Step 6.1: there are no tokens, so none is valid.
        guard request.pinUVAuthParam == nil else { throw .pinAuthInvalid }
        guard request.enterpriseAttestation == nil else { throw .invalidParameter }
        guard request.allowList.count <= configuration.maximumCredentialCountInList else { throw .limitExceeded }
        guard request.clientDataHash.count == 32 else { throw .invalidLength }
        var order = try AssertionOrder(request, self)

        // Step 7: the matching credentials, assuming that the person will be verified if that is wanted.
        let candidates = try await candidates(for: request, isVerified: wantsVerification, picked: context.picked)

        let isSilent = !wantsPresence && !wantsVerification
        if isSilent {
            guard !context.isConditional else { throw .notAllowed }
            guard let first = candidates.first, !request.allowList.isEmpty else { throw .noCredentials }
            return try await sign(with: first, order)
        }

        // Steps 6.2, 8 and 9: verification, presence and choice in one prompt, whether or not there is a match.
        let prompt = ConsentRequest(
            question: .usePasskey(candidates.map { .init($0) }),
            rpID: request.rpID,
            rpName: nil,
            wantsPresence: wantsPresence,
            wantsVerification: wantsVerification,
            isVerificationOptional: context.isVerificationOptional
                && candidates.allSatisfy { $0.mayAnswer(isVerified: false, isNamed: !request.allowList.isEmpty) },
            context: context
        )
        order.agreement = try await agree(prompt)
        // CTAP 2.3, section 6.2.2, step 9: the flag stays off if presence was not requested.
        if !wantsPresence { order.agreement.isPresent = false }
        guard let newest = candidates.first else { throw .noCredentials }
        var selected = newest
        if let chosen = order.agreement.chosen {
            guard let match = candidates.first(where: { $0.id == chosen }) else { throw .other }
            selected = match
        }

        // Steps 10 to 13: extensions and signature, then the writes to the store.
        var response = try await sign(with: selected, order)
        try await finish(&response, with: selected, order)
        let others = candidates.filter { $0.id != selected.id }
        if request.allowList.isEmpty, !others.isEmpty {
            if order.agreement.chosen != nil {
                // Step 12.1.2: the person chose in this authenticator's prompt.
                response.isUserSelected = true
            } else {
                // Step 12.1.1: the client fetches the others and lets the person choose.
                response.numberOfCredentials = candidates.count
                response.user = user(of: selected, isOneOfMany: true, order)
                let deadline = effects.now().addingReportingOverflow(Conversations.patience)
                remember(
                    PendingAssertions(
                        passkeys: others,
                        order: order,
                        deadline: deadline.overflow ? .max : deadline.partialValue
                    ),
                    for: context
                )
            }
        }
        return response
    }

    /// Signs with the next passkey of the last ``getAssertion(_:in:)`` on this channel, without another prompt.
    ///
    /// CTAP 2.3, section 6.3: within 30 seconds, without another command in between.
    ///
    /// - Parameter context: The context with the same channel.
    /// - Returns: The signature and the account.
    /// - Throws: `CTAPStatus.notAllowed` if there is no further credential.
    public func getNextAssertion(in context: CeremonyContext) async throws(CTAPStatus) -> GetAssertionResponse {
        // Steps 1 and 2: the stored state and its expiry.
        guard var pending = forgetConversation(context) else { throw .notAllowed }
        guard effects.now() <= pending.deadline, !pending.passkeys.isEmpty else { throw .notAllowed }
        guard !Task.isCancelled else { throw .keepaliveCancel }
        // Steps 3 to 6: the next credential with the same flags and extensions, without number and choice.
        let passkey = pending.passkeys.removeFirst()
        var response = try await sign(with: passkey, pending.order)
        response.user = user(of: passkey, isOneOfMany: true, pending.order)
        await noteUse(of: passkey)
        if !pending.passkeys.isEmpty {
            // Step 7: the time limit starts again.
            let deadline = effects.now().addingReportingOverflow(Conversations.patience)
            pending.deadline = deadline.overflow ? .max : deadline.partialValue
            remember(pending, for: context)
        }
        return response
    }

    // MARK: Steps

    /// Step 7: the credentials of the allow list, or all, without those that their protection level forbids
    /// or that the person did not pick.
    private func candidates(
        for request: GetAssertionRequest,
        isVerified: Bool,
        picked: CredentialID?
    ) async throws(CTAPStatus) -> [PasskeyInfo] {
        let isNamed = !request.allowList.isEmpty
        let ids = isNamed ? request.allowList.filter { $0.type == "public-key" }.map(\.id) : nil
        let found = try await passkeys(for: request.rpID, among: ids)
        return found.filter { passkey in
            passkey.mayAnswer(isVerified: isVerified, isNamed: isNamed) && (picked == nil || passkey.id == picked)
        }
    }

    /// Steps 10 and 13: signs authenticator data and the hash of the client data.
    private func sign(
        with passkey: PasskeyInfo,
        _ order: AssertionOrder
    ) async throws(CTAPStatus) -> GetAssertionResponse {
        let data = AuthenticatorData.assemble(
            rpIDHash: Array(SHA256.hash(data: Array(passkey.rpID.utf8))),
            flags: .init(
                order.agreement,
                isBackupEligible: passkey.isBackupEligible,
                isBackedUp: passkey.isBackedUp
            ),
            signCount: 0,
            extensions: try await order.signedOutputs(for: passkey, store, effects).bytes
        )
        let signature: [UInt8]
        do {
            signature = try await store.sign(
                data + order.request.clientDataHash,
                with: passkey.id,
                for: passkey.rpID
            )
        } catch {
            throw CTAPStatus(error)
        }
        return GetAssertionResponse(
            credential: PublicKeyCredentialDescriptor(id: passkey.id),
            authenticatorData: data,
            signature: signature,
            user: user(of: passkey, isOneOfMany: false, order),
            unsignedExtensionOutputs: try await order.unsignedOutputs(for: passkey, store)
        )
    }

    /// The account of the response: none in a pre-flight, otherwise the user handle, and names only to let a verified
    /// person choose.
    private func user(
        of passkey: PasskeyInfo,
        isOneOfMany: Bool,
        _ order: AssertionOrder
    ) -> CTAPUserEntity? {
        guard order.agreement.isPresent || order.agreement.isVerified else { return nil }
        guard isOneOfMany, order.agreement.isVerified else { return CTAPUserEntity(id: passkey.userHandle) }
        return CTAPUserEntity(
            id: passkey.userHandle,
            name: passkey.userName,
            displayName: passkey.userDisplayName
        )
    }

    /// The writes to the store after the signature: the blob and the use.
    private func finish(
        _ response: inout GetAssertionResponse,
        with passkey: PasskeyInfo,
        _ order: AssertionOrder
    ) async throws(CTAPStatus) {
        guard !Task.isCancelled else { throw .keepaliveCancel }
        if let blob = order.largeBlob {
            var isWritten = blob.count <= configuration.maximumLargeBlobLength
            if isWritten {
                do {
                    try await store.write(largeBlob: blob, of: passkey.id, for: passkey.rpID)
                } catch {
                    // L3 #sctn-large-blob-extension: the sign-in is valid, and the output says that writing failed.
                    isWritten = false
                }
            }
            response.unsignedExtensionOutputs.set(largeBlobOutput: LargeBlobOutputs(written: isWritten))
        }
        await noteUse(of: passkey)
    }

    /// If the use cannot be recorded, the sign-in still succeeds.
    private func noteUse(of passkey: PasskeyInfo) async {
        try? await store.noteUse(of: passkey.id, for: passkey.rpID, at: effects.now())
    }
}
