import CPQ
import Dispatch

/// A value for a query's `$1`, in PostgreSQL's binary form.
struct PostgresValue: Sendable {
    let bytes: [UInt8]?

    static func bytes(_ bytes: [UInt8]?) -> Self { Self(bytes: bytes) }
    static func text(_ text: String) -> Self { Self(bytes: Array(text.utf8)) }
    static func bool(_ flag: Bool) -> Self { Self(bytes: [flag ? 1 : 0]) }
    static func integer(_ number: Int64?) -> Self {
        Self(bytes: number.map { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } })
    }
}

/// One row of an answer.
struct PostgresRow: Sendable {
    fileprivate var values: [String: [UInt8]] = [:]

    func optionalBytes(_ name: String) throws -> [UInt8]? { values[name] }
    func optionalInteger(_ name: String) throws -> Int64? {
        values[name].map { $0.reduce(0) { $0 << 8 | Int64($1) } }
    }

    func bytes(_ name: String) throws -> [UInt8] {
        guard let bytes = values[name] else { throw PostgresError(state: "", message: "\(name) is NULL") }
        return bytes
    }

    func integer(_ name: String) throws -> Int64 { try bytes(name).reduce(0) { $0 << 8 | Int64($1) } }
    func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }
    func bool(_ name: String) throws -> Bool { try bytes(name) == [1] }
}

/// What a query answered.
struct PostgresAnswer: Sendable {
    /// The rows, if it asked for any.
    var rows: [PostgresRow] = []
    /// How many rows it read or changed.
    var count = 0
    /// The words of the command tag without the count, such as `COMMIT`.
    var command = ""
}

/// A refusal by the server, or a connection that broke.
struct PostgresError: Error, CustomStringConvertible {
    let state: String
    let message: String
    var description: String { "\(state) \(message)" }
}

/// A connection over libpq that never blocks the thread that asks: it suspends until its socket can be read.
@safe actor PostgresConnection {
    nonisolated(unsafe) private let handle: OpaquePointer

    /// Connects; this alone blocks.
    init(_ settings: String) throws {
        guard let handle = unsafe PQconnectdb(settings) else { throw PostgresError(state: "", message: "no memory") }
        guard unsafe PQstatus(handle) == CONNECTION_OK, unsafe PQsetnonblocking(handle, 1) == 0 else {
            let failure = unsafe Self.failure(handle)
            unsafe PQfinish(handle)
            throw failure
        }
        // Last: from here on deinit closes the connection, also where an initialiser throws.
        unsafe self.handle = unsafe handle
    }

    deinit {
        unsafe PQfinish(handle)
    }

    @discardableResult
    func query(_ sql: String, _ values: PostgresValue...) async throws -> PostgresAnswer {
        try await query(sql, values)
    }

    @discardableResult
    func query(_ sql: String, _ values: [PostgresValue]) async throws -> PostgresAnswer {
        guard send(sql, values) == 1 else { throw unsafe Self.failure(handle) }
        while unsafe PQflush(handle) == 1 { await waitForSocket(toWrite: true) }
        while unsafe PQisBusy(handle) == 1 {
            await waitForSocket(toWrite: false)
            guard unsafe PQconsumeInput(handle) == 1 else { throw unsafe Self.failure(handle) }
        }
        var answer = PostgresAnswer()
        var failure: PostgresError?
        while let result = unsafe PQgetResult(handle) {
            switch unsafe PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK: answer = unsafe Self.read(result)
            default:
                let sqlState = CInt(UInt8(ascii: "C"))
                let state = unsafe PQresultErrorField(result, sqlState).map { unsafe String(cString: $0) }
                let message = unsafe String(cString: PQresultErrorMessage(result))
                failure = PostgresError(state: state ?? "", message: message)
            }
            unsafe PQclear(result)
        }
        if let failure { throw failure }
        return answer
    }

    private func send(_ sql: String, _ values: [PostgresValue]) -> CInt {
        let flat = values.flatMap { $0.bytes ?? [] }.map { CChar(bitPattern: $0) } + [0]
        return unsafe flat.withUnsafeBufferPointer { buffer in
            var (pointers, offset): ([UnsafePointer<CChar>?], Int) = unsafe ([], 0)
            for value in values {
                unsafe pointers.append(value.bytes == nil ? nil : buffer.baseAddress.map { unsafe $0 + offset })
                offset += value.bytes?.count ?? 0
            }
            let lengths = values.map { CInt($0.bytes?.count ?? 0) }
            let formats = values.map { _ in CInt(1) }
            return unsafe PQsendQueryParams(handle, sql, CInt(values.count), nil, pointers, lengths, formats, 1)
        }
    }

    private static func read(_ result: OpaquePointer) -> PostgresAnswer {
        var answer = PostgresAnswer()
        let words = unsafe String(cString: PQcmdStatus(result)).split(separator: " ")
        answer.command = words.prefix { Int($0) == nil }.joined(separator: " ")
        answer.count = words.last.flatMap { Int($0) } ?? 0
        let (rowCount, columnCount) = unsafe (PQntuples(result), PQnfields(result))
        for row in 0..<rowCount {
            var values = PostgresRow()
            for column in 0..<columnCount {
                if unsafe PQgetisnull(result, row, column) == 1 { continue }
                let bytes = unsafe UnsafeBufferPointer(
                    start: PQgetvalue(result, row, column),
                    count: Int(PQgetlength(result, row, column))
                )
                unsafe values.values[String(cString: PQfname(result, column))] = unsafe bytes.map {
                    UInt8(bitPattern: $0)
                }
            }
            answer.rows.append(values)
        }
        return answer
    }

    private func waitForSocket(toWrite: Bool) async {
        let socket = unsafe PQsocket(handle)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let source: any DispatchSourceProtocol =
                toWrite
                ? DispatchSource.makeWriteSource(fileDescriptor: socket, queue: .global())
                : DispatchSource.makeReadSource(fileDescriptor: socket, queue: .global())
            nonisolated(unsafe) let held = source
            source.setEventHandler { unsafe held.cancel() }
            source.setCancelHandler { continuation.resume() }
            source.resume()
        }
    }

    private static func failure(_ handle: OpaquePointer) -> PostgresError {
        PostgresError(state: "", message: unsafe String(cString: PQerrorMessage(handle)))
    }
}

/// A few connections that transactions take turns with.
actor PostgresPool {
    private var free: [PostgresConnection]
    private var waiting: [CheckedContinuation<PostgresConnection, Never>] = []
    private var inUse = 0
    /// How many connections were in use at once since it was set to zero.
    private var mostInUse = 0

    init(_ connections: [PostgresConnection]) {
        free = connections
    }

    func withConnection<T: Sendable>(
        _ body: @Sendable (PostgresConnection) async throws -> T
    ) async throws -> T {
        let connection = await take()
        defer { giveBack(connection) }
        return try await body(connection)
    }

    /// How many connections were in use at once since this was asked last.
    func readMostInUse() -> Int {
        defer { mostInUse = inUse }
        return mostInUse
    }

    private func take() async -> PostgresConnection {
        if let connection = free.popLast() {
            inUse += 1
            mostInUse = max(mostInUse, inUse)
            return connection
        }
        return await withCheckedContinuation { waiting.append($0) }
    }

    private func giveBack(_ connection: PostgresConnection) {
        if waiting.isEmpty {
            inUse -= 1
            free.append(connection)
        } else {
            waiting.removeFirst().resume(returning: connection)
        }
    }
}
