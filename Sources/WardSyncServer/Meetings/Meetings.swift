import Synchronization
import WardSyncRecords
import WardWebAuthn

/// All meetings, in memory: a restart ends them.
///
/// A meeting that is over keeps its number for a while, so that a code that is typed too late does not disturb another one.
final class Meetings: Sendable {
    /// What a device reads.
    struct Found: Sendable {
        /// The message; `nil` if it is not here yet.
        var message: [UInt8]?
        /// How many seconds are left.
        let seconds: Int64
        /// How many came after the new device, and were refused.
        let refused: Int64
    }

    private struct State {
        var meetings: [Int: Meeting] = [:]
        var waiting: [Int: [Meeting.Side: AsyncStream<Void>.Continuation]] = [:]
        var isClosed = false
    }

    private let limit: Int
    private let effects: Effects
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: The maximum number of meetings at the same time.
    ///   - effects: Time and randomness.
    init(limit: Int, _ effects: Effects) {
        self.limit = limit
        self.effects = effects
    }

    /// The number of meetings, and of numbers that are not free yet.
    var count: Int { state.withLock { $0.meetings.count } }

    /// The number of requests that wait.
    var waiting: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Begins a meeting, and ends an earlier one of the device.
    ///
    /// - Returns: Its number.
    /// - Throws: ``SyncError``.
    func begin(by session: SyncSession, token: SyncToken, offer: [UInt8]) throws -> Int {
        let now = effects.now()
        guard offer.count <= SyncLimits.messageBytes else {
            throw SyncError(.bodyTooLarge, "The message is too long.")
        }
        let (number, ended) = try state.withLock { state throws -> (Int, [AsyncStream<Void>.Continuation]) in
            state.meetings = state.meetings.filter { now < $0.value.end + SyncLimits.meetingLifetime }
            let busy = SyncError(.busy, "Too many devices meet now. Try again in a few minutes.", retryAfter: 60)
            guard !state.isClosed, state.meetings.values.count(where: { !$0.isOver(at: now) }) < limit,
                state.meetings.values.count(where: { $0.vault == session.vault })
                    < SyncLimits.meetingsOfVault
            else { throw busy }
            guard let number = freeNumber(state.meetings) else { throw busy }
            var ended: [AsyncStream<Void>.Continuation] = []
            for (other, meeting) in state.meetings
            where meeting.vault == session.vault && meeting.subject == session.subject {
                state.meetings[other]?.isEnded = true
                ended += (state.waiting[other] ?? [:]).values
            }
            state.meetings[number] = Meeting(session, token: token, offer: offer, at: now)
            return (number, ended)
        }
        for continuation in ended { continuation.yield() }
        return number
    }

    /// Lets a new device in, the first one that has the number.
    ///
    /// - Returns: Message 0, and the seconds that are left.
    /// - Throws: ``SyncError``; with `meeting_taken` the member is told.
    func join(_ number: Int, token: SyncToken) throws -> Found {
        let now = effects.now()
        let (found, woken) = try state.withLock { state throws -> (Found?, AsyncStream<Void>.Continuation?) in
            guard var meeting = state.meetings[number] else { throw Self.notFound }
            guard !meeting.isOver(at: now) else { throw Self.over }
            let offer = meeting.join(token, at: now)
            state.meetings[number] = meeting
            let woken = state.waiting[number]?[.member]
            guard let offer else { return (nil, woken) }
            return (Found(message: offer, seconds: meeting.end - now, refused: 0), nil)
        }
        woken?.yield()
        guard let found else {
            throw SyncError(.meetingTaken, "Another device has used this code.")
        }
        return found
    }

