import Synchronization
import Testing
import WardCBOR
import WardDownload
import WardLog
import WardSyncRecords
import WardTesting
import WardText

@testable import WardSync
@testable import WardVault

/// What a server, or somebody in its place, does to what a device reads.
struct ServerTampering: Sendable, CustomTestStringConvertible {
    typealias Numbered = ServerPage.Numbered

    let testDescription: String
    let code: ServerError.Code
    /// Whether nothing at all may be taken.
    var isWhole = true
    let change: @Sendable (inout SyncServerFixture.Answer) -> Void

    static let all: [Self] = [
        Self(testDescription: "a byte of an entry", code: .wrongData) { answer in
            // The last byte of the signature of the first entry.
            entries(&answer) { numbered in
                var bytes = numbered[0].record.entry.encoded
                bytes[bytes.count - 1] ^= 1
                guard let entry = try? SignedEntry(encoded: bytes) else { return }
                numbered[0] = Numbered(
                    number: numbered[0].number,
                    record: LogRecord(entry: entry, blob: numbered[0].record.blob)
                )
            }
        },
        Self(testDescription: "a byte of a blob", code: .wrongData, isWhole: false) { $0.body[$0.body.count - 1] ^= 1 },
        Self(testDescription: "swapped blobs", code: .wrongData) { answer in
            entries(&answer) { numbered in
                let (one, other) = (numbered[0], numbered[1])
                numbered[0] = Numbered(
                    number: one.number,
                    record: LogRecord(entry: one.record.entry, blob: other.record.blob)
                )
                numbered[1] = Numbered(
                    number: other.number,
                    record: LogRecord(entry: other.record.entry, blob: one.record.blob)
                )
            }
        },
        Self(testDescription: "the entry before the last left out", code: .hides, isWhole: false) { answer in
            entries(&answer) { numbered in
                numbered.remove(at: numbered.count - 2)
                let first = numbered[0].number
                let records = numbered.map(\.record)
                numbered = records.enumerated().map { Numbered(number: first + UInt64($0), record: $1) }
            }
        },
        Self(testDescription: "a number left out", code: .wrongAnswer) { answer in
            entries(&answer) { $0.remove(at: 1) }
        },
        Self(testDescription: "half an answer", code: .wrongAnswer) { $0.body.removeLast($0.body.count / 2) },
        Self(testDescription: "the last entry left out", code: .wrongAnswer) { answer in
            let tag = answer.fields["etag"]
            entries(&answer) { $0.removeLast() }
            answer.fields["etag"] = tag
        },
        Self(testDescription: "random bytes", code: .wrongAnswer) { answer in
            answer.body = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        },
        Self(testDescription: "an entry that is too long", code: .wrongAnswer) { answer in
            entries(&answer) { numbered in
                let (number, record) = (numbered[0].number, numbered[0].record)
                guard let entry = padded(record.entry) else { return }
                numbered[0] = Numbered(number: number, record: LogRecord(entry: entry, blob: record.blob))
            }
        },
        Self(testDescription: "a blob that is too long", code: .wrongAnswer) { answer in
            entries(&answer) { numbered in
                let blob = [UInt8](repeating: 0, count: LogRecord.maximumBlob + 1)
                let (number, record) = (numbered[0].number, numbered[0].record)
                numbered[0] = Numbered(number: number, record: LogRecord(entry: record.entry, blob: blob))
            }
        },
        Self(testDescription: "more entries than were asked for", code: .wrongAnswer) { answer in
            entries(&answer) { numbered in
                let first = numbered[0]
                numbered = (0...ServerLimits.entries).map {
                    Numbered(number: first.number + UInt64($0), record: first.record)
                }
            }
        },
        Self(testDescription: "no last number", code: .wrongAnswer) { $0.fields["etag"] = nil },
        Self(testDescription: "a last number that is text", code: .wrongAnswer) { $0.fields["etag"] = "\"+9\"" },
        Self(testDescription: "no order", code: .wrongAnswer) { $0.fields["ward-order"] = nil },
        Self(testDescription: "a page of a web site", code: .wrongAnswer) { $0.fields["content-type"] = "text/html" },
        Self(testDescription: "an error without a code", code: .unavailable) { answer in
            answer = SyncServerFixture.Answer(status: 502, fields: ["content-type": "text/html"], body: [60])
        },
        Self(testDescription: "an unknown code", code: .refused) { answer in
            answer = problem(409, "moon_is_full")
        },
        Self(testDescription: "a session that never lasts", code: .sessionRequired) { answer in
            answer = problem(401, "session_required")
        },
        Self(testDescription: "a server that always lost entries", code: .numberAhead) { answer in
            answer = problem(409, "number_ahead")
        },
    ]

