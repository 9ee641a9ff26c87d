import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing
import WardLog
import WardSyncServer
import WardSyncStoreSQLite

@Suite struct `The sync server over sockets` {
    @Test func `brings a vault, opens a session, reads and writes`() async throws {
        let store = try SQLiteSyncStore.inMemory()
        let fixture = SyncFixture(store)
        let vault = try TestVault()
        let (id, genesis) = (vault.id, vault.genesis)
        let edits = try (0..<20).map { try vault[0].edit(UInt8($0 + 1), 1, count: 100_000) }
        let key = vault[0].key
        let device = vault[0].id
        let invitation = try await fixture.invite()
        var logger = Logger(label: "sync tests")
        logger.logLevel = .critical
        let application = Application(
            responder: fixture.edge,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            services: [fixture.server.upkeep],
            logger: logger
        )
        try await application.test(.live) { client in
            let fields: HTTPFields = [.contentType: "application/cbor-seq", .authorization: "Bearer \(invitation)"]
            let made = try await client.executeRequest(
                uri: "/sync/v1/vaults",
                method: .post,
                headers: fields,
                body: ByteBuffer(bytes: genesis.encoded)
            )
            #expect(made.status == .created)
            let token = try await fixture.open(device, key, in: id)
            let own: HTTPFields = [.contentType: "application/cbor-seq", .authorization: "Bearer \(token)"]
            let path = SyncFixture.path(id, "/entries")
            let stored = try await client.executeRequest(
                uri: path,
                method: .post,
                headers: own,
                body: ByteBuffer(bytes: edits.flatMap(\.encoded))
            )
            #expect(stored.status == .ok && stored.headers[.eTag] == "\"21\"")
            let read = try await client.executeRequest(
                uri: path + "?limit=100",
                method: .get,
                headers: own,
                body: nil
            )
            let expected = try await fixture.get(id, "/entries?limit=100", by: token)
            #expect(Array(read.body.readableBytesView) == expected.body && expected.entries.count == 21)
            let missing = try await client.executeRequest(uri: "/", method: .get, headers: [:], body: nil)
            #expect(missing.status == .notFound)
        }
        try await store.close()
    }

    /// Otherwise a service could not stop while devices listen.
    @Test(.timeLimit(.minutes(1))) func `stops while devices wait for news`() async throws {
        let fixture = SyncFixture()
        let vault = try TestVault()
        let token = try await fixture.begin(vault)
        let (path, fields) = (
            SyncFixture.path(vault.id), HTTPFields([.init(name: .authorization, value: "Bearer \(token)")])
        )
        var logger = Logger(label: "sync tests")
        logger.logLevel = .critical
        let application = Application(
            responder: fixture.edge,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            logger: logger
        )
        let request = try await application.test(.live) { client in
            let request = Task {
                try await client.executeRequest(uri: path + "/events", method: .get, headers: fields, body: nil)
            }
            try await until { fixture.server.waiting == 1 }
            return request
        }
        _ = try? await request.value
        #expect(fixture.server.waiting == 0)
    }
}
