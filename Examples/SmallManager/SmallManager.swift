import WardAgentClient
import WardAuthenticator
import WardCTAP
import WardCOSE
import WardWebAuthn

/// Answers what the agent asks.
struct SmallManager: Sendable {
    let drawer: Drawer

    func answer(to line: [UInt8]) async throws -> [UInt8] {
        let head = try Envelope.decode(Envelope.Head.self, from: line)
        func handle<Method: AgentMethod>(
            _ type: Method.Type,
            _ body: (Method) async throws -> Method.Result
        ) async throws -> [UInt8] {
            let method = try Envelope.decode(Envelope.Parameters<Method>.self, from: line).params
            return try Envelope.encode(answer: head.id, try await body(method))
        }
        do {
            switch head.method {
            case ProviderMessages.Greeting.name:
                return try await handle(ProviderMessages.Greeting.self) { _ in
                    .init(version: 1, identifier: "org.example.SmallManager")
                }
            case ProviderMessages.Entries.name:
                return try await handle(ProviderMessages.Entries.self) { .init(entries: await drawer.entries($0)) }
            case ProviderMessages.Password.name:
                return try await handle(ProviderMessages.Password.self) { method in
                    guard let found = await drawer.password(method.reference) else { throw gone }
                    return .init(user: found.user, password: found.password)
                }
            case ProviderMessages.Registration.name:
                return try await handle(ProviderMessages.Registration.self) { try await register($0) }
            case ProviderMessages.Assertion.name:
                return try await handle(ProviderMessages.Assertion.self) { try await sign($0) }
            case ProviderMessages.Signal.name:
                return try await handle(ProviderMessages.Signal.self) { _ in Done() }
            default: throw AgentError(.unknownMethod, "this manager does not know it")
            }
        } catch let status as CTAPStatus where status == .credentialExcluded {
            return try Envelope.encode(
                Envelope.Refusal(id: head.id, AgentError(.matchedExcluded, "it is here already"))
            )
        } catch {
            let refusal = error as? AgentError ?? AgentError(.failed, "that did not work")
            return try Envelope.encode(Envelope.Refusal(id: head.id, refusal))
        }
    }

    /// Makes a passkey: the agent has asked the person, and this signs what they agreed to.
    private func register(
        _ method: ProviderMessages.Registration
    ) async throws -> ProviderMessages.Registration.Result {
        guard let user = Base64URL.decode(method.userHandle).flatMap({ UserHandle($0) }),
            let hash = Base64URL.decode(method.clientDataHash)
        else { throw gone }
        let request = MakeCredentialRequest(
            clientDataHash: hash,
            relyingParty: .init(id: method.rpID, name: method.rpName),
            user: .init(id: user, name: method.userName, displayName: method.userDisplayName),
            pubKeyCredParams: method.algorithms.map { .init(COSEAlgorithmIdentifier(rawValue: $0)) },
            excludeList: method.excludedCredentials.compactMap { CredentialID(base64URL: $0) }.map { .init(id: $0) },
            options: .init(residentKey: true, userVerification: method.userVerified ? true : nil)
        )
        let context = CeremonyContext(isConditional: method.isConditional)
        let made = try await authenticator(method.userPresent, method.userVerified).makeCredential(request, in: context)
        return .init(attestationObject: Base64URL.encode(made.attestationObject))
    }

    /// Signs with a passkey.
    private func sign(_ method: ProviderMessages.Assertion) async throws -> ProviderMessages.Assertion.Result {
        guard let id = CredentialID(base64URL: method.credentialID), let hash = Base64URL.decode(method.clientDataHash)
        else { throw gone }
        let request = GetAssertionRequest(
            relyingPartyID: method.rpID,
            clientDataHash: hash,
            allowList: [.init(id: id)],
            options: .init(userVerification: method.userVerified ? true : nil)
        )
        let signed = try await authenticator(method.userPresent, method.userVerified)
            .getAssertion(request, in: CeremonyContext())
        return .init(
            credentialID: id.base64URL,
            userHandle: signed.user?.id.base64URL,
            authenticatorData: Base64URL.encode(signed.authenticatorData),
            signature: Base64URL.encode(signed.signature)
        )
    }

    private func authenticator(_ isPresent: Bool, _ isVerified: Bool) -> SoftwareAuthenticator<Drawer, Told> {
        SoftwareAuthenticator(store: drawer, consent: Told(isPresent: isPresent, isVerified: isVerified))
    }

    private var gone: AgentError { AgentError(.itemMissing, "there is no such thing here") }
}

/// What the agent says that the person agreed to.
struct Told: UserConsent {
    let isPresent: Bool
    let isVerified: Bool

    func ask(_ request: ConsentRequest) async -> ConsentAnswer {
        .agreed(ConsentAgreement(isPresent: isPresent, isVerified: isVerified))
    }
    func permitsUpgrade(_ request: ConsentRequest) async -> Bool { true }
}
