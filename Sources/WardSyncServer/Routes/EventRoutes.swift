import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import WardSyncRecords
import WardWebAuthn

/// Server-sent events ([HTML, section 9.2](https://html.spec.whatwg.org/multipage/server-sent-events.html)): the number of the last
/// entry, each time that it grows.
struct EventRoutes {
    let desk: SyncDesk

    func add(to router: Router<SyncRequestContext>) {
        router.get("/sync/v1/vaults/{vault}/events") { [desk] request, context in
            let session = try await desk.visit(request, try context.vault()).session
            _ = try Parameters(request, [])
            let listening = try desk.news.listen(.stream, session.vault, session.subject)
            return Response(
                status: .ok,
                // A proxy must not collect what it passes on.
                headers: [.contentType: "text/event-stream", .accelBuffering: "no"],
                body: ResponseBody { writer in
                    defer { desk.news.leave(listening) }
                    try await withGracefulShutdownHandler {
                        try await Self.write(listening, session, desk, &writer)
                    } onGracefulShutdown: {
                        listening.continuation.finish()
                    }
                    try await writer.finish(nil)
                }
            )
        }
    }

    /// Writes until the session ends, the vault is deleted, the service stops, or another stream of the device begins.
    private static func write(
        _ listening: HeadNews.Listening,
        _ session: SyncSession,
        _ desk: SyncDesk,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { [clock = desk.clock] in
                while !Task.isCancelled {
                    do { try await clock.sleep(for: SyncLimits.heartbeat) } catch { return }
                    listening.continuation.yield()
                }
            }
            var told: Int64 = -1
            listening.continuation.yield()
            for await _ in listening.wakes {
                guard let visit = try await desk.store.visit(session.token, at: desk.effects.now()) else { return }
                let vault = visit.vault
                // A comment shows both sides that the other one is still there.
                let text = vault.head == told ? ":\n\n" : "event: head\ndata: \(vault.head)\n\n"
                told = vault.head
                try await writer.write(ByteBuffer(string: text))
            }
        }
    }
}

extension HTTPField.Name {
    /// `X-Accel-Buffering`.
    ///
    /// The name is valid, so the fallback is never used.
    fileprivate static let accelBuffering = Self("X-Accel-Buffering") ?? .contentType
}
