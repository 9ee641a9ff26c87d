import Foundation
import WardAgentClient
import WardAuthenticator
import WardCTAP
import WardCOSE
import WardText
import WardWebAuthn

/// Answers what the agent asks on a connection, and nobody else.
struct SmallManager: Sendable {
    let drawer: Drawer
    /// What nobody but the agent knows.
    let proof: String
    private var isAgent = false

    init(drawer: Drawer, proof: String) {
        self.drawer = drawer
        self.proof = proof
    }

    mutating func answer(to line: [UInt8]) async throws -> [UInt8] {
        let head = try JSONDecoder().decode(Head.self, from: Data(line))
        if head.method == "hello" { isAgent = knows(line) }
        guard isAgent else {
            return try refuse(head, AgentError(.notPermitted, "this manager answers Ward's agent alone"))
        }
        return try await answer(head, line)
    }

    /// Whether a greeting has the proof.
    private func knows(_ line: [UInt8]) -> Bool {
        let greeting = try? JSONDecoder().decode(Parameters<GreetingRequest>.self, from: Data(line)).params
        let (said, known) = (Array((greeting?.proof ?? "").utf8), Array(proof.utf8))
        // In constant time: how long it takes says nothing of the proof.
        return said.count == known.count && zip(said, known).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private func answer(_ head: Head, _ line: [UInt8]) async throws -> [UInt8] {
        func handle<Message: Decodable>(
            _ type: Message.Type,
            _ body: (Message) async throws -> some Encodable
        ) async throws -> [UInt8] {
            let message = try JSONDecoder().decode(Parameters<Message>.self, from: Data(line)).params
            return try Array(JSONEncoder().encode(Answer(id: head.id, result: try await body(message))))
        }
        do {
            switch head.method {
            case "hello":
                let greeting = Greeting(version: 2, identifier: "org.example.SmallManager")
                return try Array(JSONEncoder().encode(Answer(id: head.id, result: greeting)))
            case "provider.entries":
                return try await handle(EntriesQuery.self) { query in
                    Entries(entries: await drawer.entries(query), isLocked: await drawer.isLocked)
                }
            case "provider.unlock":
                // Here a manager asks its person.
                await drawer.unlock()
                return try Array(JSONEncoder().encode(Answer(id: head.id, result: Done())))
            case "provider.password":
                return try await handle(PasswordRequest.self) { message in
                    guard let found = await drawer.password(message.reference) else { throw gone }
                    return PasswordAnswer(user: found.user, password: found.password)
                }
            case "provider.textToInsert":
                return try await handle(TextRequest.self) { _ in
                    // Here a manager shows its window with all its texts.
                    guard let text = await drawer.text else { throw AgentError(.denied, "nothing was chosen") }
                    return TextAnswer(text: text)
                }
            case "provider.save":
                return try await handle(SaveRequest.self) { request in
                    // Here a locked manager asks its person.
                    await drawer.unlock()
                    return SaveAnswer(reference: try await drawer.save(request))
                }
            case "provider.mayUpgrade":
                return try await handle(UpgradeQuestion.self) { UpgradeAnswer(mayUpgrade: await drawer.mayUpgrade($0)) }
            case "provider.registration":
                return try await handle(RegistrationRequest.self) { try await register($0) }
            case "provider.assertion":
                return try await handle(AssertionRequest.self) { try await sign($0) }
            case "provider.signal":
                return try Array(JSONEncoder().encode(Answer(id: head.id, result: Done())))
            default: throw AgentError(.unknownMethod, "this manager does not know it")
            }
        } catch let status as CTAPStatus where status == .credentialExcluded {
            return try refuse(head, AgentError(.matchedExcluded, "it is here already"))
        } catch {
            return try refuse(head, error as? AgentError ?? AgentError(.failed, "that did not work"))
        }
    }

    private func refuse(_ head: Head, _ error: AgentError) throws -> [UInt8] {
        try Array(JSONEncoder().encode(Refusal(head.id, error)))
    }

    /// Makes a passkey: the agent has asked the person, and this signs what they agreed to.
    private func register(_ method: RegistrationRequest) async throws -> RegistrationAnswer {
        // Here a manager that declares it verifies its person.
        let isVerified = method.userVerified || method.wantsVerification
        guard let user = Base64URL.decode(method.userHandle).flatMap({ UserHandle($0) }),
            let hash = Base64URL.decode(method.clientDataHash)
        else { throw gone }
        let request = MakeCredentialRequest(
            clientDataHash: hash,
            relyingParty: .init(id: method.rpID, name: method.rpName),
            user: .init(id: user, name: method.userName, displayName: method.userDisplayName),
            pubKeyCredParams: method.algorithms.map { .init(COSEAlgorithmIdentifier(rawValue: $0)) },
            excludeList: method.excludedCredentials.compactMap { CredentialID(base64URL: $0) }.map { .init(id: $0) },
            options: .init(residentKey: true, userVerification: isVerified ? true : nil)
        )
        let context = CeremonyContext(isConditional: method.isConditional)
        let made = try await authenticator(method.userPresent, isVerified).makeCredential(request, in: context)
        return .init(
            attestationObject: Base64URL.encode(made.attestationObject),
            hasLargeBlob: method.wantsLargeBlob
        )
    }

    /// Signs with a passkey.
    private func sign(_ method: AssertionRequest) async throws -> AssertionAnswer {
        let isVerified = method.userVerified || method.wantsVerification
        guard let id = CredentialID(base64URL: method.credentialID), let hash = Base64URL.decode(method.clientDataHash)
        else { throw gone }
        let request = GetAssertionRequest(
            rpID: method.rpID,
            clientDataHash: hash,
            allowList: [.init(id: id)],
            options: .init(userVerification: isVerified ? true : nil)
        )
        let signed = try await authenticator(method.userPresent, isVerified)
            .getAssertion(request, in: CeremonyContext())
        var answer = AssertionAnswer(
            credentialID: id.base64URL,
            userHandle: signed.user?.id.base64URL,
            authenticatorData: Base64URL.encode(signed.authenticatorData),
            signature: Base64URL.encode(signed.signature)
        )
        if let blob = method.writesLargeBlob {
            do {
                try await drawer.keep(largeBlob: blob, of: id)
                answer.isLargeBlobWritten = true
            } catch {
                answer.isLargeBlobWritten = false
            }
        } else if method.readsLargeBlob == true {
            answer.largeBlob = await drawer.largeBlob(of: id)
        }
        return answer
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
