import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization
import WardCBOR
import WardDownload
import WardLog
import WardSync
import WardSyncRecords
import WardSyncServer
import WardSyncStoreSQLite
import WardTesting
import WardText
import WardVault

/// The real sync server without sockets, with what can happen between it and a machine.
final class ServerInMemory: Sendable {
    typealias Request = BoundedExchange.Request
    typealias Answer = BoundedExchange.Answer

    private struct State {
        var edge: SyncEdge
        var store: any SyncStore
        /// What the server had earlier.
        var earlier: MemorySyncStore?
        /// Machines that are shown another server, by their numbers.
        var others: [Int: (edge: SyncEdge, store: MemorySyncStore)] = [:]
        /// The requests that pass before one fails, and whether its answer gets lost instead of the request.
        var budget: Int?
        var losesAnswer = false
        /// Whether all requests fail after that, and not only one, which is sent again.
        var isGone = false
        /// Machines whose connection the server has ended.
        var disconnected: Set<Int> = []
        var breaks = 0
        /// Whether entries are shown without their blobs.
        var isWithholding = false
        /// Whether the last entry of what is brought is refused.
        var isRefusing = false
        /// The most entries that machines ask for at once from now on; `nil` for as many as usual.
        var pageEntries: Int?
        /// The number of the entry after which nothing is shown for a time.
        var end: Int64?
        /// What happens before the next entries arrive.
        var meanwhile: (@Sendable () async -> Void)?
    }

    let effects: TestEffects
    private let host: String
    private let scheme: SignatureScheme
    private let state: Mutex<State>

    /// - Parameters:
    ///   - number: The number of the server.
    ///   - seed: The seed of the schedule.
    ///   - now: The time.
    ///   - scheme: How entries are signed.
    ///   - hasDatabase: Whether it keeps vaults in SQLite; then it cannot go back, and shows everybody the same.
    ///   - pageEntries: The most entries that machines ask for at once; `nil` for as many as usual.
    init(
        number: Int,
        seed: UInt64,
        now: Int64,
        _ scheme: SignatureScheme,
        hasDatabase: Bool,
        pageEntries: Int? = nil
    ) throws {
        host = "sync\(number).example.com"
        effects = TestEffects(now: now, seed: "server \(number) of \(seed)")
        self.scheme = scheme
        let store: any SyncStore = hasDatabase ? try SQLiteSyncStore.inMemory() : MemorySyncStore()
        state = Mutex(State(edge: Self.edge(store, host, effects, scheme), store: store, pageEntries: pageEntries))
    }

    private static func edge(
        _ store: any SyncStore,
        _ host: String,
        _ effects: TestEffects,
        _ scheme: SignatureScheme
    ) -> SyncEdge {
        var limits = SyncLimits.standard
        limits.openings = Rate(atOnce: 1_000_000, perSecond: 1_000_000)
        limits.entries = Rate(atOnce: 1_000_000, perSecond: 1_000_000)
        return SyncServer(
            configuration: SyncServerConfiguration(host: host, limits: limits),
            store: store,
            effects: effects.effects,
            scheme: scheme,
            logger: logger
        ).responder()
    }

    private static let logger: Logger = {
        var logger = Logger(label: "simulation")
        logger.logLevel = .critical
        return logger
    }()

    func invite() async throws -> String {
        guard let token = SyncToken(effects.randomBytes(SyncToken.byteCount)) else { return "" }
        let store = state.withLock { $0.store }
        let (now, later) = (effects.now, effects.now + 86_400 * 3_650)
        try await store.add(SyncInvitation(token: token.hash, createdAt: now, expiresAt: later))
        return token.text
    }

    func sync(_ machine: Machine, invitation: String?, isAlive: @escaping @Sendable () -> Bool) throws
        -> ServerSync
    {
        guard let address = ServerAddress("https://\(host)") else {
            throw SimulationError("no address")
        }
        let vault = try machine.open()
        let number = machine.number
        let connection = ServerConnection(
            address,
            vault: vault.id,
            signer: SessionSigner(vault),
            pageEntries: state.withLock { $0.pageEntries } ?? ServerLimits.entries
        ) { request, limits in
            guard isAlive() else { throw BoundedDownload.Failure.unreachable }
            let answer = try await self.answer(request, limits, from: number)
            guard isAlive() else { throw BoundedDownload.Failure.unreachable }
            return answer
        }
        return ServerSync(vault, with: connection, beginning: ServerBeginning(invitation: invitation), sleep: { _ in })
    }

    // MARK: What can happen

    /// Keeps what the server has, for ``goBack()``.
    func remember() { state.withLock { $0.earlier = ($0.store as? MemorySyncStore)?.copy() } }

