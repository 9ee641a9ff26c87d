internal import WardCTAP
public import WardWebAuthn

extension WebAuthnClient {
    /// Uses a credential: `navigator.credentials.get({publicKey})`.
    ///
    /// The steps are those of WebAuthn Level 3,
    /// [§5.1.4.1](https://www.w3.org/TR/webauthn-3/#sctn-discover-from-external-source), in their order.
    ///
    /// A conditional request ends only with a credential, or when its task is cancelled because its page goes away. An
    /// error would tell the page that no credential exists.
    ///
    /// - Parameters:
    ///   - options: The relying party's request.
    ///   - caller: The caller, from the platform's own knowledge.
    ///   - mediation: `conditional` appears in the autofill of a form.
    ///   - picked: The passkey that the person chose already; no other one answers. Only an authenticator in this process
    ///     receives it.
    /// - Returns: The response for the page.
    /// - Throws: ``ClientError`` with the exception for the page.
    public func get(
        _ options: PublicKeyCredentialRequestOptions,
        from caller: Caller,
        mediation: CredentialMediationRequirement = .optional,
        picked: CredentialID? = nil
    ) async throws(ClientError) -> AuthenticationResponse {
        let isConditional = try isConditional(mediation)
        guard !isConditional || configuration.offersAutofill else { throw .notAllowed(.notOffered) }
        // Steps 3 and 4: a conditional request has a filter instead of an allow list, and no time limit.
        let filter = isConditional ? options.allowCredentials : []
        let allowed = isConditional ? [] : options.allowCredentials
        let limit: Duration? = isConditional ? nil : CeremonyTimeout.clamped(options.timeout)
        // Steps 5 and 6: Caller has an origin with a domain. The third part of step 6:
        let rpID = try await rules.resolve(options.rpID, for: caller)
        // Steps 7 and 8. The allow list was emptied above, so inputs that need one (prf.evalByCredential,
        // largeBlob.write) are refused in conditional requests, as the standard says.
        let extensions = try AuthenticationExtensions(options.extensions, allowed: allowed)
        // Steps 9 to 11.
        let clientData = clientData("webauthn.get", options.challenge, caller)
        var context = context(caller, isConditional: isConditional, limit)
        context.picked = picked
        // Step 12: the time limit below begins with it.
        let assertion = Assertion(
            rpID: rpID,
            allowed: allowed,
            filter: filter,
            verification: options.userVerification,
            extensions: extensions,
            clientData: clientData,
            context: context
        )
        // Steps 13 to 20.
        return try await configuration.timeout.run(within: limit) {
            await result { () async throws(ClientError) in
                if isConditional { return try await self.performConditionally(assertion) }
                return try await self.perform(assertion)
            }
        }
    }

    private struct Assertion: Sendable {
        let rpID: String
        var allowed: [PublicKeyCredentialDescriptor]
        let filter: [PublicKeyCredentialDescriptor]
        let verification: UserVerificationRequirement
        let extensions: AuthenticationExtensions
        let clientData: [UInt8]
        let context: CeremonyContext
    }

    /// Conditional mediation: if the authenticator refuses, or answers with a credential outside the filter, the
    /// request continues to wait.
    private func performConditionally(_ assertion: Assertion) async throws(ClientError) -> AuthenticationResponse {
        var assertion = assertion
        var isOffered = true
        if !assertion.filter.isEmpty, let discover = configuration.silentDiscovery {
            // "For each credentialMetadata …: if credentialIdFilter is empty or contains an item whose id".
            let found = Set(await discover(assertion.rpID))
            assertion.allowed = assertion.filter.filter { found.contains($0.id) }
            isOffered = !assertion.allowed.isEmpty
        }
        if isOffered, let response = try? await perform(assertion) { return response }
        // No time limit: only the page ends its request.
        while !Task.isCancelled {
            do { try await configuration.timeout.sleep(.seconds(86_400)) } catch { break }
        }
        throw .aborted
    }

