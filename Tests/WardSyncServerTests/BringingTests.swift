import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing
import WardCBOR
import WardLog
import WardSyncRecords
import WardTesting

@Suite struct `A vault is brought to the server` {
    @Test func `with an invitation, and is there`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        try vault[0].edit()
        let answer = try await server.bring(vault[0].log)
        #expect(answer.status == .created && answer.tag == "\"2\"")
        #expect(answer.fields[.location] == SyncFixture.path(vault.id))
        #expect(answer.cbor == [1: 2, 2: 2])
        let token = try await server.open(vault[0], in: vault.id)
        let read = try await server.get(vault.id, "/entries", by: token)
        #expect(read.entries.map(\.entry.encoded) == vault[0].log.map(\.entry.encoded))
        #expect(read.entries.map(\.blob) == vault[0].log.map(\.blob))
    }

    @Test func `once for each invitation`() async throws {
        let (server, first, second) = (SyncFixture(), try TestVault(), try TestVault())
        let invitation = try await server.invite()
        #expect(try await server.bring(first[0].log, by: invitation).status == .created)
        #expect(try await server.bring(second[0].log, by: invitation).code == "invitation_not_valid")
        #expect(try await server.head(second.id) == nil)
    }

    /// The server was killed between the commit and the answer.
    @Test func `again by the same invitation, which changes nothing`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let invitation = try await server.invite()
        try await server.bring(vault[0].log, by: invitation)
        try vault[0].edit()
        let again = try await server.bring(vault[0].log, by: invitation)
        #expect(again.status == .ok && again.cbor == [1: 1, 2: 0])
        let other = try await server.invite()
        #expect(try await server.bring(vault[0].log, by: other).code == "vault_exists")
        // The invitation that was refused still works.
        #expect(try await server.bring(TestVault()[0].log, by: other).status == .created)
    }

    /// Who brings it may be unknown to the server until its later parts are there.
    @Test func `in several parts with its invitation, which gives nothing else`() async throws {
        let (server, vault, other) = (SyncFixture(), try TestVault(devices: 3), try TestVault())
        try vault.beginCircle()
        let invitation = try await server.invite()
        let root = vault.root?.entry.hash
        try await server.bring(vault[0].log, circle: root, by: invitation)
        let start = try #require(try await server.head(vault.id))
        let removal = try vault.remove([vault[2]], by: vault[0])
        // It does not count, and the part that names it comes later.
        var (void, cleared) = try (vault[2].edit(1, 2), vault[1].edit(2, 3))
        let numberless = try await server.upload([removal], to: vault.id, by: invitation)
        #expect(numberless.code == "if_match_required")
        #expect(try await server.upload([removal], to: vault.id, by: invitation, ifMatch: start).status == .ok)
        #expect(try await server.upload([void], to: vault.id, by: invitation).status == .ok)
        cleared.blob = nil
        #expect(try await server.upload([cleared], to: vault.id, by: invitation).status == .ok)
        #expect(try await server.head(vault.id) == start + 3)
        // Signatures are checked as ever.
        let next = try vault[2].edit(1, 3).entry
        void = LogRecord(entry: SignedEntry(entry: next.entry, payload: next.payload, signature: void.entry.signature))
        #expect(try await server.upload([void], to: vault.id, by: invitation).code == "entry_refused")
        #expect(try await server.get(vault.id, "/entries", by: invitation).code == "session_required")
        #expect(try await server.get(vault.id, "/heads", by: invitation).code == "session_required")
        let second = try await server.invite()
        #expect(try await server.upload([removal], to: vault.id, by: second).code == "session_required")
        try await server.bring(other[0].log, by: second)
        #expect(try await server.upload([removal], to: vault.id, by: second).code == "session_required")
        server.world.advance(by: 7 * 86_400 - 1)
        #expect(try await server.upload([removal], to: vault.id, by: invitation).status == .ok)
        server.world.advance(by: 1)
        #expect(try await server.upload([removal], to: vault.id, by: invitation).code == "session_required")
    }

    /// A device that is removed later must not go on with the invitation.
    @Test func `with its invitation until a device brings something in a session`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault(devices: 2))
        let invitation = try await server.invite()
        try await server.bring(vault[0].log, by: invitation)
        #expect(try await server.upload([try vault[0].edit()], to: vault.id, by: invitation).status == .ok)
        let token = try await server.open(vault[0], in: vault.id)
        #expect(try await server.upload([try vault[0].edit()], to: vault.id, by: invitation).status == .ok)
        #expect(try await server.upload([try vault[0].edit()], to: vault.id, by: token).status == .ok)
        let last = try vault[0].edit()
        #expect(try await server.upload([last], to: vault.id, by: invitation).code == "session_required")
        #expect(try await server.bring(vault[0].log, by: invitation).code == "invitation_not_valid")
    }

    /// The upload began before, and comes slowly.
    @Test func `with its invitation not even by an upload that began before that`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault(devices: 2))
        let invitation = try await server.invite()
        try await server.bring(vault[0].log, by: invitation)
        let token = try await server.open(vault[0], in: vault.id)
        let (first, second) = try (vault[0].edit(), vault[1].edit())
        let id = vault.id
        let parts = Mutex([ByteBuffer(bytes: second.encoded)])
        let body = AsyncThrowingStream<ByteBuffer, any Error>(unfolding: {
            guard let part = parts.withLock({ $0.popLast() }) else { return nil }
            let answer = try await server.upload([first], to: id, by: token)
            #expect(answer.status == .ok)
            return part
        })
        let answer = try await server.send(
            .post,
            SyncFixture.path(vault.id, "/entries"),
            [.contentType: "application/cbor-seq", .authorization: "Bearer \(invitation)"],
            body: RequestBody(asyncSequence: body)
        )
        #expect(answer.code == "session_required")
        #expect(try await server.head(vault.id) == Int64(vault[0].log.count))
    }

    /// A person who signs in again after a week gets a clear answer, and keeps the invitation.
    @Test func `not by another invitation after seven days`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        var accounts: [String] = []
        for _ in 0..<3 {
            let token = try #require(SyncToken(server.world.randomBytes(32)))
            let end = server.world.now + 30 * 86_400
            try await server.store.add(
                SyncInvitation(token: token.hash, createdAt: server.world.now, expiresAt: end, account: "alice")
            )
            accounts.append(token.text)
        }
        try await server.bring(vault[0].log, by: accounts[0])
        let again = try await server.bring(vault[0].log, by: accounts[1])
        #expect(again.status == .ok && again.cbor == [1: 1, 2: 0])
        #expect(try await server.upload([try vault[0].edit()], to: vault.id, by: accounts[1]).status == .ok)
        #expect(
            try await server.upload([try vault[0].edit()], to: vault.id, by: accounts[0]).code == "session_required"
        )
        server.world.advance(by: 7 * 86_400)
        #expect(try await server.bring(vault[0].log, by: accounts[2]).code == "vault_exists")
        #expect(try await server.bring(TestVault()[0].log, by: accounts[2]).status == .created)
    }

    @Test func `not without an invitation, nor with one that does not count`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let body = vault[0].log.flatMap(\.encoded)
        let none = try await server.send(.post, "/sync/v1/vaults", [.contentType: "application/cbor-seq"], body)
        #expect(none.code == "invitation_required" && none.fields[.wwwAuthenticate] == "Bearer")
        let old = try await server.invite(for: 60)
        server.world.advance(by: 60)
        let random = try #require(SyncToken(server.world.randomBytes(32))).text
        for invitation in [old, random, "", "short", "Bearer", random + "A"] {
            let answer = try await server.bring(vault[0].log, by: invitation)
            #expect(answer.code == "invitation_not_valid", "\(invitation)")
        }
        #expect(try await server.head(vault.id) == nil)
    }

    @Test func `only from its first entry on, with all signatures`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        let edit = try vault[0].edit()
        #expect(try await server.bring([edit]).code == "vault_not_valid")
        #expect(try await server.bring([vault[0].log[1], vault[0].log[0]]).code == "vault_not_valid")
        #expect(try await server.bring([vault.genesis, edit]).code == "gap")
        #expect(try await server.bring([]).code == "entry_malformed")
        let signed = vault.genesis.entry
        var signature = signed.signature
        signature[3] ^= 1
        let spoiled = SignedEntry(entry: signed.entry, payload: signed.payload, signature: signature)
        #expect(try await server.bring([LogRecord(entry: spoiled)]).code == "entry_refused")
        let other = try TestVault()
        #expect(try await server.bring([vault.genesis, other.genesis]).code == "entry_refused")
    }

    @Test func `with its circle`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        let root = try vault.beginCircle()
        #expect(try await server.bring(vault[0].log).code == "circle_root_required")
        let wrong = [UInt8](repeating: 1, count: 32)
        #expect(try await server.bring(vault[0].log, circle: wrong).code == "circle_root_not_found")
        #expect(try await server.bring(vault[0].log, circle: vault.genesis.entry.hash).code == "circle_root_not_found")
        let answer = try await server.bring(vault[0].log, circle: root.entry.hash)
        #expect(answer.status == .created)
        #expect(try await server.store.vault(vault.id)?.circleRoot == root.entry.hash)
        for device in vault.devices { _ = try await server.open(device, in: vault.id) }
    }
}