    /// Keeps a message of a device.
    ///
    /// - Throws: ``SyncError``.
    func write(_ message: [UInt8], as index: Int, to number: Int, by token: SyncToken) throws {
        let now = effects.now()
        let woken = try state.withLock { state throws -> [AsyncStream<Void>.Continuation] in
            guard var meeting = state.meetings[number], let side = meeting.side(token) else { throw Self.notFound }
            guard !meeting.isOver(at: now) else { throw Self.over }
            try meeting.write(message, as: index, by: side)
            state.meetings[number] = meeting
            return (state.waiting[number] ?? [:]).filter { $0.key != side }.map(\.value)
        }
        for continuation in woken { continuation.yield() }
    }

    /// Reads a message, of any device.
    ///
    /// - Throws: ``SyncError``; with `meeting_over` if there is no such message and none can come.
    func read(_ index: Int, of number: Int, by token: SyncToken) throws -> Found {
        let now = effects.now()
        return try state.withLock { state throws in
            guard let meeting = state.meetings[number], meeting.side(token) != nil else { throw Self.notFound }
            let message = meeting.message(index)
            guard now < meeting.end, message != nil || !meeting.isEnded else { throw Self.over }
            return Found(message: message, seconds: meeting.end - now, refused: meeting.refused)
        }
    }

    /// Ends a meeting for both devices.
    ///
    /// - Throws: ``SyncError``.
    func end(_ number: Int, by token: SyncToken) throws {
        let woken = try state.withLock { state throws -> [AsyncStream<Void>.Continuation] in
            guard state.meetings[number]?.side(token) != nil else { throw Self.notFound }
            state.meetings[number]?.isEnded = true
            return (state.waiting[number] ?? [:]).map(\.value)
        }
        for continuation in woken { continuation.yield() }
    }

    // MARK: Waiting

    /// A request that waits.
    struct Listening: Sendable {
        let number: Int
        let side: Meeting.Side
        /// An element for each time that there may be news.
        let wakes: AsyncStream<Void>
        let continuation: AsyncStream<Void>.Continuation
    }

    /// Begins to wait; an earlier request of the same device ends.
    ///
    /// Every call must be followed by ``leave(_:)``.
    ///
    /// - Throws: ``SyncError``.
    func listen(to number: Int, by token: SyncToken) throws -> Listening {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (side, earlier) = try state.withLock { state throws -> (Meeting.Side, AsyncStream<Void>.Continuation?) in
            guard !state.isClosed, let side = state.meetings[number]?.side(token) else { throw Self.notFound }
            return (side, state.waiting[number, default: [:]].updateValue(continuation, forKey: side))
        }
        earlier?.finish()
        return Listening(number: number, side: side, wakes: stream, continuation: continuation)
    }

    func leave(_ listening: Listening) {
        listening.continuation.finish()
        state.withLock { state in
            // A later request may be in its place.
            guard state.waiting[listening.number]?[listening.side] == listening.continuation else { return }
            state.waiting[listening.number]?[listening.side] = nil
            if state.waiting[listening.number]?.isEmpty == true { state.waiting[listening.number] = nil }
        }
    }

    /// Ends all waiting: the service stops.
    func close() {
        let found = state.withLock { state in
            state.isClosed = true
            return state.waiting.values.flatMap(\.values)
        }
        for continuation in found { continuation.finish() }
    }

    // MARK: Numbers

    /// A number that is not in use, with as few digits as leave three of four numbers free.
    private func freeNumber(_ meetings: [Int: Meeting]) -> Int? {
        var first = 100
        while first <= 1_000_000, meetings.count * 4 > first * 9 { first *= 10 }
        for _ in 0..<256 {
            let drawn = effects.randomBytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let count = UInt32(first * 9)
            // What would make some numbers more likely is drawn again.
            guard drawn < UInt32.max - UInt32.max % count else { continue }
            let number = first + Int(drawn % count)
            if meetings[number] == nil { return number }
        }
        return nil
    }

    private static var notFound: SyncError {
        SyncError(.meetingNotFound, "There is no such meeting.")
    }

    private static var over: SyncError {
        SyncError(.meetingOver, "The meeting is over.")
    }
}
