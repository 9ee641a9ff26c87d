import Synchronization
import Testing
import WardCBOR
import WardDownload
import WardSync
import WardSyncRecords
import WardSyncServer
import WardTesting

@Suite struct `A sign-in at a server` {
    typealias Request = BoundedExchange.Request
    typealias Answer = BoundedExchange.Answer

    private static let codes: CBORValue = [
        1: .text(String(repeating: "A", count: 43)), 2: "WDJB-MJHT", 3: "https://login.example.com/device", 4: 600,
        5: 5,
    ]

    private static func signIn(
        _ answer: @escaping @Sendable (Request) throws -> Answer
    ) throws -> ServerSignIn {
        let address = try #require(ServerAddress("https://sync.example.com"))
        return ServerSignIn(address) { request, _ in try answer(request) }
    }

    private static func answer(_ status: UInt, _ body: CBORValue) -> Answer {
        Answer(status: status, fields: ["content-type": "application/cbor"], body: body.encoded(), isCut: false)
    }

    private static func problem(_ status: UInt, _ code: String) -> Answer {
        let body = Array("{\"code\":\"\(code)\"}".utf8)
        return Answer(status: status, fields: ["content-type": "application/problem+json"], body: body, isCut: false)
    }

    @Test func `gives codes, waits, and ends with an invitation`() async throws {
        let person = Mutex(SyncAccounts.Answer.waiting(seconds: 7))
        let code = try #require(SyncToken([UInt8](repeating: 9, count: SyncToken.byteCount)))
        let accounts = SyncAccounts { _ in
            .init(
                code: code,
                userCode: "WDJB-MJHT",
                page: "https://login.example.com/device",
                seconds: 600,
                interval: 5
            )
        } answer: { given in
            given == code ? person.withLock { $0 } : .over
        } deleted: { _ in
            []
        }
        let server = SyncServerFixture(accounts: accounts)
        let signIn = ServerSignIn(try #require(ServerAddress("https://\(SyncServerFixture.host)"))) { request, limits in
            try await server.answer(request, limits)
        }
        let codes = try #require(try await signIn.begin())
        #expect(codes.code == code.text && codes.userCode == "WDJB-MJHT" && codes.seconds == 600 && codes.interval == 5)
        #expect(codes.link == "https://login.example.com/device?user_code=WDJB-MJHT")
        #expect(try await signIn.wait(for: codes.code) == 7)
        person.withLock { $0 = .refused }
        await #expect(throws: ServerError(.signInRefused)) { try await signIn.wait(for: codes.code) }
        person.withLock { $0 = .agreed(account: "ada") }
        #expect(try await signIn.wait(for: codes.code) == nil)
        #expect(try await server.store.isKnown(code.hash, at: server.world.now))
        await #expect(throws: ServerError(.signInOver)) { try await signIn.wait(for: "another") }
    }

    @Test func `is not offered by servers without accounts, and by those that never heard of it`() async throws {
        let server = SyncServerFixture()
        let real = ServerSignIn(try #require(ServerAddress("https://\(SyncServerFixture.host)"))) { request, limits in
            try await server.answer(request, limits)
        }
        #expect(try await real.begin() == nil)
        for code in ["sign_in_not_offered", "not_found"] {
            #expect(try await Self.signIn { _ in Self.problem(404, code) }.begin() == nil)
        }
        await #expect(throws: ServerError(.tooManyRequests)) {
            try await Self.signIn { _ in Self.problem(429, "too_many_requests") }.begin()
        }
    }

    /// What a server writes is shown to the person, and opened in a browser.
    @Test(
        arguments: [
            [2: "wdjb-mjht"], [2: "WDJB MJHT"], [2: "\u{1b}[2JAAAA"], [2: "AAA"],
            [2: .text(String(repeating: "A", count: 21))], [3: "http://login.example.com/device"],
            [3: "javascript:alert(1)"], [3: "https://login.example.com/device?x=1"], [3: "file:///etc/passwd"],
            [3: "https://ada@login.example.com/"], [3: .null], [4: 0], [5: 0], [4: -1], [1: "short"],
            [1: "with a space inside"],
        ] as [CBORValue]
    )
    func `refuses what no honest server gives`(change: CBORValue) async throws {
        let pairs = try #require(Self.codes.mapValue)
        let changes = try #require(change.mapValue)
        let spoiled = CBORValue.map(pairs.map { pair in changes.first { $0.key == pair.key } ?? pair })
        await #expect(throws: ServerError(.wrongAnswer)) {
            try await Self.signIn { _ in Self.answer(201, spoiled) }.begin()
        }
    }

    @Test func `keeps the times of a server within bounds`() async throws {
        let pairs = try #require(Self.codes.mapValue)
        let slow = CBORValue.map(
            pairs.map { $0.key == 4 || $0.key == 5 ? CBORPair(key: $0.key, value: .integer(.max)) : $0 }
        )
        let codes = try #require(try await Self.signIn { _ in Self.answer(201, slow) }.begin())
        #expect(codes.seconds == 3_600 && codes.interval == 120)
        let waiting = try Self.signIn { _ in Self.answer(200, [1: 0, 2: .integer(.max)]) }
        #expect(try await waiting.wait(for: codes.code) == 120)
        for wrong in [[1: 2], [1: 0], [1: 0, 2: 0], [2: 5], [1: "1"]] as [CBORValue] {
            await #expect(throws: ServerError(.wrongAnswer)) {
                try await Self.signIn { _ in Self.answer(200, wrong) }.wait(for: codes.code)
            }
        }
    }
}
