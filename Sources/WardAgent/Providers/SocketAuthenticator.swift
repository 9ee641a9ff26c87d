internal import Crypto
internal import Synchronization
internal import WardAgentClient
internal import WardAuthenticator
internal import WardCBOR
internal import WardCOSE
internal import WardCTAP
internal import WardText
internal import WardWebAuthn

/// The passkeys of a manager at the other end of a socket, as an authenticator for the one client there is.
///
/// It asks the person itself, tells the manager what they agreed to, and checks the answer: that it is for this RP ID, that
/// its flags say what happened and nothing more, that the credential is the one that was listed, and that the signature is
/// its key's where the key is known.
struct SocketAuthenticator: CTAPAuthenticator {
    /// What went wrong at the manager, which a status cannot say.
    final class Fault: Sendable {
        private let state = Mutex<AgentError?>(nil)
        /// The first fault.
        var error: AgentError? { state.withLock { $0 } }
        func note(_ error: AgentError) { state.withLock { $0 = $0 ?? error } }
    }

    let provider: SocketProvider
    /// The passkey that is used; `nil` where one is made.
    let entry: ProviderEntry?
    let consent: PromptingConsent
    let fault = Fault()

    /// The longest signature: that of the largest key there is, ML-DSA-87, with room.
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
        // A pre-flight asks nobody, and gets no signature.
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
        guard answer.credentialID == id else { throw provider.failed("signs with another credential") }
        if let handle = answer.userHandle, handle != entry.userHandle {
            throw provider.failed("signs for another account")
        }
        guard let bytes = Base64URL.decode(answer.authenticatorData), let data = try? AuthenticatorData(bytes) else {
            throw provider.failed("answers with malformed authenticator data")
        }
        guard data.attestedCredential == nil else { throw provider.failed("answers with a new credential") }
        try check(data, request.rpID, agreement, request.options.userVerification)
        guard let signature = Base64URL.decode(answer.signature),
            (1...Self.maximumSignature).contains(signature.count)
        else { throw provider.failed("answers with a malformed signature") }
        if let key = provider.connections.keys.key(of: id, at: provider.identifier) {
            guard let key = try? key.verificationKey(),
                key.isValid(signature: signature, for: bytes + request.clientDataHash)
            else { throw provider.failed("answers with a signature of another key") }
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
                consent.permitsUpgrade(of: user, at: rpID)
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
        else { throw provider.failed("answers with a malformed attestation object") }
        let data = object.authenticatorData
        guard let credential = data.attestedCredential, let id = CredentialID(credential.credentialID) else {
            throw provider.failed("makes no credential")
        }
        try check(data, request.relyingParty.id, agreement, request.options.userVerification)
        guard request.pubKeyCredParams.contains(where: { $0.alg == credential.publicKey.algorithm }),
            (try? credential.publicKey.verificationKey()) != nil
        else { throw provider.failed("makes a key of a kind that was not asked for") }
        let isNew = !here.contains { $0.credentialID == id } && !request.excludeList.contains { $0.id == id }
        guard isNew else { throw provider.failed("makes a credential that was there before") }
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

    /// For whom, and that the flags say what happened.
    private func check(
        _ data: AuthenticatorData,
        _ rpID: String,
        _ agreement: ConsentAgreement,
        _ wantsVerification: Bool?
    ) throws(AgentError) {
        guard data.rpIDHash == Array(SHA256.hash(data: Array(rpID.utf8))) else {
            throw provider.failed("signs for another domain")
        }
        guard data.flags.contains(.userPresent) == agreement.isPresent else {
            throw provider.failed("says something else than the person did about their presence")
        }
        let isVerified = data.flags.contains(.userVerified)
        if provider.verifiesUser, agreement.isPresent {
            guard isVerified || !leavesVerification(wantsVerification) else {
                throw provider.failed("does not verify you, although its declaration says so")
            }
        } else {
            guard isVerified == agreement.isVerified else {
                throw provider.failed("says something else than the person did about their verification")
            }
        }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backupState) else {
            throw provider.failed("says that a credential is backed up that cannot be")
        }
    }

    /// Whether verification is wanted, and the manager's own business.
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
            // What nobody wanted is not told, nor what the manager finds out itself.
            let isVerified = agreement.isVerified && wantsVerification && !provider.verifiesUser
            return ConsentAgreement(isPresent: true, isVerified: isVerified)
        case .timedOut: throw .userActionTimeout
        case .cancelled: throw .keepaliveCancel
        default: throw .operationDenied
        }
    }

    /// Keeps what went wrong, and says it as a status.
    private func noted(_ error: any Error) -> CTAPStatus {
        guard let error = error as? AgentError else {
            return error is CancellationError ? .keepaliveCancel : .other
        }
        fault.note(error)
        return error.code == .matchedExcluded ? .credentialExcluded : .operationDenied
    }
}
