import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing
import WardCBOR
import WardLog
@testable import WardSyncServer

@Suite struct `A hostile upload` {
    private static let type: HTTPFields = [.contentType: "application/cbor-seq"]

    private static func send(_ server: SyncFixture, _ vault: TestVault, _ token: String, _ body: [UInt8]) async throws
        -> Answer
    {
        let fields: HTTPFields = [.contentType: "application/cbor-seq", .authorization: "Bearer \(token)"]
        return try await server.send(.post, SyncFixture.path(vault.id, "/entries"), fields, body)
    }

    @Test func `cut off or changed at any byte is refused, and changes nothing`() async throws {
        var limits = SyncLimits.standard
        limits.entries = Rate(atOnce: 1_000_000, perSecond: 1)
        let server = SyncFixture(limits: limits)
        let vault = try TestVault()
        let token = try await server.begin(vault)
        let edit = try vault[0].edit()
        let body = edit.encoded
        for length in 0..<body.count {
            let answer = try await Self.send(server, vault, token, Array(body[..<length]))
            #expect(answer.status == .badRequest && answer.code == "entry_malformed", "\(length)")
        }
        for offset in body.indices {
            var changed = body
            changed[offset] ^= 1 << UInt8(offset % 8)
            let answer = try await Self.send(server, vault, token, changed)
            #expect((400..<500).contains(answer.status.code), "\(offset): \(answer)")
        }
        #expect(try await server.head(vault.id) == 1)
        #expect(try await Self.send(server, vault, token, body).status == .ok)
    }

