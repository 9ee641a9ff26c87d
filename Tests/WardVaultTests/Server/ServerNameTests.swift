import Testing
import WardCBOR
import WardDownload
import WardSync
import WardSyncRecords
import WardTesting

@testable import WardVault

/// The name of a server, which devices sign: its operator may have given it another one than people type.
@Suite struct `The name of a server` {
    /// The server would refuse what the device signs as if it did not have the vault, also after the vault was brought.
    @Test func `must be the one of the address before anything is brought`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(1, items: 1)
        let address = try #require(ServerAddress("https://\(SyncServerFixture.host):8443"))
        let signer = SessionSigner(world[0])
        let connection = ServerConnection(address, vault: world[0].id, signer: signer) { request, limits in
            var here = request
            here.url = request.url.replacing(":8443", with: "")
            return try await server.answer(here, limits)
        }
        let beginning = ServerBeginning(invitation: try await server.invite())
        let sync = ServerSync(world[0], with: connection, beginning: beginning)
        await #expect(throws: ServerError(.otherHost)) { try await sync.run() }
        #expect(server.seen == ["POST /challenge"])
        try await world.close()
    }

    @Test func `need not be said by a server, as earlier ones do not`() async throws {
        let server = SyncServerFixture()
        let world = try await CircleWorld.met(1, items: 1)
        server.between { request, ask in
            var answer = try await ask(request)
            guard request.url.hasSuffix("/challenge"), let pairs = try CBORValue.decode(answer.body).mapValue else {
                return answer
            }
            answer.body = CBORValue.map(pairs.filter { $0.key != 3 }).encoded()
            return answer
        }
        _ = try await server.sync(world[0], invitation: server.invite()).run()
        let head = try await server.store.vault(world[0].id)?.head
        #expect(try await head == world[0].position())
        try await world.close()
    }
}
