import HTTPTypes
import Hummingbird
import ServiceLifecycle
import WardCBOR
import WardSyncRecords
import WardWebAuthn

/// Meetings of a new device with a member of a circle: messages that the server passes on.
struct MeetingRoutes {
    let desk: SyncDesk

    func add(to router: Router<SyncRequestContext>) {
        router.post("/sync/v1/vaults/{vault}/rendezvous") { [desk] request, context in
            let session = try await desk.visit(request, try context.vault()).session
            let offer = try await request.message()
            let rate = desk.meetingRate
            if let wait = rate.take(SyncLimits.meetingCost, by: desk.device(session), at: desk.effects.now()) {
                throw SyncError(.tooManyRequests, "The device makes too many codes.", retryAfter: wait)
            }
            let token = try desk.meetingToken()
            let number = try desk.meetings.begin(by: session, token: token, offer: offer)
            return Response.cbor(
                [1: .integer(Int64(number)), 2: .text(token.text), 3: .integer(SyncLimits.meetingLifetime)],
                status: .created
            )
        }
        router.post("/sync/v1/rendezvous/{meeting}") { [desk] request, context in
            try desk.countJoining(request, context)
            let number = try context.meeting()
            let token = try desk.meetingToken()
            let found = try desk.meetings.join(number, token: token)
            return Response.cbor([
                1: .text(token.text), 2: .integer(found.seconds), 3: .bytes(found.message ?? []),
                4: .text(desk.host),
            ])
        }
        router.delete("/sync/v1/rendezvous/{meeting}") { [desk] request, context in
            try desk.meetings.end(try context.meeting(), by: try request.meetingToken())
            return Response(status: .noContent)
        }
        router.post("/sync/v1/rendezvous/{meeting}/{message}") { [desk] request, context in
            let (number, index, token) = (try context.meeting(), try context.message(), try request.meetingToken())
            try desk.meetings.write(try await request.message(), as: index, to: number, by: token)
            return Response(status: .noContent)
        }
        router.get("/sync/v1/rendezvous/{meeting}/{message}") { [desk] request, context in
            let (number, index, token) = (try context.meeting(), try context.message(), try request.meetingToken())
            let wait = try Parameters(request, ["wait"]).number("wait", in: 0...SyncLimits.wait, else: 0)
            let found = try await desk.message(index, of: number, by: token, wait: wait)
            var pairs = [
                CBORPair(key: 2, value: .integer(found.seconds)), CBORPair(key: 3, value: .integer(found.refused)),
            ]
            if let message = found.message { pairs.insert(CBORPair(key: 1, value: .bytes(message)), at: 0) }
            return Response.cbor(.map(pairs))
        }
    }
}

extension SyncDesk {
    /// A message of a meeting, when it is there, when another device was refused, or when the time is over.
    fileprivate func message(
        _ index: Int,
        of number: Int,
        by token: SyncToken,
        wait: Int64
    ) async throws -> Meetings.Found {
        let first = try meetings.read(index, of: number, by: token)
        guard wait > 0, first.message == nil else { return first }
        let listening = try meetings.listen(to: number, by: token)
        defer { meetings.leave(listening) }
        return try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [clock] in
                    try? await clock.sleep(for: .seconds(wait))
                    listening.continuation.finish()
                }
                defer { group.cancelAll() }
                // What came before the listening began is found here.
                var current = try meetings.read(index, of: number, by: token)
                guard current.message == nil, current.refused == first.refused else { return current }
                for await _ in listening.wakes {
                    current = try meetings.read(index, of: number, by: token)
                    if current.message != nil || current.refused != first.refused { break }
                }
                return current
            }
        } onGracefulShutdown: {
            listening.continuation.finish()
        }
    }

    /// The token of a side of a meeting.
    fileprivate func meetingToken() throws -> SyncToken {
        guard let token = SyncToken(effects.randomBytes(SyncToken.byteCount)) else {
            throw SyncError(.internalError, "The service failed.")
        }
        return token
    }

    /// Counts somebody who comes with the number of a meeting: numbers are short, and whoever is first takes the place.
    fileprivate func countJoining(_ request: Request, _ context: SyncRequestContext) throws {
        guard let client = address?(request.headers, context.peer) else { return }
        guard let wait = joiningRate.take(SyncLimits.meetingCost, by: client, at: effects.now()) else { return }
        throw SyncError(.tooManyRequests, "Too many requests came from this address.", retryAfter: wait)
    }
}

extension Request {
    /// The message in the body.
    fileprivate func message() async throws -> [UInt8] {
        guard let message = try await map()[1]?.bytesValue else {
            throw SyncError(.malformedRequest, "The body needs a message.")
        }
        return message
    }

    /// The token of a side of a meeting.
    fileprivate func meetingToken() throws -> SyncToken {
        guard let token = try? bearer() else { throw SyncError(.meetingNotFound, "There is no such meeting.") }
        return token
    }
}

extension SyncRequestContext {
    /// The number of a meeting in the path.
    fileprivate func meeting() throws -> Int {
        guard let number = parameters.get("meeting").flatMap({ Int64(strict: $0) }).flatMap({ Int(exactly: $0) })
        else { throw SyncError(.meetingNotFound, "There is no such meeting.") }
        return number
    }

    /// The number of a message in the path.
    fileprivate func message() throws -> Int {
        guard let number = parameters.get("message").flatMap({ Int64(strict: $0) }),
            number < SyncLimits.messagesOfMeeting
        else { throw SyncError(.notFound, "Nothing exists at this address.") }
        return Int(number)
    }
}