    /// L3 #sctn-issuing-cred-request-to-authenticator, and the evaluation of the answer.
    private func perform(_ assertion: Assertion) async throws(ClientError) -> AuthenticationResponse {
        var context = assertion.context
        context.isVerificationOptional =
            assertion.verification != .required && !assertion.extensions.needsUserVerification
        let info = try await info()
        let canVerify = info.options[.userVerification] == true
        // Step 1: "required and the authenticator is not capable of performing user verification, return FALSE".
        if assertion.verification == .required, !canVerify {
            _ = await isAcknowledged(in: context)
            throw .notAllowed(.notOffered)
        }
        // Step 2.
        let wantsVerification =
            canVerify
            && (assertion.verification == .required || assertion.verification == .preferred
                || assertion.extensions.needsUserVerification)
        // Step 3: if no entry of a list is left, an error is thrown. An empty list would allow any credential.
        let allowed = known(assertion.allowed, info)
        guard !allowed.isEmpty || assertion.allowed.isEmpty else {
            _ = await isAcknowledged(in: context)
            throw .notAllowed(.nothingFound)
        }
        var list = await fitted(allowed, assertion.rpID, info, context)
        if assertion.extensions.dependsOnCredential(for: info) {
            list = await firstHeld(of: list, assertion.rpID, context).map { [$0] } ?? list
        }
        // A page gets only the function for verified users, so there are no results without user verification.
        let answering = list.count == 1 ? list.first?.id : nil
        let salts = wantsVerification ? assertion.extensions.saltsToSeal(for: info, answering) : nil
        let sealed = await sealed(salts, info, context)
        let request = GetAssertionRequest(
            rpID: assertion.rpID,
            clientDataHash: hash(assertion.clientData),
            allowList: list,
            extensions: assertion.extensions.inputs(for: info, sealed?.input),
            options: CTAPRequestOptions(userVerification: wantsVerification ? true : nil)
        )
        let response: GetAssertionResponse
        do {
            let first = try await authenticator.getAssertion(request, in: context)
            response = try await chosen(first, context)
        } catch let status as CTAPStatus {
            throw refusal(status)
        } catch {
            throw .notAllowed(.denied)
        }
        let id = try checked(response, assertion, list)
        let attachment: AuthenticatorAttachment = info.options[.platformDevice] == true ? .platform : .crossPlatform
        return AuthenticationResponse(
            id: id,
            clientDataJSON: assertion.clientData,
            authenticatorData: response.authenticatorData,
            signature: response.signature,
            userHandle: response.user?.id,
            authenticatorAttachment: attachment,
            clientExtensionResults: assertion.extensions.outputs(of: response, id, sealed?.secret)
        )
    }

    /// If an authenticator found several credentials and did not ask the person, fetches all of them and lets the
    /// person choose.
    ///
    /// CTAP 2.3, section 6.3.
    private func chosen(
        _ first: GetAssertionResponse,
        _ context: CeremonyContext
    ) async throws -> GetAssertionResponse {
        guard let count = first.numberOfCredentials, count > 1, first.isUserSelected != true,
            let choose = configuration.chooseAccount
        else { return first }
        var responses = [first]
        while responses.count < min(count, 64) {
            responses.append(try await authenticator.getNextAssertion(in: context))
        }
        guard let index = await choose(responses.compactMap(\.user)), responses.indices.contains(index) else {
            throw CTAPStatus.operationDenied
        }
        return responses[index]
    }

    /// Checks the authenticator's answer: an allowed credential, for this RP ID, with the required properties.
    private func checked(
        _ response: GetAssertionResponse,
        _ assertion: Assertion,
        _ allowed: [PublicKeyCredentialDescriptor]
    ) throws(ClientError) -> CredentialID {
        // savedCredentialIds: authenticators omit the credential ID if only one was allowed.
        let id = response.credential?.id ?? (allowed.count == 1 ? allowed.first?.id : nil)
        guard let id, allowed.isEmpty || allowed.contains(where: { $0.id == id }),
            let data = try? AuthenticatorData(response.authenticatorData),
            data.rpIDHash == hash(Array(assertion.rpID.utf8)), data.flags.contains(.userPresent),
            assertion.verification != .required || data.flags.contains(.userVerified),
            // "If credentialIdFilter is not empty and does not contain an item whose id", "continue".
            assertion.filter.isEmpty || assertion.filter.contains(where: { $0.id == id }),
            // "If credentialIdFilter is empty and userHandleResult is null, continue" if nothing else identifies the
            // account.
            response.user != nil || !(allowed.isEmpty && assertion.filter.isEmpty)
        else {
            throw ClientError(
                .unknown,
                "the authenticator's answer does not match the request",
                .authenticator
            )
        }
        return id
    }
}
