internal import Crypto
internal import Synchronization
internal import WardAgentClient
internal import WardAuthenticator
internal import WardCBOR
internal import WardCOSE
internal import WardCTAP
internal import WardText
internal import WardWebAuthn

/// The passkeys of another credential manager as an authenticator for Ward's client.
///
/// This type asks the person, sends the manager the requests that the person agreed to, and checks the answer: the RP ID, the
/// flags (they must say what really happened), the credential (it must be the listed one), and the signature if the public key
/// is known.
struct SocketAuthenticator: CTAPAuthenticator {
    /// The error of the manager.
    ///
    /// A CTAP status cannot express it.
    final class Fault: Sendable {
        private let state = Mutex<AgentError?>(nil)
        /// The first fault.
        var error: AgentError? { state.withLock { $0 } }
        func note(_ error: AgentError) { state.withLock { $0 = $0 ?? error } }
    }

    let provider: SocketProvider
    /// The passkey to use, or `nil` for a registration.
    let entry: ProviderEntry?
    let consent: PromptingConsent
    let fault = Fault()

    /// The maximum length of a signature.
    ///
    /// ML-DSA-87, the largest algorithm, needs a little less.
    static let maximumSignature = 8_192

    func info() async throws(CTAPStatus) -> AuthenticatorInfo {
        var options: AuthenticatorOptions = [.platformDevice: true, .residentKey: true, .userPresence: true]
        if provider.verifiesUser {
            options[.userVerification] = true
        } else if await consent.verificationCapability()
            == .ready
        {
            options[.userVerification] = true
        }
        return AuthenticatorInfo(
            versions: [AuthenticatorInfo.fido20],
            extensions: extensions,
            aaguid: .zero,
            options: options,
            transports: [.internal]
        )
    }

    func selection(in context: CeremonyContext) async throws(CTAPStatus) { throw .operationDenied }

    func getNextAssertion(in context: CeremonyContext) async throws(CTAPStatus) -> GetAssertionResponse {
        throw .notAllowed
    }

    // MARK: Using

