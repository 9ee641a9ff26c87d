internal import Logging
internal import WardAgentClient
internal import WardVault

/// One connection: who is there, what was agreed, and which method is which.
actor AgentSession {
    private let agent: Agent
    private let peer: Peer
    private let door: Door
    private let logger: Logger
    private var hello: Hello?
    /// Where the person of one of the manager's programs is; apps have no say in it.
    private var place: PromptPlace?

    init(agent: Agent, peer: Peer, door: Door, logger: Logger) {
        self.agent = agent
        self.peer = peer
        self.door = door
        self.logger = logger
    }

    /// Answers a line; nothing that stands in it can make this fail.
    func answer(to line: [UInt8]) async -> [UInt8] {
        guard let head = try? Envelope.decode(Envelope.Head.self, from: line), head.jsonrpc == "2.0" else {
            return refusal(nil, AgentError(.invalidRequest, "a message is a JSON-RPC 2.0 request on one line"))
        }
        do {
            let answer = try await dispatch(head, line)
            logger.debug("answered", metadata: ["method": "\(head.method)", "pid": "\(peer.pid)"])
            return answer
        } catch {
            let error = AgentError(reporting: error)
            logger.debug(
                "refused",
                metadata: ["method": "\(head.method)", "pid": "\(peer.pid)", "code": "\(error.code)"]
            )
            return refusal(head.id, error)
        }
    }

    private func dispatch(_ head: Envelope.Head, _ line: [UInt8]) async throws -> [UInt8] {
        if head.method == Hello.name { return try await greet(head, line) }
        guard hello != nil else { throw AgentError(.invalidRequest, "a connection begins with hello") }
        let caller = AgentCaller(peer: peer, place: place)
        let agent = agent
        try await door.check(head.method, from: peer, agent)
        func handle<Method: AgentMethod>(
            _ type: Method.Type,
            _ body: (Agent, Method, AgentCaller) async throws -> Method.Result
        ) async throws -> [UInt8] {
            let method = try parameters(type, line)
            return try Envelope.encode(answer: head.id, try await body(agent, method, caller))
        }
        switch head.method {
        case Status.name: return try await handle(Status.self) { agent, _, caller in await agent.status(caller) }
        case CreateVault.name: return try await handle(CreateVault.self) { try await $0.create($1, $2) }
        case CheckRecoveryKey.name: return try await handle(CheckRecoveryKey.self) { try await $0.check($1, $2) }
        case ReplaceRecoveryKey.name: return try await handle(ReplaceRecoveryKey.self) { try await $0.replace($1, $2) }
        case Unlock.name: return try await handle(Unlock.self) { try await $0.unlock($1, $2) }
        case Recover.name: return try await handle(Recover.self) { try await $0.recover($1, $2) }
        case CheckPassphrase.name: return try await handle(CheckPassphrase.self) { try await $0.check($1, $2) }
        case ChangePassphrase.name: return try await handle(ChangePassphrase.self) { try await $0.change($1, $2) }
        case Lock.name: return try await handle(Lock.self) { agent, _, _ in await agent.lock() }
        case VerifyLog.name: return try await handle(VerifyLog.self) { try await $0.verifyLog($1, $2) }
        case BackUpVault.name: return try await handle(BackUpVault.self) { try await $0.backUp($1, $2) }
        case ConfirmBackupKey.name: return try await handle(ConfirmBackupKey.self) { try await $0.confirm($1, $2) }
        case RestoreVault.name: return try await handle(RestoreVault.self) { try await $0.restore($1, $2) }
        case StopAgent.name: return try await handle(StopAgent.self) { agent, _, _ in await agent.stop() }
        case ListItems.name: return try await handle(ListItems.self) { try await $0.list($1, $2) }
        case GetItem.name: return try await handle(GetItem.self) { try await $0.get($1, $2) }
        case AddItem.name: return try await handle(AddItem.self) { try await $0.add($1, $2) }
        case EditItem.name: return try await handle(EditItem.self) { try await $0.edit($1, $2) }
        case CloneItem.name: return try await handle(CloneItem.self) { try await $0.clone($1, $2) }
        case RemoveItem.name: return try await handle(RemoveItem.self) { try await $0.remove($1, $2) }
        case FindItem.name: return try await handle(FindItem.self) { try await $0.find($1, $2) }
        case EmptyTrash.name: return try await handle(EmptyTrash.self) { try await $0.emptyTrash($1, $2) }
        case SalvageVault.name: return try await handle(SalvageVault.self) { try await $0.salvage($1, $2) }
        case RestoreItem.name: return try await handle(RestoreItem.self) { try await $0.restore($1, $2) }
        case ItemHistory.name: return try await handle(ItemHistory.self) { try await $0.history($1, $2) }
        case ShowCode.name: return try await handle(ShowCode.self) { try await $0.code($1, $2) }
        case ListPasskeys.name: return try await handle(ListPasskeys.self) { try await $0.passkeys($1, $2) }
        case RemovePasskey.name: return try await handle(RemovePasskey.self) { try await $0.removePasskey($1, $2) }
        case CreatePasskey.name: return try await handle(CreatePasskey.self) { try await $0.createPasskey($1, $2) }
        case UsePasskey.name: return try await handle(UsePasskey.self) { try await $0.usePasskey($1, $2) }
        case ListApps.name: return try await handle(ListApps.self) { agent, _, _ in await agent.listApps() }
        case CheckApp.name: return try await handle(CheckApp.self) { agent, method, _ in try await agent.check(method) }
        case AddApp.name: return try await handle(AddApp.self) { try await $0.add($1, $2) }
        case AddFlatpakApp.name: return try await handle(AddFlatpakApp.self) { try await $0.add($1, $2) }
        case RemoveApp.name: return try await handle(RemoveApp.self) { try await $0.remove($1, $2) }
        case AppIdentity.name:
            return try await handle(AppIdentity.self) { agent, _, caller in try await agent.identity(of: caller) }
        case SignalFromApp.name: return try await handle(SignalFromApp.self) { try await $0.signal($1, $2) }
        case SaveForApp.name: return try await handle(SaveForApp.self) { try await $0.save($1, $2) }
        case AuthorizeApp.name: return try await handle(AuthorizeApp.self) { try await $0.authorize($1, $2) }
        case SuggestForApp.name: return try await handle(SuggestForApp.self) { try await $0.suggest($1, $2) }
        case UnlockForApp.name: return try await handle(UnlockForApp.self) { try await $0.unlockForApp($1, $2) }
        case ListProviders.name: return try await handle(ListProviders.self) { agent, _, _ in agent.providers() }
        case EnableProvider.name:
            return try await handle(EnableProvider.self) { agent, method, _ in try agent.enable(method) }
        case DisableProvider.name:
            return try await handle(DisableProvider.self) { agent, method, _ in try agent.disable(method) }
        case SwitchPasskeys.name:
            return try await handle(SwitchPasskeys.self) { agent, method, _ in try agent.switchPasskeys(method) }
        default: throw AgentError(.unknownMethod, "this agent does not know \(head.method.prefix(64))")
        }
    }

    private func greet(_ head: Envelope.Head, _ line: [UInt8]) async throws -> [UInt8] {
        let hello = try parameters(Hello.self, line)
        guard let version = hello.versions.filter(Hello.versions.contains).max() else {
            throw AgentError(
                .versionMismatch,
                "the agent is of another version than this program: ward agent --stop ends it, and the next command starts the new one"
            )
        }
        let isManager = await door.isManagers(peer, agent)
        place = isManager ? agent.person.hear(hello.terminal, from: peer.process) : nil
        self.hello = hello
        let vault = isManager ? agent.configuration.location.database : nil
        return try Envelope.encode(
            Envelope.Answer(id: head.id, result: Hello.Result(version: version, pid: agent.processID, vault: vault))
        )
    }

    private func parameters<Method: Decodable>(_ type: Method.Type, _ line: [UInt8]) throws(AgentError) -> Method {
        do {
            return try Envelope.decode(Envelope.Parameters<Method>.self, from: line).params
        } catch let error as AgentError {
            throw error
        } catch let error as DecodingError {
            throw Self.sentence(error)
        } catch {
            throw AgentError(.invalidRequest, "The request has the wrong form")
        }
    }

    /// Names the member that is missing or wrong, but never its value.
    private static func sentence(_ error: DecodingError) -> AgentError {
        func path(_ keys: [any CodingKey]) -> String {
            keys.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue.prefix(64))" }.joined().dropFirst()
                .description
        }
        let problem =
            switch error {
            case .keyNotFound(let key, let context): "lacks the member \(path(context.codingPath + [key]))"
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                "has a wrong value for the member \(path(context.codingPath))"
            @unknown default: "has the wrong form"
            }
        return AgentError(.invalidRequest, "The request \(problem)")
    }

    private func refusal(_ id: Envelope.ID?, _ error: AgentError) -> [UInt8] {
        // Plain strings and numbers: this cannot fail.
        (try? Envelope.encode(Envelope.Refusal(id: id, error))) ?? []
    }
}

/// Who asks for something.
struct AgentCaller: Sendable {
    let peer: Peer
    /// Where the person is, as one of the manager's programs said and the agent checked; `nil` for an app.
    let place: PromptPlace?

    /// Whether it is one of the manager's programs.
    var isManager: Bool { place != nil }
}