@Suite struct `A vault is deleted at the server` {
    private static func delete(
        _ server: SyncFixture,
        _ vault: VaultID,
        _ body: CBORValue,
        by token: String
    ) async throws -> Answer {
        let fields: HTTPFields = [.contentType: "application/cbor", .authorization: "Bearer \(token)"]
        return try await server.send(.delete, SyncFixture.path(vault), fields, body.encoded())
    }

    @Test func `by a statement of a device and the owner, for this server and this time`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        let device = vault[0]
        func body(_ spoil: (inout ServerStatement) -> Void, purpose: ServerStatement.Purpose = .delete) async throws
            -> CBORValue
        {
            let right = try await server.statement(purpose, vault.id, device.id.bytes)
            var signed = right
            spoil(&signed)
            let approvals = try vault.approvals(signed.message, by: device)
            return SyncFixture.body(right, try device.key.signed(signed.message), approvals)
        }
        let wrong = [
            try await body { $0.host = "other.example.com" }, try await body { $0.challenge[0] ^= 1 },
            try await body { $0.time += 1 }, try await body { $0.vault = VaultID(genesis: [1]) },
            try await body { $0.purpose = .session },
        ]
        for body in wrong {
            let answer = try await Self.delete(server, vault.id, body, by: token)
            #expect(answer.code == "statement_refused")
        }
        // Without the owner, and with the owner's signature on another statement.
        let statement = try await server.statement(.delete, vault.id, device.id.bytes)
        let signature = try device.key.signed(statement.message)
        let other = try await server.statement(.delete, vault.id, device.id.bytes)
        for approvals in [[], try vault.approvals(other.message, by: device)] {
            let answer = try await Self.delete(
                server,
                vault.id,
                SyncFixture.body(statement, signature, approvals),
                by: token
            )
            #expect(answer.code == "statement_refused")
        }
        #expect(try await server.head(vault.id) != nil)
        // The refusals did not use the challenge up.
        let right = SyncFixture.body(statement, signature, try vault.approvals(statement.message, by: device))
        #expect(try await Self.delete(server, vault.id, right, by: token).status == .noContent)
        #expect(try await server.head(vault.id) == nil)
        #expect(try await server.get(vault.id, "/entries", by: token).code == "session_required")
        // Nobody brings it back by chance, and the statement works once.
        #expect(try await server.upload([vault.genesis], to: vault.id, by: token).code == "session_required")
        try await server.bring(vault[0].log, circle: vault.root?.entry.hash)
        let again = try await server.open(device, in: vault.id)
        #expect(try await Self.delete(server, vault.id, right, by: again).code == "statement_refused")
        #expect(try await server.head(vault.id) != nil)
    }

    /// The log in memory is that of the vault before.
    @Test func `and is brought again with other entries`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 2)
        let token = try await server.begin(vault)
        let edit = try vault[0].edit()
        #expect(try await server.upload([edit], to: vault.id, by: token).status == .ok)
        let statement = try await server.statement(.delete, vault.id, vault[0].id.bytes)
        let body = SyncFixture.body(statement, try vault[0].key.signed(statement.message))
        #expect(try await Self.delete(server, vault.id, body, by: token).status == .noContent)
        let other = try vault[1].edit()
        try await server.bring([vault[0].log[0], vault[0].log[1], other])
        let again = try await server.open(vault[0], in: vault.id)
        #expect(try await server.upload([edit], to: vault.id, by: again).cbor == [1: 4, 2: 1])
        let read = try await server.get(vault.id, "/entries?after=2", by: again)
        #expect(read.entries.map(\.entry.hash) == [other.entry.hash, edit.entry.hash])
    }

    @Test func `without a circle by the device alone`() async throws {
        let (server, vault) = (SyncFixture(), try TestVault())
        let token = try await server.begin(vault)
        let statement = try await server.statement(.delete, vault.id, vault[0].id.bytes)
        let body = SyncFixture.body(statement, try vault[0].key.signed(statement.message))
        let path = SyncFixture.path(vault.id)
        let bare = try await server.send(.delete, path, [.contentType: "application/cbor"], body.encoded())
        #expect(bare.code == "session_required")
        #expect(try await Self.delete(server, vault.id, body, by: token).status == .noContent)
    }
}
