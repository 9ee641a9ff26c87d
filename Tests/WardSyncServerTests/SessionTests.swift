import Crypto
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing
import WardCBOR
import WardLog
import WardSyncRecords
import WardSyncServer
import WardTesting

@Suite struct `A session` {
    @Test func `is opened by a device, and ends after an hour`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        #expect(try await server.get(vault.id, "/heads", by: token).status == .ok)
        server.world.advance(by: 3_599)
        #expect(try await server.get(vault.id, "/heads", by: token).status == .ok)
        server.world.advance(by: 1)
        let answer = try await server.get(vault.id, "/heads", by: token)
        #expect(answer.code == "session_required" && answer.fields[.wwwAuthenticate] == "Bearer")
    }

    @Test func `says how much room the vault uses, and the part of a device that is not the only one`() async throws {
        var limits = SyncLimits.standard
        (limits.vaultBytes, limits.vaultEntries) = (10_000, 1_001)
        for devices in 1...2 {
            let (server, vault) = (SyncFixture(limits: limits), try TestVault(devices: devices))
            try vault[0].edit()
            _ = try await server.begin(vault)
            let answer = try await server.tryToOpen(vault[0], in: vault.id)
            let stored = try #require(try await server.store.vault(vault.id))
            let share = try await server.store.shares(of: vault.id).first { $0.device == vault[0].id }
            let own = try #require(share)
            var expected = [stored.bytes, 10_000, stored.head, 1_001]
            if devices == 2 { expected += [own.bytes, 5_000, own.entries, 500] }
            #expect((3...10).compactMap { answer.cbor?[$0] } == expected.map { .integer($0) })
        }
    }

    struct Spoiled: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let spoil: @Sendable (inout ServerStatement) -> Void
        static let all = [
            Self(testDescription: "another host") { $0.host = "evil.example" },
            Self(testDescription: "another vault") { $0.vault = VaultID(genesis: [9]) },
            Self(testDescription: "another device") { $0.subject[0] ^= 1 },
            Self(testDescription: "another challenge") { $0.challenge[31] ^= 1 },
            Self(testDescription: "another time") { $0.time -= 1 },
            Self(testDescription: "another purpose") { $0.purpose = .delete },
        ]
    }

    /// What is signed says everything, and what is sent must be the same.
    @Test(arguments: Spoiled.all)
    func `needs a signature on exactly this statement`(spoiled: Spoiled) async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        try await server.bring(vault[0].log)
        let right = try await server.statement(.session, vault.id, vault[0].id.bytes)
        var other = right
        spoiled.spoil(&other)
        let signature = try vault[0].key.signed(other.message)
        #expect(try await server.openSession(vault.id, SyncFixture.body(right, signature)).code == "session_refused")
        #expect(try await server.openSession(vault.id, SyncFixture.body(other, signature)).code != nil)
        // The right one still works: a refusal uses nothing up.
        let body = SyncFixture.body(right, try vault[0].key.signed(right.message))
        #expect(try await server.openSession(vault.id, body).status == .ok)
    }

    @Test func `takes a challenge once, for two minutes, and for one vault`() async throws {
        let (server, vault, other) = (SyncFixture(), try TestVault(), try TestVault())
        try await server.bring(vault[0].log)
        try await server.bring(other[0].log)
        let statement = try await server.statement(.session, vault.id, vault[0].id.bytes)
        let body = SyncFixture.body(statement, try vault[0].key.signed(statement.message))
        #expect(try await server.openSession(vault.id, body).status == .ok)
        #expect(try await server.openSession(vault.id, body).code == "session_refused")
        let old = try await server.statement(.session, vault.id, vault[0].id.bytes)
        server.world.advance(by: 121)
        let late = SyncFixture.body(old, try vault[0].key.signed(old.message))
        #expect(try await server.openSession(vault.id, late).code == "session_refused")
        var foreign = try await server.statement(.session, other.id, vault[0].id.bytes)
        foreign.vault = vault.id
        let moved = SyncFixture.body(foreign, try vault[0].key.signed(foreign.message))
        #expect(try await server.openSession(vault.id, moved).code == "session_refused")
        // Another process does not know the challenge.
        let restarted = SyncFixture(server.store)
        let now = try await server.statement(.session, vault.id, vault[0].id.bytes)
        let elsewhere = SyncFixture.body(now, try vault[0].key.signed(now.message))
        _ = try await restarted.challenge(vault.id)
        #expect(try await server.openSession(vault.id, elsewhere).status == .ok)
        #expect(try await restarted.openSession(vault.id, elsewhere).status != .ok)
    }

    /// A device that reaches it by another name is told so before it signs: the server would refuse the signature.
    @Test func `says its own host with a challenge`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let answer = try await server.send(.post, SyncFixture.path(vault.id, "/challenge"))
        #expect(answer.cbor?[3] == .text(SyncFixture.host))
    }

    /// A stranger cannot ask which vaults and devices there are.
    @Test func `is refused for an unknown vault as for an unknown device`() async throws {
        let (server, vault, unknown) = (SyncFixture(), try TestVault(), try TestVault())
        try await server.bring(vault[0].log)
        let answers = [
            try await server.tryToOpen(unknown[0], in: unknown.id),
            try await server.tryToOpen(unknown[0], in: vault.id),
            try await server.tryToOpen(vault[0], in: unknown.id),
        ]
        #expect(answers.allSatisfy { $0.status == .unauthorized && $0.body == answers[0].body })
    }

    @Test(
        arguments: [
            [:], [1: 1], "text", [1: .bytes([UInt8](repeating: 1, count: 16))],
            [
                1: .bytes([UInt8](repeating: 1, count: 17)), 2: .bytes([UInt8](repeating: 1, count: 32)), 3: 1,
                4: .bytes([UInt8](repeating: 1, count: 64)),
            ],
            [
                1: .bytes([UInt8](repeating: 1, count: 16)), 2: .bytes([UInt8](repeating: 1, count: 31)), 3: 1,
                4: .bytes([UInt8](repeating: 1, count: 64)),
            ],
            [
                1: .bytes([UInt8](repeating: 1, count: 16)), 2: .bytes([UInt8](repeating: 1, count: 32)), 3: -1,
                4: .bytes([UInt8](repeating: 1, count: 64)),
            ],
            [
                1: .bytes([UInt8](repeating: 1, count: 16)), 2: .bytes([UInt8](repeating: 1, count: 32)), 3: 1,
                4: .bytes([UInt8](repeating: 1, count: 63)),
            ],
        ] as [CBORValue]
    )
    func `needs a body in its form`(body: CBORValue) async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        #expect(try await server.openSession(vault.id, body).code == "malformed_request")
    }

    @Test func `bodies of other forms are refused`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let path = SyncFixture.path(vault.id, "/session")
        for body in [[], [0xff], [0xa1], [0xbf, 0xff], [UInt8](repeating: 0x81, count: 5_000)] as [[UInt8]] {
            let answer = try await server.send(.post, path, [.contentType: "application/cbor"], body)
            #expect(answer.code == "malformed_request")
        }
        let long = [UInt8](repeating: 0, count: 65_537)
        #expect(try await server.send(.post, path, [.contentType: "application/cbor"], long).code == "body_too_large")
        #expect(
            try await server.send(.post, path, [.contentType: "application/json"], []).code == "unsupported_media_type"
        )
        #expect(try await server.send(.post, path, [:], []).code == "unsupported_media_type")
    }

    @Test func `is one of four of a device, and can be closed`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        var tokens = [try await server.begin(vault)]
        for _ in 0..<4 { tokens.append(try await server.open(vault[0], in: vault.id)) }
        for (index, token) in tokens.enumerated() {
            let answer = try await server.get(vault.id, "/heads", by: token)
            #expect(answer.status == (index == 0 ? .unauthorized : .ok))
        }
        let path = SyncFixture.path(vault.id, "/session")
        #expect(try await server.send(.delete, path, [.authorization: "Bearer \(tokens[1])"]).status == .noContent)
        #expect(try await server.get(vault.id, "/heads", by: tokens[1]).code == "session_required")
    }

    @Test func `is for one vault, and its token has one form`() async throws {
        let (server, vault, other) = (SyncFixture(), try TestVault(), try TestVault())
        let token = try await server.begin(vault)
        try await server.bring(other[0].log)
        #expect(try await server.get(other.id, "/heads", by: token).code == "session_required")
        let path = SyncFixture.path(vault.id, "/heads")
        for field in ["", "Bearer", "Bearer ", "Basic \(token)", token, "Bearer \(token)=", "Bearer \(token) x"] {
            #expect(try await server.send(.get, path, [.authorization: field]).code == "session_required", "\(field)")
        }
        var twice = HTTPFields([.init(name: .authorization, value: "Bearer \(token)")])
        twice.append(.init(name: .authorization, value: "Bearer \(token)"))
        #expect(try await server.send(.get, path, twice).code == "session_required")
        #expect(try await server.send(.get, path).code == "session_required")
        #expect(try await server.send(.get, path, [.authorization: "bearer \(token)"]).status == .ok)
    }

    @Test func `of a device ends with its removal, and the device learns it`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 3)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        let other = try await server.open(vault[2], in: vault.id)
        let removal = try vault.remove([vault[2]], by: vault[0])
        let head = try #require(try await server.head(vault.id))
        #expect(try await server.upload([removal], to: vault.id, by: token, ifMatch: head).status == .ok)
        #expect(try await server.get(vault.id, "/heads", by: other).code == "session_required")
        #expect(try await server.get(vault.id, "/heads", by: token).status == .ok)
        #expect(try await server.tryToOpen(vault[2], in: vault.id).code == "device_removed")
        // Only the device itself learns it.
        let statement = try await server.statement(.session, vault.id, vault[2].id.bytes)
        let forged = SyncFixture.body(statement, try vault[1].key.signed(statement.message))
        #expect(try await server.openSession(vault.id, forged).code == "session_refused")
    }

    @Test func `is opened by a device that was admitted and has not begun`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        let (newcomer, admission) = try vault.admit(by: vault[0])
        #expect(try await server.tryToOpen(newcomer, in: vault.id).code == "session_refused")
        let head = try #require(try await server.head(vault.id))
        #expect(try await server.upload([admission], to: vault.id, by: token, ifMatch: head).status == .ok)
        let own = try await server.open(newcomer, in: vault.id)
        let begin = try newcomer.write(.circle(.joinAdmitted(admission.entry.hash)))
        let answer = try await server.upload([begin], to: vault.id, by: own, ifMatch: head + 1)
        #expect(answer.status == .ok)
        _ = try await server.upload([try newcomer.edit(8)], to: vault.id, by: own)
        #expect(try await server.head(vault.id) == head + 3)
    }

    /// The upload began before, and comes slowly. It brings what the server takes of anybody who has a session.
    @Test func `ends when its device is removed, also for an upload that began before that`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        let other = try await server.open(vault[1], in: vault.id)
        let (id, head) = (vault.id, Int64(vault[0].log.count))
        let removal = try vault.remove([vault[1]], by: vault[0])
        let edit = try vault[0].edit()
        let parts = Mutex([ByteBuffer(bytes: edit.encoded)])
        let body = AsyncThrowingStream<ByteBuffer, any Error>(unfolding: {
            guard let part = parts.withLock({ $0.popLast() }) else { return nil }
            let answer = try await server.upload([removal], to: id, by: token, ifMatch: head)
            #expect(answer.status == .ok)
            return part
        })
        let answer = try await server.send(
            .post,
            SyncFixture.path(id, "/entries"),
            [.contentType: "application/cbor-seq", .authorization: "Bearer \(other)"],
            body: RequestBody(asyncSequence: body)
        )
        #expect(answer.code == "session_required")
        #expect(try await server.head(id) == head + 1)
        #expect(try await server.upload([edit], to: id, by: token).status == .ok)
    }

    @Test func `is opened by a recovery key in force`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        try vault.beginCircle()
        _ = try await server.begin(vault)
        let statement = try await server.statement(.session, vault.id, vault.paper.publicBytes)
        let body = SyncFixture.body(statement, try vault.paper.signed(statement.message))
        let answer = try await server.openSession(vault.id, body)
        let token = try #require(answer.cbor?[1]?.textValue)
        #expect(try await server.get(vault.id, "/entries", by: token).entries.count == 3)
        let other = Curve25519.Signing.PrivateKey()
        let strange = try await server.statement(.session, vault.id, other.publicBytes)
        let refused = SyncFixture.body(strange, try other.signed(strange.message))
        #expect(try await server.openSession(vault.id, refused).code == "session_refused")
    }

    /// Nobody else is left who could bring the first entry of the device.
    @Test func `is opened by a device that a recovery key lets join, with its first entry`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        try vault.beginCircle()
        _ = try await server.begin(vault)
        let (newcomer, join) = try vault.comeBack()
        #expect(try await server.tryToOpen(newcomer, in: vault.id).code == "session_refused")
        let answer = try await server.tryToOpen(newcomer, in: vault.id, showing: join.entry)
        let token = try #require(answer.cbor?[1]?.textValue)
        #expect(try await server.get(vault.id, "/entries", by: token).entries.count == 3)
        // Nobody knows the device before its entry is there.
        #expect(try await server.tryToOpen(newcomer, in: vault.id).code == "session_refused")
        let head = try #require(try await server.head(vault.id))
        #expect(try await server.upload([join], to: vault.id, by: token, ifMatch: head).status == .ok)
        let own = try await server.open(newcomer, in: vault.id)
        #expect(try await server.upload([try newcomer.edit(8)], to: vault.id, by: own).status == .ok)
        // The earlier session was one of the recovery key, and would not end with the device.
        #expect(try await server.get(vault.id, "/heads", by: token).code == "session_required")
        #expect(try await server.tryToOpen(newcomer, in: vault.id, showing: join.entry).status == .ok)
    }

    struct Introduction: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (TestVault, TestVault.Device, LogRecord) throws -> SignedEntry
        static let all = [
            Self(testDescription: "signed by another recovery key") { vault, device, _ in
                try vault.join(device, with: Curve25519.Signing.PrivateKey()).entry
            },
            Self(testDescription: "signed by the recovery key, for another vault") { vault, device, _ in
                try vault.join(device, in: VaultID(genesis: [9])).entry
            },
            Self(testDescription: "of another device") { vault, _, _ in try vault.comeBack().join.entry },
            Self(testDescription: "with another key in it") { vault, device, _ in
                try vault.join(device, as: Curve25519.Signing.PrivateKey().publicBytes).entry
            },
            Self(testDescription: "not signed by the device") { _, _, join in
                SignedEntry(
                    entry: join.entry.entry,
                    payload: join.entry.payload,
                    signature: [UInt8](repeating: 1, count: LogEntry.signatureLength)
                )
            },
            Self(testDescription: "another operation") { vault, _, _ in try vault[0].edit(5).entry },
        ]
    }

    @Test(arguments: Introduction.all)
    func `is not opened with a first entry that shows nothing`(introduction: Introduction) async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        try vault.beginCircle()
        _ = try await server.begin(vault)
        let (newcomer, join) = try vault.comeBack()
        let shown = try introduction.make(vault, newcomer, join)
        #expect(try await server.tryToOpen(newcomer, in: vault.id, showing: shown).code == "session_refused")
        // It is the entry.
        #expect(try await server.tryToOpen(newcomer, in: vault.id, showing: join.entry).status == .ok)
    }

    @Test func `is not opened with a recovery key that was replaced, nor by a device that was removed`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        let (late, lateJoin) = try vault.comeBack()
        let (newcomer, join) = try vault.comeBack()
        var head = try #require(try await server.head(vault.id))
        #expect(try await server.upload([join], to: vault.id, by: token, ifMatch: head).status == .ok)
        try vault[0].take([join])
        let removal = try vault.remove([newcomer], by: vault[0])
        #expect(try await server.upload([removal], to: vault.id, by: token, ifMatch: head + 1).status == .ok)
        #expect(try await server.tryToOpen(newcomer, in: vault.id, showing: join.entry).code == "device_removed")
        let open = try #require(
            try await server.tryToOpen(late, in: vault.id, showing: lateJoin.entry).cbor?[1]?.textValue
        )
        head = try #require(try await server.head(vault.id))
        let replaced = try vault.replaceRecoveryKey(by: vault[0])
        #expect(try await server.upload([replaced], to: vault.id, by: token, ifMatch: head).status == .ok)
        #expect(try await server.tryToOpen(late, in: vault.id, showing: lateJoin.entry).code == "session_refused")
        #expect(try await server.get(vault.id, "/heads", by: open).code == "session_required")
    }

    @Test(arguments: [.null, 1, .bytes([]), .bytes([0x82, 0x40, 0x40]), .array([])] as [CBORValue])
    func `needs a first entry in its form`(value: CBORValue) async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        try await server.bring(vault[0].log)
        let statement = try await server.statement(.session, vault.id, vault[0].id.bytes)
        let body = SyncFixture.body(statement, try vault[0].key.signed(statement.message))
        let spoiled = CBORValue.map((body.mapValue ?? []) + [CBORPair(key: 6, value: value)])
        #expect(try await server.openSession(vault.id, spoiled).code == "malformed_request")
    }

    @Test func `asks for too many from one address are refused`() async throws {
        var limits = SyncLimits.standard
        limits.openings = Rate(atOnce: 4, perSecond: 1)
        let server = SyncFixture(limits: limits, address: { fields, _ in fields[.userAgent] })
        let (vault, name) = (try TestVault(), "one")
        let path = SyncFixture.path(vault.id, "/challenge")
        for _ in 0..<4 { #expect(try await server.send(.post, path, [.userAgent: name]).status == .ok) }
        let refused = try await server.send(.post, path, [.userAgent: name])
        #expect(refused.code == "too_many_requests" && refused.fields[.retryAfter] == "1")
        #expect(try await server.send(.post, path, [.userAgent: "two"]).status == .ok)
        #expect(try await server.send(.post, path).status == .ok)
        server.world.advance(by: 1)
        #expect(try await server.send(.post, path, [.userAgent: name]).status == .ok)
        #expect(try await server.send(.post, path, [.userAgent: name]).code == "too_many_requests")
        // A clock that was set back: the address would be refused until the time of before comes again.
        server.world.advance(by: -86_400)
        #expect(try await server.send(.post, path, [.userAgent: name]).fields[.retryAfter] == "1")
        server.world.advance(by: 1)
        #expect(try await server.send(.post, path, [.userAgent: name]).status == .ok)
    }
}