    /// The server is restored from what it had earlier, which ends all connections.
    ///
    /// - Parameter machines: The number of machines.
    /// - Returns: Whether there was something.
    func goBack(endingConnectionsOf machines: Int) -> Bool {
        state.withLock { state in
            guard let earlier = state.earlier else { return false }
            let store = earlier.copy()
            state.breaks += 1
            (state.store, state.edge) = (store, Self.edge(store, host, effects, scheme))
            state.disconnected = Set(0..<machines)
            return true
        }
    }

    /// The process starts anew, with the same store.
    func restart() {
        state.withLock { state in state.edge = Self.edge(state.store, host, effects, scheme) }
    }

    /// From now on, a machine is shown a copy of the server that goes its own way.
    func fork(for machine: Int) {
        state.withLock { state in
            guard let store = state.store as? MemorySyncStore else { return }
            state.breaks += 1
            state.others[machine] = other(store.copy())
        }
    }

    /// From now on, a machine is shown what the server had earlier, and of what came later all but what a device wrote and what names that.
    ///
    /// - Returns: Whether the machine is shown something else now.
    func hide(_ device: DeviceID, of vault: VaultID, from machine: Int) async throws -> Bool {
        let (store, earlier) = state.withLock { ($0.store, $0.earlier?.copy()) }
        guard let earlier, let head = try await earlier.vault(vault)?.head
        else { return false }
        var hidden: Set<[UInt8]> = []
        var shown: [LogRecord] = []
        for entry in try await store.entries(of: vault, after: head, SyncPage(entries: .max, hasBlobs: true)) {
            let record = LogRecord(entry: try SignedEntry(encoded: entry.encoded), blob: entry.blob)
            // The server would have to judge the circle anew.
            guard !record.changesCircle else { return false }
            if entry.device == device || record.names.contains(where: { hidden.contains($0) }) {
                hidden.insert(entry.hash)
            } else {
                shown.append(record)
            }
        }
        guard !shown.isEmpty, !hidden.isEmpty else { return false }
        _ = try await earlier.append(SyncBatch(head: head, records: shown), to: vault)
        state.withLock { state in
            state.breaks += 1
            state.others[machine] = other(earlier)
        }
        return true
    }

    /// The number of entries that a machine is shown.
    func head(of vault: VaultID, for machine: Int) async throws -> Int64 {
        let store: any SyncStore = state.withLock { $0.others[machine]?.store ?? $0.store }
        return try await store.vault(vault)?.head ?? 0
    }

    /// Whether a machine is shown everything that the server has.
    func isOpen(to machine: Int) -> Bool {
        state.withLock { $0.others[machine] == nil && !$0.isWithholding && !$0.isRefusing }
    }

    private func other(_ store: MemorySyncStore) -> (edge: SyncEdge, store: MemorySyncStore) {
        (Self.edge(store, host, effects, scheme), store)
    }

    /// How often the server was restored or showed a machine something else. Who noticed that compares orders only in part.
    var breaks: Int { state.withLock { $0.breaks } }

    /// All machines are shown the same again. Those that were shown something else lose their connections.
    func endForks() {
        state.withLock { state in
            state.disconnected.formUnion(state.others.keys)
            state.others = [:]
        }
    }

    /// One of the next requests fails, or all after some.
    func fail(after count: Int?, losingAnswer losesAnswer: Bool, isGone: Bool = false) {
        state.withLock { state in (state.budget, state.losesAnswer, state.isGone) = (count, losesAnswer, isGone) }
    }

    /// From now on, the connection is lost after a machine has read the page that has an entry; with `nil` it is not.
    func loseConnection(after number: Int64?) { state.withLock { $0.end = number } }

    /// From now on, entries are shown without their blobs, or with them again.
    func withholdBlobs(_ isWithholding: Bool) { state.withLock { $0.isWithholding = isWithholding } }