    func getAssertion(
        _ request: GetAssertionRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> GetAssertionResponse {
        guard let entry, let id = entry.credentialID, let userHandle = entry.userHandle else { throw .noCredentials }
        let isAllowed = request.allowList.isEmpty || request.allowList.contains { $0.id == id }
        // A pre-flight request shows no prompt and gets no signature.
        guard isAllowed, request.options.userPresence != false else { throw .noCredentials }
        let account = ConsentRequest.Account(
            credentialID: id,
            userHandle: userHandle,
            name: entry.user,
            displayName: ""
        )
        let agreement = try await agreement(
            .usePasskey([account]),
            request.rpID,
            request.options.userVerification == true,
            context
        )
        var message = ProviderMessages.Assertion(
            reference: entry.reference,
            app: consent.appName,
            rpID: request.rpID,
            credentialID: id,
            clientDataHash: Base64URL.encode(request.clientDataHash),
            userPresent: agreement.isPresent,
            userVerified: agreement.isVerified,
            wantsVerification: leavesVerification(request.options.userVerification)
        )
        try add(request, to: &message, for: id)
        do {
            let answer = try await provider.call(message, within: provider.connections.use)
            return try checked(answer, message, entry, id, request, agreement)
        } catch {
            throw noted(error)
        }
    }

    private func checked(
        _ answer: ProviderMessages.Assertion.Result,
        _ message: ProviderMessages.Assertion,
        _ entry: ProviderEntry,
        _ id: CredentialID,
        _ request: GetAssertionRequest,
        _ agreement: ConsentAgreement
    ) throws(AgentError) -> GetAssertionResponse {
        guard answer.credentialID == id else {
            throw provider.failed("the manager signs with another credential than requested")
        }
        if let handle = answer.userHandle, handle != entry.userHandle {
            throw provider.failed("the manager signs for another account than requested")
        }
        guard let bytes = Base64URL.decode(answer.authenticatorData), let data = try? AuthenticatorData(bytes) else {
            throw provider.failed("the manager answers with malformed authenticator data")
        }
        guard data.attestedCredential == nil else { throw provider.failed("the manager answers with a new credential") }
        try check(data, request.rpID, agreement, request.options.userVerification)
        guard let signature = Base64URL.decode(answer.signature),
            (1...Self.maximumSignature).contains(signature.count)
        else { throw provider.failed("the manager answers with a malformed signature") }
        if let key = provider.connections.keys.key(of: id, at: provider.identifier) {
            guard let key = try? key.verificationKey(),
                key.isValid(signature: signature, for: bytes + request.clientDataHash)
            else {
                throw provider.failed(
                    "the manager answers with a signature that the passkey's public key does not verify"
                )
            }
        }
        return GetAssertionResponse(
            credential: PublicKeyCredentialDescriptor(id: id),
            authenticatorData: bytes,
            signature: signature,
            user: entry.userHandle.map { CTAPUserEntity(id: $0) },
            unsignedExtensionOutputs: try outputs(
                of: answer,
                to: message,
                isVerified: data.flags.contains(.userVerified)
            )
        )
    }

    // MARK: Making

    func makeCredential(
        _ request: MakeCredentialRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> MakeCredentialResponse {
        let rpID = request.relyingParty.id
        var (here, isLocked) = try await passkeys(for: rpID)
        let excludedIDs = Set(request.excludeList.map(\.id))
        var isExcluded: Bool {
            here.contains { entry in entry.credentialID.map { excludedIDs.contains($0) } ?? false }
        }
        let agreement: ConsentAgreement
        if context.isConditional {
            let user = request.user.name ?? ""
            guard !isLocked, !isExcluded, !here.contains(where: { $0.userHandle == request.user.id }),
                consent.permitsUpgrade(of: request.user.id, named: user, at: rpID)
            else { throw .operationDenied }
            agreement = ConsentAgreement(isPresent: false, isVerified: false)
        } else {
            let account = ConsentRequest.Account(
                credentialID: nil,
                userHandle: request.user.id,
                name: request.user.name ?? "",
                displayName: request.user.displayName ?? ""
            )
            agreement = try await self.agreement(
                .makePasskey(account: account, replacing: [], isExcluded: isExcluded),
                rpID,
                request.options.userVerification == true,
                context
            )
        }
        if isLocked {
            do { try await provider.unlock(for: consent.appName) } catch { throw noted(error) }
            (here, isLocked) = try await passkeys(for: rpID)
        }
        guard !isExcluded else { throw .credentialExcluded }
        var message = order(request, agreement, context)
        try add(request, to: &message)
        do {
            let answer = try await provider.call(message, within: provider.connections.use)
            return try checked(answer, message, request, agreement, here)
        } catch {
            throw noted(error)
        }
    }

    private func passkeys(for rpID: String) async throws(CTAPStatus) -> ([ProviderEntry], isLocked: Bool) {
        do {
            let found = try await provider.entries(ProviderQuery(domains: [rpID], kinds: [.passkey]))
            return (found.entries, found.isLocked)
        } catch {
            throw noted(error)
        }
    }

    private func order(
        _ request: MakeCredentialRequest,
        _ agreement: ConsentAgreement,
        _ context: CeremonyContext
    ) -> ProviderMessages.Registration {
        ProviderMessages.Registration(
            app: consent.appName,
            rpID: request.relyingParty.id,
            rpName: request.relyingParty.name ?? "",
            userHandle: request.user.id,
            userName: request.user.name ?? "",
            userDisplayName: request.user.displayName ?? "",
            clientDataHash: Base64URL.encode(request.clientDataHash),
            algorithms: request.pubKeyCredParams.map(\.alg.rawValue),
            excludedCredentials: request.excludeList.map(\.id),
            userPresent: agreement.isPresent,
            userVerified: agreement.isVerified,
            wantsVerification: leavesVerification(request.options.userVerification),
            isConditional: context.isConditional
        )
    }

    private func checked(
        _ answer: ProviderMessages.Registration.Result,
        _ message: ProviderMessages.Registration,
        _ request: MakeCredentialRequest,
        _ agreement: ConsentAgreement,
        _ here: [ProviderEntry]
    ) throws(AgentError) -> MakeCredentialResponse {
        guard let bytes = Base64URL.decode(answer.attestationObject), let object = try? AttestationObject(bytes),
            let statement = try? CBORValue.decode(object.statement, rules: .webAuthn)
        else { throw provider.failed("the manager answers with a malformed attestation object") }
        let data = object.authenticatorData
        guard let credential = data.attestedCredential, let id = CredentialID(credential.credentialID) else {
            throw provider.failed("the manager returns no credential")
        }
        try check(data, request.relyingParty.id, agreement, request.options.userVerification)
        guard request.pubKeyCredParams.contains(where: { $0.alg == credential.publicKey.algorithm }),
            (try? credential.publicKey.verificationKey()) != nil
        else { throw provider.failed("the manager creates a key for an algorithm that was not requested") }
        let isNew = !here.contains { $0.credentialID == id } && !request.excludeList.contains { $0.id == id }
        guard isNew else { throw provider.failed("the manager creates a passkey with the ID of an existing one") }
        let outputs = try outputs(of: answer, to: message, isVerified: data.flags.contains(.userVerified))
        provider.connections.keys.remember(credential.publicKey, of: id, at: provider.identifier)
        return MakeCredentialResponse(
            format: object.format,
            authenticatorData: data.bytes,
            attestationStatement: statement,
            unsignedExtensionOutputs: outputs
        )
    }

    // MARK: Both

    /// Checks the RP ID and the flags of the authenticator data.
    private func check(
        _ data: AuthenticatorData,
        _ rpID: String,
        _ agreement: ConsentAgreement,
        _ wantsVerification: Bool?
    ) throws(AgentError) {
        guard data.rpIDHash == Array(SHA256.hash(data: Array(rpID.utf8))) else {
            throw provider.failed("the manager signs for another domain than requested")
        }
        guard data.flags.contains(.userPresent) == agreement.isPresent else {
            throw provider.failed("the manager sends a wrong value for user presence")
        }
        let isVerified = data.flags.contains(.userVerified)
        if provider.verifiesUser, agreement.isPresent {
            guard isVerified || !leavesVerification(wantsVerification) else {
                throw provider.failed("the manager does not verify you, although its declaration says that it does")
            }
        } else {
            guard isVerified == agreement.isVerified else {
                throw provider.failed("the manager sends a wrong value for user verification")
            }
        }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backupState) else {
            throw provider.failed("the manager says that a passkey is backed up that is not eligible for backup")
        }
    }

    /// Whether the service wants verification and the manager verifies its person itself.
    private func leavesVerification(_ wantsVerification: Bool?) -> Bool {
        provider.verifiesUser && wantsVerification == true
    }

    private func agreement(
        _ question: ConsentRequest.Question,
        _ rpID: String,
        _ wantsVerification: Bool,
        _ context: CeremonyContext
    ) async throws(CTAPStatus) -> ConsentAgreement {
        let request = ConsentRequest(
            question: question,
            rpID: rpID,
            rpName: nil,
            wantsPresence: true,
            wantsVerification: wantsVerification,
            isVerificationOptional: context.isVerificationOptional,
            context: context
        )
        guard !Task.isCancelled else { throw .keepaliveCancel }
        switch await consent.ask(request) {
        case .agreed(let agreement)
        where agreement.isPresent
            && (agreement.isVerified || !wantsVerification || request.isVerificationOptional || provider.verifiesUser):
            guard !Task.isCancelled else { throw .keepaliveCancel }
            // A flag is checked only if the agent decided its value, not if the manager did.
            let isVerified = agreement.isVerified && wantsVerification && !provider.verifiesUser
            return ConsentAgreement(isPresent: true, isVerified: isVerified)
        case .timedOut: throw .userActionTimeout
        case .cancelled: throw .keepaliveCancel
        default: throw .operationDenied
        }
    }

    /// Records an error, and returns a CTAP status for it.
    private func noted(_ error: any Error) -> CTAPStatus {
        guard let error = error as? AgentError else {
            return error is CancellationError ? .keepaliveCancel : .other
        }
        fault.note(error)
        return error.code == .matchedExcluded ? .credentialExcluded : .operationDenied
    }
}
