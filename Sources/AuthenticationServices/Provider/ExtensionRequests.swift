internal import Foundation
internal import WardAgentClient
internal import WardText
internal import WardWebAuthn

/// Converts the agent's requests into calls of a controller, and the controller's answers into answers for the agent.
struct ExtensionRequests: Sendable {
    let identities: CredentialIdentityFile
    let controller: @MainActor @Sendable () -> ASCredentialProviderViewController

    // MARK: Lists

    /// The identities in the store for some domains.
    ///
    /// No controller is called, so the manager cannot open a window.
    func entries(_ query: ProviderMessages.Entries) throws -> ProviderMessages.Entries.Result {
        let stored = try identities.read().sorted { $0.rank > $1.rank }
        let entries = stored.compactMap { identity -> ProviderMessages.Entries.Entry? in
            let host = identity.host
            guard query.kinds.contains(identity.kind.rawValue), query.domains.contains(host) else { return nil }
            return ProviderMessages.Entries.Entry(
                reference: identity.reference,
                kind: identity.kind.rawValue,
                domain: host,
                user: identity.user,
                credentialID: identity.credentialID.flatMap { CredentialID(Array($0)) },
                userHandle: identity.userHandle.flatMap { UserHandle(Array($0)) }
            )
        }
        return .init(entries: Array(entries.prefix(1_000)))
    }

    private func identity(_ reference: String, _ kind: StoredIdentity.Kind) throws -> any ASCredentialIdentity {
        guard let found = try identities.read().first(where: { $0.kind == kind && $0.reference == reference }) else {
            throw ASExtensionError(.credentialIdentityNotFound)
        }
        return found.identity
    }

    // MARK: Credentials

    func password(_ method: ProviderMessages.Password) async throws -> ProviderMessages.Password.Result {
        guard let identity = try identity(method.reference, .password) as? ASPasswordCredentialIdentity else {
            throw ASExtensionError(.credentialIdentityNotFound)
        }
        guard
            case .password(let credential) = try await provide(
                ASPasswordCredentialRequest(credentialIdentity: identity)
            )
        else { throw ASExtensionError(.failed) }
        return .init(user: credential.user, password: credential.password)
    }

    func code(_ method: ProviderMessages.Code) async throws -> ProviderMessages.Code.Result {
        guard let identity = try identity(method.reference, .oneTimeCode) as? ASOneTimeCodeCredentialIdentity else {
            throw ASExtensionError(.credentialIdentityNotFound)
        }
        let request = ASOneTimeCodeCredentialRequest(credentialIdentity: identity)
        guard case .oneTimeCode(let credential) = try await provide(request) else { throw ASExtensionError(.failed) }
        return .init(code: credential.code)
    }

    func assertion(_ method: ProviderMessages.Assertion) async throws -> ProviderMessages.Assertion.Result {
        guard let identity = try identity(method.reference, .passkey) as? ASPasskeyCredentialIdentity,
            let hash = Base64URL.decode(method.clientDataHash)
        else { throw ASExtensionError(.credentialIdentityNotFound) }
        let request = ASPasskeyCredentialRequest(
            credentialIdentity: identity,
            clientDataHash: Data(hash),
            userVerificationPreference: method.userVerified || method.wantsVerification ? .required : .discouraged,
            supportedAlgorithms: [],
            extensionInput: ASPasskeyAssertionCredentialExtensionInput(method)
        )
        guard case .assertion(let credential) = try await provide(request), credential.clientDataHash == Data(hash),
            credential.relyingParty == method.rpID, let credentialID = CredentialID(Array(credential.credentialID)),
            let userHandle = UserHandle(Array(credential.userHandle))
        else { throw ASExtensionError(.failed) }
        var result = ProviderMessages.Assertion.Result(
            credentialID: credentialID,
            userHandle: userHandle,
            authenticatorData: Base64URL.encode(Array(credential.authenticatorData)),
            signature: Base64URL.encode(Array(credential.signature))
        )
        result.add(credential.extensionOutput)
        return result
    }

