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
                    var events = Events(listening: listening, session: session, desk: desk)
                    listening.continuation.yield()
                    while let text = try await events.next() { try await writer.write(ByteBuffer(string: text)) }
                    try await writer.finish(nil)
                }
            )
        }
    }
}

/// What a stream tells.
private struct Events {
    /// A comment shows both sides that the other one is still there.
    private static let comment = ":\n\n"
    /// The number of comments after which the store is asked without news: an operator can delete a vault with another program.
    private static let mostComments = 12

    let listening: HeadNews.Listening
    let session: SyncSession
    let desk: SyncDesk
    private var wakes: AsyncStream<Void>.Iterator
    private var told: Int64 = -1
    private var comments = 0

    init(listening: HeadNews.Listening, session: SyncSession, desk: SyncDesk) {
        self.listening = listening
        self.session = session
        self.desk = desk
        wakes = listening.wakes.makeAsyncIterator()
    }

    /// The next text, when its time has come.
    ///
    /// It is `nil` if the session ended, the vault was deleted, the service stops, or another stream of the device began.
    mutating func next() async throws -> String? {
        let isAwake = await withGracefulShutdownHandler {
            await wakes.next() != nil
        } onGracefulShutdown: { [listening] in
            listening.continuation.finish()
        }
        guard isAwake else { return nil }
        guard listening.takeNews() || comments == Self.mostComments else {
            guard desk.effects.now() < session.expiresAt else { return nil }
            comments += 1
            return Self.comment
        }
        guard let visit = try await desk.store.visit(session.token, at: desk.effects.now()) else { return nil }
        defer { (told, comments) = (visit.vault.head, 0) }
        return visit.vault.head == told ? Self.comment : "event: head\ndata: \(visit.vault.head)\n\n"
    }
}

extension HTTPField.Name {
    /// `X-Accel-Buffering`.
    ///
    /// The name is valid, so the fallback is never used.
    fileprivate static let accelBuffering = Self("X-Accel-Buffering") ?? .contentType
}
