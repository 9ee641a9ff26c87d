internal import Logging
internal import WardAgentClient

/// One connection: the program, the protocol version, and the answers to its requests.
actor AgentSession {
    private let reception: Reception
    private let peer: Peer
    private let door: Door
    private let logger: Logger
    private var hello: Hello?
    /// The terminal and desktop that a manager program reported.
    ///
    /// Apps cannot report them.
    private var place: PromptPlace?
    /// The browser for which `ward-browser` speaks.
    private var browser: RunningBrowser?
    /// The running requests of the browser.
    private let requests = BrowserRequests()
    /// The items that a manager program handed over for an import.
    private let imports = ImportStage()
    /// The items that a manager program may take out of the vault.
    private let exports = ExportStage()

    init(reception: Reception, peer: Peer, door: Door, logger: Logger) {
        self.reception = reception
        self.peer = peer
        self.door = door
        self.logger = logger
    }

    /// Answers one line.
    ///
    /// No content of the line can make this call fail.
    func answer(to line: [UInt8]) async -> [UInt8] {
        guard let head = try? Envelope.decode(Envelope.Head.self, from: line), head.jsonrpc == "2.0" else {
            return refusal(nil, AgentError(.invalidRequest, "a message must be a JSON-RPC 2.0 request on one line"))
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
        let request = MethodTable.Request(id: head.id, line: line)
        if head.method == Hello.name { return try await greet(request) }
        guard hello != nil else { throw AgentError(.invalidRequest, "the first request of a connection must be hello") }
        let place = place
        let entry = reception.methods[head.method]
        try await door.check(head.method, entry, from: peer, reception.policy)
        switch entry {
        case .app(let answer)?:
            let app = AppProgram(identity: try await reception.policy.identify(peer), pid: peer.pid)
            return try await answer(request, app)
        case .manager(let answer)?:
            let program = ManagerProgram(
                peer: peer,
                place: place ?? PromptPlace(),
                imports: imports,
                exports: exports
            )
            return try await answer(request, program)
        case .browser(let answer)?:
            guard let browser, let process = browser.process.identity else {
                throw AgentError(.appUnknown, "ward-browser did not say hello for a browser's extension")
            }
            try browser.verify(peer)
            let program = BrowserProgram(identity: browser.identity, process: process, peer: peer, requests: requests)
            return try await requests.run(head.id) { try await answer(request, program) }
        case nil:
            throw AgentError(
                .unknownMethod,
                "this agent has no method \(head.method.prefix(64)); an older agent may be running: ward agent --stop ends it"
            )
        }
    }

    private func greet(_ request: MethodTable.Request) async throws -> [UInt8] {
        let hello = try request.parameters(Hello.self)
        guard let version = hello.versions.filter(Hello.versions.contains).max() else {
            throw AgentError(
                .versionMismatch,
                "the agent has another version than this program. End the agent: ward agent --stop. The next command starts "
                    + "the right version"
            )
        }
        let isManager = await door.isManagers(peer, reception.policy)
        place = isManager ? reception.person.hear(hello.terminal, from: peer.process) : nil
        let isHost = await door.isBrowserHost(peer, reception.policy)
        browser = isHost ? try hello.extensionID.map { try reception.policy.browser(peer, $0) } : nil
        self.hello = hello
        let vault = isManager || isHost ? reception.vault : nil
        return try Envelope.encode(
            Envelope.Answer(
                id: request.id,
                result: Hello.Result(version: version, pid: reception.processID, vault: vault)
            )
        )
    }

    private func refusal(_ id: Envelope.ID?, _ error: AgentError) -> [UInt8] {
        // The result has only plain strings and numbers, so encoding cannot fail.
        (try? Envelope.encode(Envelope.Refusal(id: id, error))) ?? []
    }
}