    @Test(
        arguments: [
            [], [0x80], [0x81, 0x40], [0x82, 0x40, 0xf6], [0x83, 0x40, 0xf6, 0xf6], [0x9f],
            [0x9b, 255, 255, 255, 255, 255],
            [0x82, 0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0x82, 0x5f, 0xff, 0xf6], [0xf6], [0xc0],
            [0x82, 0x82, 0x82], [UInt8](repeating: 0x81, count: 100_000), [UInt8](repeating: 0, count: 100_000),
            [0xbb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0x82, 0x41, 0x00, 0xf7],
        ] as [[UInt8]]
    )
    func `of bytes that are no entries is refused`(body: [UInt8]) async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let answer = try await Self.send(server, vault, token, body)
        #expect(answer.code == "entry_malformed" || answer.code == "body_too_large", "\(answer)")
    }

    @Test func `of too much is refused`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let many = [[UInt8]](repeating: vault.genesis.encoded, count: SyncLimits.uploadEntries + 1).flatMap(\.self)
        #expect(try await Self.send(server, vault, token, many).code == "too_many_entries")
        // A blob and an entry beyond their lengths.
        let large = [UInt8](repeating: 1, count: LogRecord.maximumBlob + 1)
        let edit = LogRecord(entry: try vault[0].edit().entry, blob: large)
        #expect(try await Self.send(server, vault, token, edit.encoded).code == "body_too_large")
        var writer = CBORWriter()
        writer.writeArray(count: 2)
        writer.write(bytes: [UInt8](repeating: 0, count: LogEntry.maximumLength + 1))
        writer.writeNull()
        #expect(try await Self.send(server, vault, token, writer.bytes).code == "entry_malformed")
    }

    /// The body has no declared length and no end.
    @Test func `without an end is read no further than the limit`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let endless = EndlessBody()
        let fields: HTTPFields = [.contentType: "application/cbor-seq", .authorization: "Bearer \(token)"]
        let body = RequestBody(asyncSequence: endless)
        let response = try await server.respond(.post, SyncFixture.path(vault.id, "/entries"), fields, body: body)
        #expect(response.status == .contentTooLarge)
        #expect(endless.read == SyncLimits.uploadBytes + EndlessBody.part.readableBytes)
    }

    @Test(arguments: ["8388609", "99999999999999999999", "-1", "x", ""])
    func `that declares too much is not read`(length: String) async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let fields: HTTPFields = [
            .contentType: "application/cbor-seq", .authorization: "Bearer \(token)", .contentLength: length,
        ]
        let answer = try await server.send(.post, SyncFixture.path(vault.id, "/entries"), fields, [0x80])
        #expect(answer.code == (length == "-1" ? "entry_malformed" : "body_too_large"))
    }

    @Test(arguments: ["", "application/cbor", "application/json", "application/cbor-seq; x=1"])
    func `of another type is refused`(type: String) async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let fields: HTTPFields = [.contentType: type, .authorization: "Bearer \(token)"]
        let answer = try await server.send(
            .post,
            SyncFixture.path(vault.id, "/entries"),
            fields,
            vault.genesis.encoded
        )
        #expect(answer.code == "unsupported_media_type")
    }

    @Test func `cannot hold more memory than uploads are allowed`() async throws {
        var limits = SyncLimits.standard
        limits.uploadRoom = SyncLimits.uploadBytes
        let server = SyncFixture(limits: limits)
        let vault = try TestVault()
        let token = try await server.begin(vault)
        let (body, source) = RequestBody.makeStream()
        let fields: HTTPFields = [.contentType: "application/cbor-seq", .authorization: "Bearer \(token)"]
        let path = SyncFixture.path(vault.id, "/entries")
        async let slow = server.respond(.post, path, fields, body: body)
        await source.yield(ByteBuffer(bytes: [0x82]))
        // The first upload is being read when the second one comes.
        try await until { server.server.uploads == 1 }
        let answer = try await server.upload([vault.genesis], to: vault.id, by: token)
        #expect(answer.code == "busy" && answer.fields[.retryAfter] == "2")
        source.finish()
        #expect(try await slow.status == .badRequest)
        #expect(try await server.upload([vault.genesis], to: vault.id, by: token).status == .ok)
    }

    /// Devices can be many, and an upload that comes slowly takes its memory for minutes.
    @Test func `the devices of one vault leave room to others`() async throws {
        let shares = MemoryShares<Int>(room: 8, forEach: 4, share: 2)
        let (one, other) = (MemoryOwner.account("one"), MemoryOwner.account("other"))
        try await shares.run(by: 1, of: one, 1) {
            try await shares.run(by: 2, of: one, 1) {
                await #expect(throws: SyncError.self) { try await shares.run(by: 3, of: one, 1) {} }
                try await shares.run(by: 4, of: other, 2) {}
            }
            try await shares.run(by: 3, of: one, 1) {}
        }
        #expect(shares.count == 0)
        let standard = SyncLimits.standard
        #expect(standard.uploadShare * 4 == standard.uploadRoom && standard.uploadShare == 32 << 20)
    }

    /// An upload whose length nobody knows, which comes slowly.
    private static func begin(_ server: SyncFixture, _ path: String, by token: String) async throws
        -> (answer: Task<Answer, any Error>, source: RequestBody.Source)
    {
        let (body, source) = RequestBody.makeStream()
        let before = server.server.uploads
        let fields: HTTPFields = [.contentType: "application/cbor-seq", .authorization: "Bearer \(token)"]
        let answer = Task { try await server.send(.post, path, fields, body: body) }
        try await until { server.server.uploads == before + 1 }
        return (answer, source)
    }

    /// The limits let one upload of each account in.
    @Test func `the vaults of one account leave room to others`() async throws {
        var limits = SyncLimits.standard
        limits.uploadRoom = 4 * SyncLimits.uploadBytes
        let server = SyncFixture(limits: limits)
        let vaults = try (0..<3).map { _ in try TestVault() }
        var tokens: [String] = []
        for (vault, account) in zip(vaults, ["ada", "ada", "bob"]) {
            try await server.bring(vault[0].log, by: try await server.invite(as: account))
            tokens.append(try await server.open(vault[0], in: vault.id))
        }
        let path = SyncFixture.path(vaults[0].id, "/entries")
        let slow = try await Self.begin(server, path, by: tokens[0])
        let second = try await server.upload([vaults[1].genesis], to: vaults[1].id, by: tokens[1])
        #expect(second.code == "too_many_requests" && second.fields[.retryAfter] == "2")
        let other = try await server.upload([vaults[2].genesis], to: vaults[2].id, by: tokens[2])
        #expect(other.status == .ok)
        slow.source.finish()
        #expect(try await slow.answer.value.code == "entry_malformed")
        let again = try await server.upload([vaults[1].genesis], to: vaults[1].id, by: tokens[1])
        #expect(again.status == .ok)
    }

    /// An account has any number of invitations, one for each sign-in.
    @Test func `the invitations of one account leave room to others`() async throws {
        var limits = SyncLimits.standard
        limits.uploadRoom = 4 * SyncLimits.uploadBytes
        let server = SyncFixture(limits: limits)
        let slow = try await Self.begin(server, "/sync/v1/vaults", by: try await server.invite(as: "ada"))
        let next = try await server.invite(as: "ada")
        #expect(try await server.bring(TestVault()[0].log, by: next).code == "too_many_requests")
        #expect(try await server.bring(TestVault()[0].log, by: try await server.invite(as: "bob")).status == .created)
        // The operator's invitations are of nobody.
        #expect(try await server.bring(TestVault()[0].log).status == .created)
        slow.source.finish()
        #expect(try await slow.answer.value.code == "entry_malformed")
        #expect(try await server.bring(TestVault()[0].log, by: next).status == .created)
    }

    @Test func `uploads that say that they are short come beside each other`() async throws {
        var limits = SyncLimits.standard
        limits.uploadRoom = SyncLimits.uploadBytes
        let server = SyncFixture(limits: limits)
        let vault = try TestVault()
        let token = try await server.begin(vault)
        let path = SyncFixture.path(vault.id, "/entries")
        let record = LogRecord(entry: vault.genesis.entry).encoded
        let endless: HTTPFields = [.contentType: "application/cbor-seq", .authorization: "Bearer \(token)"]
        let fields: HTTPFields = [
            .contentType: "application/cbor-seq", .authorization: "Bearer \(token)", .contentLength: "\(record.count)",
        ]
        let (body, source) = RequestBody.makeStream()
        async let slow = server.respond(.post, path, fields, body: body)
        try await until { server.server.uploads == 1 }
        #expect(try await server.send(.post, path, fields, record).status == .ok)
        // Without a length, it can be as long as any.
        let other = RequestBody(buffer: ByteBuffer(bytes: record))
        #expect(try await server.send(.post, path, endless, body: other).code == "busy")
        await source.yield(ByteBuffer(bytes: record))
        source.finish()
        #expect(try await slow.status == .ok)
    }
}

/// A body that counts what is read of it.
private struct EndlessBody: AsyncSequence, Sendable {
    static let part = ByteBuffer(bytes: [UInt8](repeating: 0x40, count: 64 * 1024))

    fileprivate final class Count: Sendable {
        let bytes = Mutex(0)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let count: Count

        mutating func next() async -> ByteBuffer? {
            count.bytes.withLock { $0 += part.readableBytes }
            return part
        }
    }

    private let count = Count()

    /// The number of bytes that were read.
    var read: Int { count.bytes.withLock { $0 } }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(count: count) }
}