    func registration(_ method: ProviderMessages.Registration) async throws -> ProviderMessages.Registration.Result {
        guard let hash = Base64URL.decode(method.clientDataHash) else {
            throw AgentError(.invalidRequest, "clientDataHash is not base64url")
        }
        let request = ASPasskeyCredentialRequest(
            registering: ASPasskeyCredentialIdentity(
                relyingPartyIdentifier: method.rpID,
                userName: method.userName,
                credentialID: Data(),
                userHandle: Data(method.userHandle.bytes),
                recordIdentifier: nil
            ),
            clientDataHash: Data(hash),
            userVerificationPreference: method.userVerified || method.wantsVerification ? .required : .discouraged,
            supportedAlgorithms: method.algorithms.map { ASCOSEAlgorithmIdentifier(rawValue: $0) },
            excludedCredentials: method.excludedCredentials.map {
                ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: Data($0.bytes))
            },
            extensionInput: ASPasskeyRegistrationCredentialExtensionInput(method)
        )
        let isConditional = method.isConditional
        let answer = try await ask { controller in
            if isConditional {
                controller.performWithoutUserInteractionIfPossible(passkeyRegistration: request)
            } else {
                controller.prepareInterface(forPasskeyRegistration: request)
            }
        }
        guard case .registration(let credential) = answer, credential.clientDataHash == Data(hash),
            credential.relyingParty == method.rpID
        else { throw ASExtensionError(.failed) }
        var result = ProviderMessages.Registration.Result(
            attestationObject: Base64URL.encode(Array(credential.attestationObject))
        )
        result.add(credential.extensionOutput)
        return result
    }

    func textToInsert() async throws -> ProviderMessages.TextToInsert.Result {
        let answer = try await ask { $0.prepareInterfaceForUserChoosingTextToInsert() }
        guard case .text(let text) = answer else { throw ASExtensionError(.failed) }
        return .init(text: text)
    }

    /// Asks the manager to save a password.
    ///
    /// - Returns: The reference of the account's entry, if the manager has put it into the identity store.
    func save(_ method: ProviderMessages.Save) async throws -> ProviderMessages.Save.Result {
        let request = ASSavePasswordRequest(
            serviceIdentifier: ASCredentialServiceIdentifier(identifier: method.domain, type: .domain),
            credential: ASPasswordCredential(user: method.user, password: method.password),
            title: method.title.isEmpty ? nil : method.title,
            sessionID: UUID().uuidString,
            event: method.isGenerated ? .generatedPasswordFilled : .userInitiated,
            passwordKind: method.isGenerated ? .strong : nil
        )
        let answer = try await ask {
            $0.performWithoutUserInteractionIfPossible(savePasswordRequest: request)
        } orShowing: {
            $0.prepareInterface(for: request)
        }
        guard case .saved = answer else { throw ASExtensionError(.failed) }
        let kept = try identities.read().first {
            $0.kind == .password && $0.host == method.domain && $0.user == method.user
        }
        return .init(reference: kept?.reference)
    }

    /// Whether the store has this password and no passkey of the account.
    ///
    /// The controller decides about everything else.
    func mayUpgrade(_ method: ProviderMessages.MayUpgrade) throws -> ProviderMessages.MayUpgrade.Result {
        let ofAccount = try identities.read().filter { $0.host == method.domain && $0.user == method.user }
        let hasPassword = ofAccount.contains { $0.kind == .password && $0.reference == method.reference }
        return .init(mayUpgrade: hasPassword && !ofAccount.contains { $0.kind == .passkey })
    }

    /// Requests a credential without a window first.
    ///
    /// If that is not possible, the same controller may show its window.
    private func provide(
        _ request: sending any ASCredentialRequest
    ) async throws -> ASCredentialProviderExtensionContext.Answer {
        try await provideOnMain(request)
    }

    @MainActor private func provideOnMain(
        _ request: sending any ASCredentialRequest
    ) async throws -> ASCredentialProviderExtensionContext.Answer {
        try await ask {
            $0.provideCredentialWithoutUserInteraction(for: request)
        } orShowing: {
            $0.prepareInterfaceToProvideCredential(for: request)
        }
    }

    /// Calls a new controller without a window first.
    ///
    /// If the controller needs the person, it is called again and may show its window.
    @MainActor private func ask(
        _ begin: @MainActor (ASCredentialProviderViewController) -> Void,
        orShowing show: (@MainActor (ASCredentialProviderViewController) -> Void)? = nil
    ) async throws -> ASCredentialProviderExtensionContext.Answer {
        let controller = controller()
        let context = controller.extensionContext
        begin(controller)
        do {
            return try checked(await context.answer())
        } catch let error as ASExtensionError where error.code == .userInteractionRequired {
            guard let show else { throw error }
            context.reopen()
            show(controller)
            return try checked(await context.answer())
        }
    }

    @MainActor private func checked(
        _ answer: ASCredentialProviderExtensionContext.Answer
    ) throws -> ASCredentialProviderExtensionContext.Answer {
        if case .failed(let error) = answer { throw error }
        return answer
    }

    // MARK: Signals

    @MainActor func signal(_ method: ProviderMessages.Signal) throws -> Done {
        let json = Array(method.options.utf8)
        let controller = controller()
        switch SignalFromApp.Kind(rawValue: method.kind) {
        case .unknownCredential:
            let options = try UnknownCredentialOptions(json: json)
            controller.reportUnknownPublicKeyCredential(
                forRelyingParty: options.rpID,
                credentialID: Data(options.credentialID.bytes)
            )
        case .allAcceptedCredentials:
            let options = try AllAcceptedCredentialsOptions(json: json)
            controller.reportAllAcceptedPublicKeyCredentials(
                forRelyingParty: options.rpID,
                userHandle: Data(options.userID.bytes),
                acceptedCredentialIDs: options.allAcceptedCredentialIDs.map { Data($0.bytes) }
            )
        case .currentUserDetails:
            let options = try CurrentUserDetailsOptions(json: json)
            controller.reportPublicKeyCredentialUpdate(
                forRelyingParty: options.rpID,
                userHandle: Data(options.user.id.bytes),
                newName: options.user.name
            )
        case .unusedPassword:
            let members = try JSONMembers(try JSONValue(json), in: "options")
            controller.reportUnusedPasswordCredential(
                forDomain: try members.string("rpId"),
                userName: try members.string("name")
            )
        case nil: throw AgentError(.invalidValue, "this kind of signal is unknown")
        }
        return Done()
    }
}
