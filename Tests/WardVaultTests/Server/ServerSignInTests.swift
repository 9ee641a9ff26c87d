import Synchronization
import Testing
import WardCBOR
import WardDomains
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
        at server: String = "https://sync.example.com",
        suffixes: PublicSuffixList = .system,
        _ answer: @escaping @Sendable (Request) throws -> Answer
    ) throws -> ServerSignIn {
        let address = try #require(ServerAddress(server))
        return ServerSignIn(address, suffixes: suffixes) { request, _ in try answer(request) }
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
            [3: "https://ada@login.example.com/"], [3: .null], [3: "https://login.example.net/device"],
            [3: "https://login.example.com.example.net/device"], [3: "https://localhost/device"],
            [3: "http://127.0.0.1:8080/device"], [4: 0], [5: 0], [4: -1], [1: "short"],
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

    /// On a page of another site the code of somebody else could wait to be allowed.
    @Test(
        arguments: [
            ("https://sync.example.com", "https://sync.example.com/device", true),
            ("https://sync.example.com:8443", "https://sync.example.com/device", true),
            ("https://sync.example.com", "https://example.com/device", true),
            ("https://example.com/sync", "https://login.example.com:8443/device", true),
            ("https://sync.example.co.uk", "https://login.another.co.uk/device", false),
            ("https://ada.github.io", "https://eve.github.io/device", false),
            ("https://192.0.2.7", "https://192.0.2.7:8443/device", true),
            ("https://192.0.2.7", "https://192.0.2.8/device", false),
            ("https://nas", "https://nas:8443/device", true), ("https://nas", "https://router/device", false),
            ("http://127.0.0.1:8081", "http://localhost:8080/device", true),
            ("http://127.0.0.1:8081", "https://login.example.com/device", false),
            ("https://localhost", "http://localhost/device", false),
            ("http://abc.onion", "http://abc.onion/device", true),
            ("http://abc.onion", "http://xyz.onion/device", false),
        ]
    )
    func `sends nobody to a page of another site`(server: String, page: String, isOwn: Bool) async throws {
        let given = try Self.codes(page: page)
        let signIn = try Self.signIn(at: server) { _ in Self.answer(201, given) }
        if isOwn {
            #expect(try await signIn.begin()?.page.text == page)
        } else {
            await #expect(throws: ServerError(.wrongAnswer)) { try await signIn.begin() }
        }
    }

    @Test func `sends nobody to another host if there is no list of public suffixes`() async throws {
        let missing = PublicSuffixList(library: "libnothing.so.5")
        let other = try Self.codes(page: "https://login.example.com/device")
        await #expect(throws: ServerError(.wrongAnswer)) {
            try await Self.signIn(suffixes: missing) { _ in Self.answer(201, other) }.begin()
        }
        let own = try Self.codes(page: "https://sync.example.com/device")
        #expect(try await Self.signIn(suffixes: missing) { _ in Self.answer(201, own) }.begin() != nil)
    }

    private static func codes(page: String) throws -> CBORValue {
        let pairs = try #require(codes.mapValue)
        return .map(pairs.map { $0.key == 3 ? CBORPair(key: $0.key, value: .text(page)) : $0 })
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