    static func problem(_ status: UInt, _ code: String) -> SyncServerFixture.Answer {
        SyncServerFixture.Answer(
            status: status,
            fields: ["content-type": "application/problem+json", "retry-after": "99999999"],
            body: JSONValue.object([.init("code", .string(code))]).serialized
        )
    }

    /// An entry with an unknown field that makes it longer than an entry may be.
    private static func padded(_ entry: SignedEntry) -> SignedEntry? {
        let rules = CBORRules(maximumDepth: 8, maximumItems: 4_096, maximumLength: LogEntry.maximumLength)
        guard case .map(let pairs)? = try? CBORValue.decode(entry.payload, rules: rules) else { return nil }
        let rest = [UInt8](repeating: 0, count: LogEntry.maximumLength - entry.encoded.count)
        let payload = CBORValue.map(pairs + [CBORPair(key: 99, value: .bytes(rest))]).encoded()
        return SignedEntry(entry: entry.entry, payload: payload, signature: entry.signature)
    }

    /// Changes the entries of an answer that has three of them.
    private static func entries(_ answer: inout SyncServerFixture.Answer, _ change: (inout [Numbered]) -> Void) {
        guard var numbered = entries(of: answer), numbered.count >= 3 else { return }
        change(&numbered)
        show(numbered, upTo: numbered.last?.number ?? 0, in: &answer)
    }

    /// The entries of an answer; `nil` if it has none.
    static func entries(of answer: SyncServerFixture.Answer) -> [Numbered]? {
        let body = answer.body
        let whole = ServerAnswer(
            status: 200,
            body: body,
            isCut: true,
            head: .max,
            order: [UInt8](repeating: 0, count: 16)
        )
        var reader = CBORReader(rules: CBORRules(maximumDepth: 1, maximumItems: 9, maximumLength: 100))
        let input = body.span
        guard var array = try? reader.readArray(input), (try? reader.nextElement(&array, input)) != nil,
            let first = try? reader.readInteger(input)
        else { return nil }
        return try? ServerPage(whole, after: UInt64(first) - 1, limit: 500).entries
    }

    /// Puts other entries into an answer.
    static func show(_ numbered: [Numbered], upTo head: UInt64, in answer: inout SyncServerFixture.Answer) {
        answer.body = numbered.flatMap { entry -> [UInt8] in
            var writer = CBORWriter()
            writer.writeArray(count: 3)
            writer.write(integer: Int64(entry.number))
            writer.write(bytes: entry.record.entry.encoded)
            if let blob = entry.record.blob { writer.write(bytes: blob) } else { writer.writeNull() }
            return writer.bytes
        }
        answer.fields["etag"] = "\"\(head)\""
    }
}

@Suite struct `A hostile server` {
    private func begin(
        _ devices: Int = 2
    ) async throws -> (server: SyncServerFixture, world: CircleWorld, syncs: [ServerSync]) {
        let server = SyncServerFixture()
        let world = try await CircleWorld(devices: devices)
        try await world.meet()
        var syncs = [try server.sync(world[0], invitation: try await server.invite())]
        for number in 1..<devices { syncs.append(try server.sync(world[number])) }
        for sync in syncs + syncs { _ = try await sync.run() }
        return (server, world, syncs)
    }