    /// From now on, one entry of what is brought is refused, or none again.
    func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }

    /// From now on, machines that begin a sync ask for so many entries at once; `nil` for as many as usual.
    func usePages(of pageEntries: Int?) { state.withLock { $0.pageEntries = pageEntries } }

    /// Something happens before the next entries arrive.
    func meanwhile(_ event: (@Sendable () async -> Void)?) { state.withLock { $0.meanwhile = event } }

    /// All entries of a vault that the server has.
    func entries(of vault: VaultID) async throws -> [SignedEntry] {
        let store = state.withLock { $0.store }
        var found: [SignedEntry] = []
        var last: Int64 = 0
        while true {
            let page = try await store.entries(of: vault, after: last, SyncPage(entries: 1_000, hasBlobs: false))
            found += try page.map { try SignedEntry(encoded: $0.encoded) }
            guard let end = page.last?.number else { return found }
            last = end
        }
    }

    /// Whether a request passes, and whether its answer arrives.
    private func passes() -> (request: Bool, answer: Bool) {
        state.withLock { state in
            guard let budget = state.budget else { return (true, true) }
            state.budget = budget > 0 ? budget - 1 : state.isGone ? 0 : nil
            return budget > 0 ? (true, true) : (state.losesAnswer, false)
        }
    }

    /// Whether a request asks for what comes after the last entry that is shown.
    private func isEnded(for request: Request) -> Bool {
        guard let end = state.withLock({ $0.end }), let after = request.url.firstRange(of: "?after=")?.upperBound,
            let number = Int64(request.url[after...].prefix { $0.isNumber })
        else { return false }
        return number >= end
    }

    // MARK: Requests

    private func answer(_ request: Request, _ limits: BoundedExchange, from machine: Int) async throws
        -> Answer
    {
        // The device learns it while it waits for news, which machines do not do.
        guard state.withLock({ $0.disconnected.remove(machine) }) == nil else {
            throw BoundedDownload.Failure.unreachable
        }
        if request.method.rawValue == "POST", request.url.hasSuffix("/entries") {
            let event = state.withLock { state in
                defer { state.meanwhile = nil }
                return state.meanwhile
            }
            await event?()
            if state.withLock({ $0.isRefusing }), let refused = Self.lastRevision(request.body ?? []) {
                return Self.refusal(of: refused)
            }
        }
        let passes = passes()
        guard passes.request, !isEnded(for: request) else { throw BoundedDownload.Failure.unreachable }
        var answer = try await ask(request, state.withLock { $0.others[machine]?.edge ?? $0.edge })
        if request.method.rawValue == "GET", answer.status == 200, state.withLock({ $0.isWithholding }) {
            answer.body = try Self.withoutBlobs(answer.body)
        }
        guard passes.answer else { throw BoundedDownload.Failure.unreachable }
        let limit = answer.status >= 400 ? limits.maximumErrorSize : limits.maximumSize
        guard answer.body.count > limit else { return answer }
        guard limits.isCut else { throw BoundedDownload.Failure.tooLarge }
        var cut = answer
        (cut.body, cut.isCut) = (Array(answer.body.prefix(limit)), true)
        return cut
    }

    /// The last entry of an upload, if all of it are revisions and the like: a circle of devices would be in a state of its own.
    private static func lastRevision(_ body: [UInt8]) -> [UInt8]? {
        guard let records = try? LogRecord.decodeSequence(body, atMost: ServerLimits.entries),
            !records.contains(where: \.changesCircle)
        else { return nil }
        return records.last?.entry.hash
    }

    private static func refusal(of hash: [UInt8]) -> Answer {
        let members: [JSONValue.Member] = [
            .init("code", .string(ServerError.Code.entryRefused.name)), .init("entry", .string(Hex.encode(hash))),
        ]
        return Answer(
            status: 422,
            fields: ["content-type": "application/problem+json"],
            body: JSONValue.object(members).serialized
        )
    }

    /// The records of a page without their blobs.
    private static func withoutBlobs(_ page: [UInt8]) throws -> [UInt8] {
        var reader = CBORReader(rules: CBORRules(maximumDepth: 1, maximumItems: .max, maximumLength: .max))
        var writer = CBORWriter()
        let input = page.span
        while reader.offset < input.count {
            var array = try reader.readArray(input)
            writer.writeArray(count: 3)
            _ = try reader.nextElement(&array, input)
            writer.write(integer: try reader.readInteger(input))
            _ = try reader.nextElement(&array, input)
            writer.write(bytes: CBORReader.copy(try reader.readBytes(input), of: input))
            _ = try reader.nextElement(&array, input)
            writer.writeNull()
            if try reader.peekType(input) == .null {
                try reader.readNull(input)
            } else {
                _ = try reader.readBytes(input)
            }
            _ = try reader.nextElement(&array, input)
        }
        return writer.bytes
    }

    private func ask(_ request: Request, _ edge: SyncEdge) async throws -> Answer {
        var fields = HTTPFields()
        for (name, value) in request.fields {
            guard let name = HTTPField.Name(name) else { continue }
            fields[name] = value
        }
        let head = HTTPRequest(
            method: HTTPRequest.Method(request.method.rawValue) ?? .get,
            scheme: "https",
            authority: host,
            path: String(request.url.dropFirst("https://\(host)".count)),
            headerFields: fields
        )
        let response = try await edge.respond(
            to: Hummingbird.Request(
                head: head,
                body: .init(buffer: ByteBuffer(bytes: request.body ?? []))
            ),
            context: SyncRequestContext(peer: nil, logger: Self.logger)
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

    func write(_ buffer: ByteBuffer) async throws {
        written.withLock { $0 += Array(buffer.readableBytesView) }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
