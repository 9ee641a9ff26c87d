import Crypto
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization
import WardCBOR
import WardLog
import WardSyncRecords
import WardSyncServer
import WardTesting
import WardText

/// A sync server without sockets, with a store in memory and a clock that stands still.
struct SyncFixture: Sendable {
    static let host = "sync.example.com"

    let world = TestEffects()
    let clock = ManualClock()
    let store: any SyncStore
    let server: SyncServer
    let edge: SyncEdge

    init(
        _ store: any SyncStore = MemorySyncStore(),
        limits: SyncLimits = .standard,
        accounts: SyncAccounts? = nil,
        address: SyncServerConfiguration.AddressOfRequest? = nil
    ) {
        self.store = store
        let configuration = SyncServerConfiguration(
            host: Self.host,
            limits: limits,
            accounts: accounts,
            address: address
        )
        var logger = Logger(label: "sync tests")
        logger.logLevel = .critical
        server = SyncServer(
            configuration: configuration,
            store: store,
            effects: world.effects,
            clock: clock,
            logger: logger
        )
        edge = server.responder()
    }

    // MARK: Requests

    func respond(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: HTTPFields = [:],
        body: RequestBody = .init(buffer: ByteBuffer())
    ) async throws -> Response {
        let head = HTTPRequest(
            method: method,
            scheme: "https",
            authority: "other.example",
            path: path,
            headerFields: fields
        )
        var logger = Logger(label: "sync tests")
        logger.logLevel = .critical
        return try await edge.respond(
            to: Request(head: head, body: body),
            context: SyncRequestContext(peer: nil, logger: logger)
        )
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: HTTPFields = [:],
        _ body: [UInt8] = []
    ) async throws -> Answer {
        var fields = fields
        // Every client says how long it is.
        if !body.isEmpty, fields[.contentLength] == nil { fields[.contentLength] = "\(body.count)" }
        return try await send(method, path, fields, body: .init(buffer: ByteBuffer(bytes: body)))
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: HTTPFields,
        body: RequestBody
    ) async throws -> Answer {
        let response = try await respond(method, path, fields, body: body)
        let writer = Collector()
        try await response.body.write(writer)
        return Answer(status: response.status, fields: response.headers, body: writer.bytes, parts: writer.parts)
    }

    static func path(_ vault: VaultID, _ rest: String = "") -> String {
        "/sync/v1/vaults/\(Hex.encode(vault.bytes))\(rest)"
    }

    func get(_ vault: VaultID, _ rest: String, by token: String) async throws -> Answer {
        try await send(.get, Self.path(vault, rest), [.authorization: "Bearer \(token)"])
    }

    // MARK: Vaults

    /// A new invitation, as the operator hands it out, or of an account.
    func invite(for seconds: Int64 = 86_400, as account: String? = nil) async throws -> String {
        let token = SyncToken(world.randomBytes(SyncToken.byteCount))
        guard let token else { return "" }
        let invitation = SyncInvitation(
            token: token.hash,
            createdAt: world.now,
            expiresAt: world.now + seconds,
            account: account
        )
        try await store.add(invitation)
        return token.text
    }

    /// Brings a vault.
    @discardableResult
    func bring(_ records: [LogRecord], circle root: [UInt8]? = nil, by invitation: String? = nil) async throws -> Answer
    {
        let invitation = if let invitation { invitation } else { try await invite() }
        return try await post("/sync/v1/vaults", records, by: invitation, circle: root)
    }

    /// Brings what the first device has, and opens a session of it.
    func begin(_ vault: TestVault) async throws -> String {
        let answer = try await bring(vault[0].log, circle: vault.root?.entry.hash)
        guard answer.status == .created else { throw Trouble(answer) }
        return try await open(vault[0], in: vault.id)
    }

    // MARK: Sessions

    func challenge(_ vault: VaultID) async throws -> (challenge: [UInt8], time: UInt64) {
        let answer = try await send(.post, Self.path(vault, "/challenge"))
        guard answer.status == .ok, let value = answer.cbor, let challenge = value[1]?.bytesValue,
            case .unsigned(let time) = value[2]
        else { throw Trouble(answer) }
        return (challenge, time)
    }

    func statement(
        _ purpose: ServerStatement.Purpose,
        _ vault: VaultID,
        _ subject: [UInt8]
    ) async throws -> ServerStatement {
        let (challenge, time) = try await challenge(vault)
        return ServerStatement(
            purpose,
            host: Self.host,
            vault: vault,
            subject: subject,
            challenge: challenge,
            time: time
        )
    }

    static func body(_ statement: ServerStatement, _ signature: [UInt8], _ approvals: [LogApproval] = []) -> CBORValue {
        var pairs: [CBORPair] = [
            CBORPair(key: 1, value: .bytes(statement.subject)), CBORPair(key: 2, value: .bytes(statement.challenge)),
            CBORPair(key: 3, value: .unsigned(statement.time)), CBORPair(key: 4, value: .bytes(signature)),
        ]
        if !approvals.isEmpty {
            let values = approvals.map { CBORValue.array([.bytes($0.publicKey), .bytes($0.signature)]) }
            pairs.append(CBORPair(key: 5, value: .array(values)))
        }
        return .map(pairs)
    }

    func openSession(_ vault: VaultID, _ body: CBORValue) async throws -> Answer {
        try await send(.post, Self.path(vault, "/session"), [.contentType: "application/cbor"], body.encoded())
    }

