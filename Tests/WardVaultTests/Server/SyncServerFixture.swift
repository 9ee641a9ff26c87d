import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization
import WardDownload
import WardSync
import WardSyncRecords
import WardSyncServer
import WardTesting
import WardVault

/// The real sync server in this process, without sockets. A test can change what goes between it and a device.
final class SyncServerFixture: Sendable {
    typealias Request = BoundedExchange.Request
    typealias Answer = BoundedExchange.Answer
    /// Answers a request; the closure asks the server.
    typealias Between = @Sendable (Request, @Sendable (Request) async throws -> Answer) async throws -> Answer

    static let host = "sync.example.com"

    private struct State {
        var edge: SyncEdge
        var store: MemorySyncStore
        var between: Between?
        var seen: [String] = []
    }

    let world: TestEffects
    private let limits: SyncLimits
    private let accounts: SyncAccounts?
    private let state: Mutex<State>

    init(
        _ store: MemorySyncStore = MemorySyncStore(),
        seed: String = "server",
        limits: SyncLimits = .standard,
        accounts: SyncAccounts? = nil
    ) {
        world = TestEffects(seed: seed)
        self.limits = limits
        self.accounts = accounts
        state = Mutex(State(edge: Self.edge(store, world, limits, accounts), store: store))
    }

    private static func edge(
        _ store: MemorySyncStore,
        _ world: TestEffects,
        _ limits: SyncLimits,
        _ accounts: SyncAccounts?
    ) -> SyncEdge {
        var logger = Logger(label: "sync tests")
        logger.logLevel = .critical
        return SyncServer(
            configuration: SyncServerConfiguration(host: host, limits: limits, accounts: accounts),
            store: store,
            effects: world.effects,
            logger: logger
        ).responder()
    }

    var store: MemorySyncStore { state.withLock { $0.store } }

    /// The requests so far: the method, and the path below the vault.
    var seen: [String] { state.withLock { $0.seen } }

    /// The server goes on with another store, as after it was restored.
    func use(_ store: MemorySyncStore) {
        let edge = Self.edge(store, world, limits, accounts)
        state.withLock { ($0.store, $0.edge) = (store, edge) }
    }

    /// From now on, this goes between devices and the server.
    func between(_ between: Between?) { state.withLock { $0.between = between } }

    func invite() async throws -> String {
        guard let token = SyncToken(world.randomBytes(SyncToken.byteCount)) else { return "" }
        try await store.add(
            SyncInvitation(token: token.hash, createdAt: world.now, expiresAt: world.now + 86_400)
        )
        return token.text
    }

    func connection(_ vault: Vault) throws -> ServerConnection {
        guard let address = ServerAddress("https://\(Self.host)") else { throw ServerError(.notFound) }
        return ServerConnection(address, vault: vault.id, signer: SessionSigner(vault)) { request, limits in
            try await self.answer(request, limits)
        }
    }

    func sync(
        _ vault: Vault,
        invitation: String? = nil,
        pages: [ServerPage] = [],
        waiting: WaitingLimit = WaitingLimit()
    ) throws -> ServerSync {
        let beginning = ServerBeginning(invitation: invitation, pages: pages)
        return ServerSync(
            vault,
            with: try connection(vault),
            beginning: beginning,
            waiting: waiting,
            sleep: { _ in }
        )
    }

    // MARK: Requests

    func answer(_ request: Request, _ limits: BoundedExchange) async throws -> Answer {
        let between = state.withLock { state in
            let path = request.url.dropFirst("https://\(Self.host)/sync/v1/vaults".count)
            state.seen.append("\(request.method.rawValue) \(path.dropFirst(65))")
            return state.between
        }
        let answer =
            if let between { try await between(request) { try await self.ask($0) } } else { try await ask(request) }
        let limit = answer.status >= 400 ? limits.maximumErrorSize : limits.maximumSize
        guard answer.body.count > limit else { return answer }
        guard limits.isCut else { throw BoundedDownload.Failure.tooLarge }
        var cut = answer
        (cut.body, cut.isCut) = (Array(answer.body.prefix(limit)), true)
        return cut
    }

    private func ask(_ request: Request) async throws -> Answer {
        let edge = state.withLock { $0.edge }
        var fields = HTTPFields()
        for (name, value) in request.fields {
            guard let name = HTTPField.Name(name) else { continue }
            fields[name] = value
        }
        let head = HTTPRequest(
            method: HTTPRequest.Method(request.method.rawValue) ?? .get,
            scheme: "https",
            authority: Self.host,
            path: String(request.url.dropFirst("https://\(Self.host)".count)),
            headerFields: fields
        )
        var logger = Logger(label: "sync tests")
        logger.logLevel = .critical
        let response = try await edge.respond(
            to: Hummingbird.Request(head: head, body: .init(buffer: ByteBuffer(bytes: request.body ?? []))),
            context: SyncRequestContext(peer: nil, logger: logger)
        )
        let writer = BodyCollector()
        try await response.body.write(writer)
        var answered: [String: String] = [:]
        for field in response.headers { answered[field.name.canonicalName] = field.value }
        return Answer(status: UInt(response.status.code), fields: answered, body: writer.bytes)
    }
}

/// Takes a body as it is written.
private final class BodyCollector: ResponseBodyWriter {
    private let written = Mutex<[UInt8]>([])

    var bytes: [UInt8] { written.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws { written.withLock { $0 += Array(buffer.readableBytesView) } }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