    @Test(arguments: ServerTampering.all)
    func `is found out, and nothing wrong is taken`(tampering: ServerTampering) async throws {
        let (server, world, syncs) = try await begin()
        for number in 0..<3 { try await world[1].add(Item(title: "other \(number)")) }
        _ = try await syncs[1].run()
        let position = try await world[0].position()
        server.between { request, ask in
            var answer = try await ask(request)
            let isReading = request.method == .get && request.url.contains("/entries")
            if isReading, answer.status == 200, !answer.body.isEmpty { tampering.change(&answer) }
            return answer
        }
        await #expect(throws: ServerError(tampering.code)) { try await syncs[0].run() }
        if tampering.isWhole { #expect(try await world[0].position() == position) }
        #expect(try await !world.titles(0).contains("other 2"))
        server.between(nil)
        for _ in 0..<2 { _ = try await syncs[0].run() }
        #expect(try await world.titles(0) == world.titles(1))
        _ = try await world[0].verifyLog()
        try await world.close()
    }

    @Test func `is found out wherever an answer is cut`() async throws {
        let (server, world, syncs) = try await begin()
        for number in 0..<3 { try await world[1].add(Item(title: "other \(number)")) }
        _ = try await syncs[1].run()
        let position = try await world[0].position()
        let length = Mutex(0)
        for cut in 0..<8_000 {
            server.between { request, ask in
                var answer = try await ask(request)
                guard request.method == .get, request.url.contains("/entries"), answer.status == 200 else {
                    return answer
                }
                length.withLock { $0 = answer.body.count }
                answer.body = Array(answer.body.prefix(cut))
                return answer
            }
            do {
                _ = try await syncs[0].run()
                #expect(cut >= length.withLock { $0 }, "\(cut) bytes")
                break
            } catch {
                #expect((error as? ServerError)?.code == .wrongAnswer, "\(cut) bytes: \(error)")
                #expect(try await world[0].position() == position, "\(cut) bytes")
            }
        }
        #expect(length.withLock { $0 } > 1_000)
        server.between(nil)
        #expect(try await world.titles(0) == world.titles(1))
        try await world.close()
    }

    /// A server shows one device its entries in another order: what proves it comes first, and waits for what it follows.
    @Test func `is found out by an entry that waits for another one`() async throws {
        let (server, world, syncs) = try await begin(3)
        let head = UInt64(try #require(try await server.store.vault(world[0].id)?.head))
        try await world[2].add(Item(title: "first"))
        _ = try await syncs[2].run()
        try await world[1].add(Item(title: "between"))
        for number in [1, 2] { _ = try await syncs[number].run() }
        // This entry says which number the one before it has.
        try await world[2].add(Item(title: "last"))
        _ = try await syncs[2].run()
        let own = try await world[2].records(after: 0).suffix(2)
        let shown = Array(own.reversed()) + (try await world[1].records(after: 0).suffix(1))
        server.between { request, ask in
            var answer = try await ask(request)
            guard request.method == .get, request.url.contains("/entries"), answer.status == 200,
                let entries = ServerTampering.entries(of: answer), let first = entries.first?.number
            else { return answer }
            var page = entries.filter { $0.number <= head }
            // One after the other, as if each were as long as an answer can be.
            let next = max(first, head + 1)
            page.append(ServerPage.Numbered(number: next, record: shown[Int(next - head) - 1]))
            ServerTampering.show(page, upTo: head + 3, in: &answer)
            answer.isCut = next < head + 3
            return answer
        }
        let report = try await syncs[0].run()
        #expect(try await world.titles(0) == world.titles(2))
        #expect(report.hasTwoOrders)
        server.between(nil)
        try await world.close()
    }

    @Test(arguments: [
        ServerError.Code.unavailable, .internalError, .busy, .headMoved, .gap, .quotaExceeded, .circleRootDiffers,
        .entryRefused, .blobMissing, .tooManyChains, .deviceRemoved,
    ])
    func `that refuses everything stops only the sync with itself`(code: ServerError.Code) async throws {
        let (server, world, syncs) = try await begin()
        try await world[0].add(Item(title: "mine"))
        server.between { request, ask in
            guard request.method == .post, request.url.hasSuffix("/entries") else { return try await ask(request) }
            return ServerTampering.problem(409, code.name)
        }
        await #expect(throws: ServerError(code)) { try await syncs[0].run() }
        server.between(nil)
        try await world[1].add(Item(title: "other"))
        _ = try await syncs[1].run()
        let report = try await syncs[0].run()
        #expect(report.written == 1 && report.taken == 1)
        _ = try await syncs[1].run()
        #expect(try await world.titles(1).contains("mine"))
        try await world.close()
    }

    /// Each request of two syncs is refused once: those that open a session, that read and that bring.
    @Test(
        arguments: [
            (401, "session_required"), (409, "gap"), (412, "head_moved"), (500, "internal_error"), (503, "busy"),
        ] as [(UInt, String)]
    )
    func `that refuses any one request loses nothing, and the next sync ends well`(
        status: UInt,
        code: String
    ) async throws {
        let (server, world, syncs) = try await begin()
        var wanted = try await world.titles(0)
        var (number, isReached) = (0, true)
        while isReached {
            wanted.append("other \(number)")
            try await world[1].add(Item(title: "other \(number)"))
            _ = try await syncs[1].run()
            let (sync, refused) = (try server.sync(world[0]), number)
            let asked = Mutex(0)
            server.between { request, ask in
                let place = asked.withLock { asked in
                    defer { asked += 1 }
                    return asked
                }
                guard place != refused else { return ServerTampering.problem(status, code) }
                return try await ask(request)
            }
            for run in 0..<2 {
                wanted.append("mine \(number), \(run)")
                try await world[0].add(Item(title: "mine \(number), \(run)"))
                _ = try? await sync.run()
            }
            server.between(nil)
            let report = try await sync.run()
            #expect(report.serverTroubles.isEmpty && !report.hasTwoOrders, "request \(number)")
            _ = try await syncs[1].run()
            for device in 0..<2 { #expect(try await world.titles(device) == wanted.sorted(), "request \(number)") }
            isReached = asked.withLock { $0 } > refused
            number += 1
        }
        // A session takes two requests, and each sync reads and brings.
        #expect(number > 5)
        try await world.close()
    }

    /// The word of a server accuses no device, and does not show that the upload is there.
    @Test(arguments: [false, true])
    func `that says a device signed twice, and shows nothing of that, is not believed`(isStored: Bool) async throws {
        let (server, world, syncs) = try await begin()
        try await world[0].add(Item(title: "mine"))
        server.between { request, ask in
            guard request.method == .post, request.url.hasSuffix("/entries") else { return try await ask(request) }
            if isStored { _ = try await ask(request) }
            return ServerTampering.problem(409, "equivocation")
        }
        await #expect(throws: ServerError(.wrongAnswer)) { try await syncs[0].run() }
        server.between(nil)
        let report = try await syncs[0].run()
        #expect(report.serverTroubles.isEmpty)
        _ = try await syncs[1].run()
        #expect(try await world.titles(1).contains("mine"))
        try await world.close()
    }

    @Test func `that takes too long, is too long, or sends elsewhere is no server`() async throws {
        let (server, world, syncs) = try await begin()
        for (failure, code) in [
            (BoundedDownload.Failure.tooSlow, ServerError.Code.tooSlow), (.redirect, .redirected),
            (.unreachable, .unreachable), (.tooLarge, .wrongAnswer),
        ] {
            server.between { _, _ in throw failure }
            await #expect(throws: ServerError(code)) { try await syncs[0].run() }
        }
        server.between(nil)
        _ = try await syncs[0].run()
        try await world.close()
    }

    @Test func `that has nothing new and does not wait is asked once a second`() async throws {
        let (server, world, _) = try await begin()
        server.between { request, ask in
            guard request.url.contains("wait=") else { return try await ask(request) }
            // As if the time were over.
            let url = request.url.replacing("&wait=25", with: "")
            return try await ask(.init(request.method, url, fields: request.fields, body: request.body))
        }
        let pauses = Mutex<[Duration]>([])
        let sync = ServerSync(
            world[0],
            with: try server.connection(world[0]),
            sleep: { time in
                pauses.withLock { $0.append(time) }
                throw CancellationError()
            }
        )
        _ = try await sync.run()
        let before = server.seen.count
        await #expect(throws: CancellationError.self) { try await sync.waitForNews() }
        #expect(server.seen.count == before + 1)
        #expect(pauses.withLock { $0 } == [.seconds(1)])
        try await world.close()
    }

    @Test func `whose error is long is not shown`() async throws {
        let (server, world, syncs) = try await begin()
        server.between { _, _ in
            SyncServerFixture.Answer(
                status: 409,
                fields: ["content-type": "application/problem+json"],
                body: JSONValue.object([
                    .init("code", .string("gap")), .init("detail", .string("\u{1b}[31mtype your passphrase")),
                ]).serialized
            )
        }
        do {
            _ = try await syncs[0].run()
            Issue.record("the server refused")
        } catch let error as ServerError {
            #expect(error.code == .gap && !error.detail.contains("passphrase"))
        }
        try await world.close()
    }
}