    func tryToOpen(
        _ device: TestVault.Device,
        in vault: VaultID,
        showing introduction: SignedEntry? = nil
    ) async throws -> Answer {
        try await tryToOpen(device.id, device.key, in: vault, showing: introduction)
    }

    private func tryToOpen(
        _ device: DeviceID,
        _ key: Curve25519.Signing.PrivateKey,
        in vault: VaultID,
        showing introduction: SignedEntry? = nil
    ) async throws -> Answer {
        let statement = try await statement(.session, vault, device.bytes)
        var body = Self.body(statement, try key.signed(statement.message))
        if let introduction {
            body = .map((body.mapValue ?? []) + [CBORPair(key: 6, value: .bytes(introduction.encoded))])
        }
        return try await openSession(vault, body)
    }

    /// Opens a session, and returns its token.
    func open(_ device: TestVault.Device, in vault: VaultID) async throws -> String {
        try await open(device.id, device.key, in: vault)
    }

    func open(_ device: DeviceID, _ key: Curve25519.Signing.PrivateKey, in vault: VaultID) async throws -> String {
        let answer = try await tryToOpen(device, key, in: vault)
        guard answer.status == .ok, let token = answer.cbor?[1]?.textValue else { throw Trouble(answer) }
        return token
    }

    // MARK: Entries

    func post(
        _ path: String,
        _ records: [LogRecord],
        by token: String,
        ifMatch: Int64? = nil,
        circle root: [UInt8]? = nil,
        named: String? = nil
    ) async throws -> Answer {
        var fields: HTTPFields = [.contentType: "application/cbor-seq", .authorization: "Bearer \(token)"]
        if let ifMatch { fields[.ifMatch] = "\"\(ifMatch)\"" }
        if let root, let name = HTTPField.Name("Ward-Circle") { fields[name] = Hex.encode(root) }
        if let named, let name = HTTPField.Name("Ward-Named") { fields[name] = named }
        return try await send(.post, path, fields, records.flatMap(\.encoded))
    }

    func upload(
        _ records: [LogRecord],
        to vault: VaultID,
        by token: String,
        ifMatch: Int64? = nil,
        circle root: [UInt8]? = nil,
        named: String? = nil
    ) async throws -> Answer {
        try await post(Self.path(vault, "/entries"), records, by: token, ifMatch: ifMatch, circle: root, named: named)
    }

    func head(_ vault: VaultID) async throws -> Int64? { try await store.vault(vault)?.head }
}

/// A response, read to its end.
struct Answer: Sendable, CustomStringConvertible {
    let status: HTTPResponse.Status
    let fields: HTTPFields
    let body: [UInt8]
    /// The lengths of the parts in which the body was written.
    let parts: [Int]

    var problem: JSONValue? { fields[.contentType] == "application/problem+json" ? try? JSONValue(body) : nil }
    var code: String? { problem?["code"]?.stringValue }
    var cbor: CBORValue? { try? CBORValue.decode(body) }
    var tag: String? { fields[.eTag] }

    /// The entries of a sequence, as [number, entry, blob or null].
    var entries: [(number: Int64, entry: SignedEntry, blob: [UInt8]?)] {
        var reader = CBORReader(rules: CBORRules(maximumDepth: 1, maximumItems: 100_000, maximumLength: 2_000_000))
        var found: [(number: Int64, entry: SignedEntry, blob: [UInt8]?)] = []
        let input = body.span
        while reader.offset < input.count {
            guard var array = try? reader.readArray(input), array.count == 3,
                (try? reader.nextElement(&array, input)) != nil, let number = try? reader.readInteger(input),
                (try? reader.nextElement(&array, input)) != nil, let range = try? reader.readBytes(input),
                let entry = try? SignedEntry(encoded: CBORReader.copy(range, of: input)),
                (try? reader.nextElement(&array, input)) != nil
            else { return [] }
            var blob: [UInt8]?
            if (try? reader.peekType(input)) == .null {
                try? reader.readNull(input)
            } else if let range = try? reader.readBytes(input) {
                blob = CBORReader.copy(range, of: input)
            }
            _ = try? reader.nextElement(&array, input)
            found.append((number, entry, blob))
        }
        return found
    }

    var description: String { "\(status.code) \(code ?? "") \(String(decoding: body.prefix(300), as: UTF8.self))" }
}

/// Returns when a condition holds that another task brings about.
func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(2)) }
}

struct Trouble: Error, CustomStringConvertible {
    let description: String

    init(_ answer: Answer) { description = "unexpected answer: \(answer)" }
}

/// Takes a body as it is written.
final class Collector: ResponseBodyWriter {
    private let written = Mutex<(bytes: [UInt8], parts: [Int], isOver: Bool)>(([], [], false))
    private let onPart: @Sendable ([UInt8]) async throws -> Void

    /// - Parameter onPart: Called with each part.
    init(onPart: @escaping @Sendable ([UInt8]) async throws -> Void = { _ in }) { self.onPart = onPart }

    var bytes: [UInt8] { written.withLock(\.bytes) }
    var parts: [Int] { written.withLock(\.parts) }
    var isOver: Bool { written.withLock(\.isOver) }

    func write(_ buffer: ByteBuffer) async throws {
        let part = Array(buffer.readableBytesView)
        written.withLock { written in
            written.bytes += part
            written.parts.append(part.count)
        }
        try await onPart(part)
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws { written.withLock { $0.isOver = true } }
}
