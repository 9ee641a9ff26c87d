internal import Foundation
internal import Logging
internal import WardAgentClient
internal import WardClient
internal import WardWebAuthn

/// A credential manager that the agent reaches through a socket.
///
/// The agent checks every value of the manager that can be checked.
///
/// Every operation has its own connection, so that an operation that hangs or fails does not disturb others.
struct SocketProvider: CredentialProvider {
    let declaration: ProviderDeclaration
    let connections: ProviderConnections

    var identifier: String { declaration.identifier }
    var name: String { declaration.name }
    var capabilities: ProviderCapabilities { declaration.capabilities }
    var verifiesUser: Bool { declaration.verifiesUser }

    /// The maximum number of entries in an answer.
    static let maximumEntries = 1_000
    /// The maximum length of an account's name, in bytes.
    static let maximumUser = 1_024
    /// The maximum length of a password or code, in bytes.
    static let maximumSecret = 4_096

    func entries(_ query: ProviderQuery) async throws -> ProviderEntries {
        let kinds = query.kinds.filter { capabilities.contains($0.capability) }
        guard !kinds.isEmpty, !query.domains.isEmpty else { return ProviderEntries(entries: []) }
        let answer = try await call(
            ProviderMessages.Entries(domains: query.domains, kinds: kinds.map(\.rawValue).sorted()),
            within: connections.listing
        )
        guard answer.entries.count <= Self.maximumEntries else { throw failed("the manager lists too many entries") }
        var entries: [ProviderEntry] = []
        for entry in answer.entries {
            let entry = try self.entry(entry, kinds, query.domains)
            let isTwice = entries.contains { $0.reference == entry.reference && $0.kind == entry.kind }
            guard !isTwice else { throw failed("the manager lists one entry twice") }
            entries.append(entry)
        }
        let asked = ProviderQuery(domains: query.domains, kinds: kinds)
        guard answer.isLocked == true else {
            connections.index.remember(entries, of: identifier, for: asked)
            return ProviderEntries(entries: entries)
        }
        // A locked manager may hide its names too. Then the entries are used that it listed while it was unlocked.
        if entries.isEmpty { entries = connections.index.entries(of: identifier, for: asked) }
        for index in entries.indices { entries[index].isLocked = true }
        return ProviderEntries(entries: entries, isLocked: true)
    }

    func unlock(for app: String) async throws {
        _ = try await call(ProviderMessages.Unlock(app: app), within: connections.use)
    }

    private func entry(
        _ entry: ProviderMessages.Entries.Entry,
        _ kinds: Set<ProviderEntry.Kind>,
        _ domains: [String]
    ) throws(AgentError) -> ProviderEntry {
        guard let kind = ProviderEntry.Kind(rawValue: entry.kind), kinds.contains(kind) else {
            throw failed("the manager lists an entry of a kind that was not requested")
        }
        guard domains.contains(entry.domain) else {
            throw failed("the manager lists an entry of a domain that was not requested")
        }
        guard (1...256).contains(entry.reference.utf8.count), entry.user.utf8.count <= Self.maximumUser else {
            throw failed("the manager lists an entry with a name that is too long")
        }
        var read = ProviderEntry(
            provider: identifier,
            reference: entry.reference,
            kind: kind,
            domain: entry.domain,
            user: entry.user,
            lastUsedAt: entry.lastUsedAt
        )
        guard kind == .passkey else { return read }
        guard let id = entry.credentialID, let handle = entry.userHandle else {
            throw failed("the manager lists a passkey without a credential ID or a user handle")
        }
        read.credentialID = id
        read.userHandle = handle
        return read
    }

    func password(_ entry: ProviderEntry, for app: String) async throws -> (user: String, password: String) {
        let answer = try await call(
            ProviderMessages.Password(reference: entry.reference, app: app),
            within: connections.use
        )
        guard (1...Self.maximumSecret).contains(answer.password.utf8.count) else {
            throw failed("the manager answers with a malformed password")
        }
        // The person agreed to release the password of this account only.
        guard answer.user.utf8.elementsEqual(entry.user.utf8) else {
            throw failed("the manager returns the password of another account than requested")
        }
        return (answer.user, answer.password)
    }

    func code(_ entry: ProviderEntry, for app: String) async throws -> String {
        let answer = try await call(
            ProviderMessages.Code(reference: entry.reference, app: app),
            within: connections.use
        )
        let isCode =
            (1...64).contains(answer.code.utf8.count) && answer.code.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        guard isCode else { throw failed("the manager answers with a malformed code") }
        return answer.code
    }

    /// A text that the person chooses in the manager's own window.
    func textToInsert(for app: String) async throws -> String {
        let answer = try await call(ProviderMessages.TextToInsert(app: app), within: connections.use)
        guard (1...Self.maximumSecret).contains(answer.text.utf8.count) else {
            throw failed("the manager returns a text that is empty or too long")
        }
        return answer.text
    }

    /// Saves a password, after the person chose this manager.
    ///
    /// - Returns: The manager's reference to the entry that has the password now, if it says so.
    func save(_ password: ProviderMessages.Save) async throws -> String? {
        let answer = try await call(password, within: connections.use)
        guard answer.reference.map({ (1...256).contains($0.utf8.count) }) ?? true else {
            throw failed("the manager saves a password and returns a reference that is empty or too long")
        }
        return answer.reference
    }

    func mayUpgrade(_ password: HandedOutPassword, for app: String) async throws -> Bool {
        try await call(
            ProviderMessages.MayUpgrade(
                reference: password.reference,
                app: app,
                domain: password.domain,
                user: password.user
            ),
            within: connections.listing
        ).mayUpgrade
    }

    func take(_ signal: SignalFromApp) async throws {
        _ = try await call(
            ProviderMessages.Signal(kind: signal.kind.rawValue, options: signal.options),
            within: connections.listing
        )
    }

    // MARK: Passkeys

    func usePasskey(
        _ entry: ProviderEntry,
        _ options: PublicKeyCredentialRequestOptions,
        _ caller: Caller,
        _ consent: PromptingConsent
    ) async throws -> AuthenticationResponse {
        let authenticator = SocketAuthenticator(provider: self, entry: entry, consent: consent)
        do {
            return try await WebAuthnClient(authenticator, consent.client).get(options, from: caller)
        } catch {
            throw authenticator.fault.error ?? error
        }
    }

    func makePasskey(
        _ options: PublicKeyCredentialCreationOptions,
        _ caller: Caller,
        isConditional: Bool,
        _ consent: PromptingConsent
    ) async throws -> RegistrationResponse {
        let authenticator = SocketAuthenticator(provider: self, entry: nil, consent: consent)
        let client = WebAuthnClient(authenticator, consent.client)
        do {
            return try await client.create(options, from: caller, mediation: isConditional ? .conditional : .optional)
        } catch {
            throw authenticator.fault.error ?? error
        }
    }

    // MARK: The socket

    /// An error that names the manager but does not contain its message.
    func failed(_ what: String) -> AgentError {
        AgentError(.providerFailed, "\(name): \(what). To leave \(name) out: ward providers disable \(identifier)")
    }

    /// Sends one request to the manager.
    ///
    /// - Throws: `AgentError`: `denied` and `matchedExcluded` as the manager says, `providerFailed` for all else that it does.
    func call<Method: AgentMethod>(_ method: Method, within limit: Duration) async throws -> Method.Result {
        let answer: Method.Result?
        do {
            answer = try await WardAgentClient.within(limit, sleep: connections.sleep) {
                try await connected { try await $0.call(method) }
            }
        } catch {
            try Task.checkCancellation()
            throw reported(error)
        }
        guard let answer else { throw failed("the manager does not answer") }
        return answer
    }

    private func reported(_ error: any Error) -> AgentError {
        guard let error = error as? AgentError else {
            connections.logger.info(
                "a credential manager failed",
                metadata: ["provider": "\(identifier)", "error": "\(error)"]
            )
            return failed("the manager cannot be reached")
        }
        switch error.code {
        case .denied: return AgentError(.denied, "\(name) was told no")
        case .matchedExcluded: return AgentError(.matchedExcluded, "\(name) already has a passkey for this account")
        case .providerFailed: return error
        case .unreachable: return failed("the manager ended during the request")
        case .versionMismatch: return failed("the manager answers with something that cannot be read")
        default:
            // The manager's message is not passed on, because it could contain anything.
            connections.logger.info(
                "a credential manager refused",
                metadata: ["provider": "\(identifier)", "code": "\(error.code.rawValue.cleanedForPrompt)"]
            )
            return failed("the manager refuses the request")
        }
    }

    /// Runs a closure with a connection after both sides have identified themselves.
    ///
    /// If no program listens, the manager is started.
    private func connected<T: Sendable>(
        _ body: @escaping @Sendable (AgentClient) async throws -> T
    ) async throws -> T {
        // A manager that was already running may be about to end. No request was sent to it yet, so another process is started.
        let proof: String
        do {
            proof = try connections.proofs.proof(for: declaration)
        } catch {
            throw AgentError(
                .providerFailed,
                "Cannot write to \(connections.proofs.folder), which \(name) needs. Check its permissions."
            )
        }
        for _ in 0..<10 {
            do { return try await connectedOnce(proof, body) } catch is AgentClient.NobodyThere {
                try await connections.starts.start(declaration, proof)
                try await Task.sleep(for: .milliseconds(50))
            } catch is Unbelieved {
                guard declaration.program != nil else { break }
                // An earlier agent started this manager, and the manager is about to end.
                try await Task.sleep(for: .milliseconds(300))
            }
        }
        do { return try await connectedOnce(proof, body) } catch is AgentClient.NobodyThere {
            throw failed("the manager ends before the agent sends a request")
        } catch is Unbelieved {
            throw AgentError(
                .providerFailed,
                "\(name) does not accept the agent's proof. End the program, and start it again."
            )
        }
    }

    /// The manager did not accept the agent's secret.
    private struct Unbelieved: Error {}

    private func connectedOnce<T: Sendable>(
        _ proof: String,
        _ body: @escaping @Sendable (AgentClient) async throws -> T
    ) async throws -> T {
        try await AgentClient.withConnection(
            to: declaration.socket,
            maximumAnswerLength: ProviderMessages.maximumAnswerLength
        ) { client, channel in
            // A program of another user at this path is not the manager.
            do { _ = try await Peer(channel) } catch {
                throw failed("the program at the socket belongs to another user")
            }
            let greeting: ProviderMessages.Greeting.Result
            do {
                greeting = try await client.call(ProviderMessages.Greeting(proof: proof))
            } catch let error as AgentError where error.code == .unreachable {
                throw AgentClient.NobodyThere()
            } catch let error as AgentError where error.code == .notPermitted {
                throw Unbelieved()
            }
            guard ProviderMessages.versions.contains(greeting.version) else {
                throw failed("the manager uses a protocol version that this Ward does not know")
            }
            guard greeting.identifier == identifier else {
                throw failed("the manager reports another identifier than its declaration")
            }
            return try await body(client)
        }
    }
}
