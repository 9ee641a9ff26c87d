internal import WardAgentClient
internal import WardSync
internal import WardVault

/// The meetings of this agent at sync servers: at most one as a member, and one as a new device.
///
/// They are in memory, as they are at the server. Each call goes on with a meeting as far as it gets without the person; nothing
/// runs between the calls. A meeting that fails is over, because a code is for one guess.
actor Meetings {
    /// A meeting of the vault's device with a new one.
    struct Member: Sendable {
        let server: MeetingServer
        let place: MeetingServer.Place
        let vault: Vault
        var meeting: MemberMeeting
        var mail = Mail(next: 1)
        /// The request of the new device, once it has shown that it has the code.
        var request: PairingRequest?

        /// Whether somebody has got the answer to a code, and has not shown yet that the code was right.
        var isGuessed: Bool { mail.next == 3 && request == nil }
    }

    /// A meeting of this new device with a member.
    struct NewDevice: Sendable {
        let server: MeetingServer
        let place: MeetingServer.Place
        let address: ServerAddress
        let pending: PendingDevice
        var meeting: NewDeviceMeeting
        /// Keeps the keys of this device, before the member gets its request.
        let keep: @Sendable () throws -> Void
        var mail = Mail(next: 2)
        /// Whether the member has the same code, and gets the request.
        var hasAsked = false
        /// What the member said.
        var reply: PairingReply?
    }

    /// The messages of one side.
    struct Mail: Sendable {
        /// The number of the message that the other device writes next.
        var next: Int
        /// A message that the server may not have yet.
        var unsent: (message: [UInt8], number: Int)?
        /// How many seconds are left, as the server said last.
        var seconds: Int64 = 0
        /// How many devices were refused.
        var refused: Int64 = 0

        init(next: Int) { self.next = next }

        /// Sends what is unsent, and reads the next message.
        ///
        /// - Parameters:
        ///   - server: The server.
        ///   - place: The place of this device.
        ///   - wait: How many seconds the server waits for it.
        /// - Returns: The message, or `nil` if it is not there yet, or if the server cannot be reached now.
        /// - Throws: `MeetingError`, `ServerError` or `CancellationError`.
        mutating func exchange(
            _ server: MeetingServer,
            _ place: MeetingServer.Place,
            wait: Int
        ) async throws -> [UInt8]? {
            do {
                if let unsent {
                    try await server.write(unsent.message, as: unsent.number, at: place)
                    self.unsent = nil
                }
                let news = try await server.read(next, at: place, wait: wait)
                (seconds, refused) = (news.seconds, news.refused)
                return news.message
            } catch let error as ServerError where Self.passes(error) {
                return nil
            }
        }

        private static func passes(_ error: ServerError) -> Bool {
            [.unreachable, .tooSlow, .busy, .unavailable, .tooManyRequests].contains(error.code)
        }
    }

    /// How many seconds one call waits for the other device.
    private static let wait = 3
    /// How many wrong codes in a row are accepted, and for how long no code is made after that.
    private static let tries = 3
    private static let pause = Duration.seconds(900)

    private let now: @Sendable () -> ContinuousClock.Instant
    private var member: Member?
    private var newDevice: NewDevice?
    /// Whether a call goes on with the meeting.
    private var isBusy = false
    private var failures = 0
    private var lastFailure: ContinuousClock.Instant?

    /// - Parameter now: The clock that never jumps: somebody may set the other one.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    // MARK: The member

    /// Refuses another code after wrong ones.
    ///
    /// - Throws: `AgentError` with `too_many_attempts`.
    func checkTries() throws(AgentError) {
        guard failures >= Self.tries, let lastFailure else { return }
        let left = Self.pause - lastFailure.duration(to: now())
        guard left > .zero else { return }
        let minutes = max(1, (left.components.seconds + 59) / 60)
        throw AgentError(
            .tooManyAttempts,
            "\(failures) codes in a row did not match. Somebody may be trying. Wait \(minutes) minutes"
        )
    }

    /// Takes a meeting that the server has begun, and ends an earlier one.
    func begin(_ new: Member) async {
        let earlier = member
        member = new
        if let earlier, earlier.isGuessed { countFailure() }
        if let earlier { await Self.leave(earlier.server, earlier.place, earlier.mail, PairingFault.givingUp) }
    }

    /// Goes on with the meeting.
    ///
    /// - Throws: `AgentError`; then the meeting is over, unless the code is `busy`.
    func memberStatus() async throws -> (request: PairingRequest?, seconds: Int64, refused: Int64) {
        var run = try takeMember()
        defer { isBusy = false }
        do {
            if run.request == nil, let message = try await run.mail.exchange(run.server, run.place, wait: Self.wait) {
                if run.mail.next == 1 {
                    run.mail.unsent = (try run.meeting.answer(message), 2)
                    run.mail.next = 3
                    // The new device waits for it.
                    _ = try await run.mail.exchange(run.server, run.place, wait: 0)
                } else {
                    run.request = try run.meeting.request(message)
                    failures = 0
                }
            }
            put(run)
            return (run.request, run.mail.seconds, run.mail.refused)
        } catch let fault as PairingFault {
            let isGuessed = run.isGuessed
            if isGuessed || fault.code == .codesDiffer { countFailure() }
            await Self.leave(run.server, run.place, run.mail, fault.farewell)
            throw isGuessed && fault.code != .codesDiffer ? Self.unproven(fault.code.name) : AgentError(fault)
        } catch let error as MeetingError {
            if run.isGuessed {
                countFailure()
                throw Self.unproven(error.code.name)
            }
            throw AgentError(error.whileMeeting)
        } catch is CancellationError {
            put(run)
            throw CancellationError()
        } catch {
            // The server may itself be what came, and answers like this to go without being counted.
            if run.isGuessed { countFailure() }
            await Self.leave(run.server, run.place, run.mail, PairingFault.givingUp)
            throw run.isGuessed ? Self.unproven(AgentError(reporting: error).code.rawValue) : error
        }
    }

    private func countFailure() { (failures, lastFailure) = (failures + 1, now()) }

    /// Whoever came has learned from the answer whether its code is right, and went without showing that.
    private static func unproven(_ code: String) -> AgentError {
        AgentError(
            .init(rawValue: code),
            "A device came with this number, and went without showing that it has the code. If that was not yours, somebody tries "
                + "codes. Make a new one: ward devices add"
        )
    }

    /// Adds the device that came.
    ///
    /// - Parameters:
    ///   - request: The ID of the request that the person saw.
    ///   - admit: Writes the addition, and returns the reply. If it throws, the device was not added.
    /// - Returns: The request and the vault that the device was added to.
    /// - Throws: What `admit` throws; then the meeting goes on, and the person can try again. `AgentError` that says that the device
    ///   was added, if it cannot be told; then the meeting is over.
    func accept(
        _ request: [UInt8],
        _ admit: @Sendable (PairingRequest, Vault) async throws -> [UInt8]
    ) async throws -> (PairingRequest, Vault) {
        var run = try takeMember()
        defer { isBusy = false }
        guard let found = run.request, found.id == request else {
            put(run)
            throw AgentError(.itemMissing, "No new device has come with the code. Make a code: ward devices add")
        }
        let reply: [UInt8]
        do { reply = try await admit(found, run.vault) } catch {
            put(run)
            throw error
        }
        do {
            run.mail.unsent = (try run.meeting.accept(run.vault.id, reply), 4)
            try await Self.send(&run.mail, run.server, run.place)
            return (found, run.vault)
        } catch {
            throw AgentError(
                AgentError(reporting: error).code,
                "The device was added, but it did not get the answer. Make another code for it: ward devices add"
            )
        }
    }

    /// Ends the meeting; a device that came is refused.
    func endMember() async {
        guard !isBusy, var run = member else { return }
        member = nil
        if run.isGuessed { countFailure() }
        let last = run.request == nil ? nil : try? run.meeting.refuse()
        await Self.leave(run.server, run.place, run.mail, last ?? PairingFault.givingUp)
    }

    private func takeMember() throws(AgentError) -> Member {
        guard !isBusy else { throw Self.isTaken }
        guard let run = member else {
            throw AgentError(.itemMissing, "There is no code, or it has run out. Make one: ward devices add")
        }
        (member, isBusy) = (nil, true)
        return run
    }

    // MARK: The new device

    /// Takes a meeting to which this device has come.
    func begin(_ new: NewDevice) async {
        let earlier = newDevice
        newDevice = new
        if let earlier { await Self.leave(earlier.server, earlier.place, earlier.mail, PairingFault.givingUp) }
    }

    /// Goes on with the meeting.
    ///
    /// - Throws: `AgentError`; then the meeting is over, unless the code is `busy`.
    func newDeviceStatus() async throws -> (hasAsked: Bool, isAnswered: Bool, seconds: Int64) {
        var run = try takeNewDevice()
        defer { isBusy = false }
        do {
            if run.reply == nil, let message = try await run.mail.exchange(run.server, run.place, wait: Self.wait) {
                if run.mail.next == 2 {
                    let request = try run.meeting.request(message)
                    do { try run.keep() } catch {
                        await Self.leave(run.server, run.place, run.mail, PairingFault.givingUp)
                        throw error
                    }
                    run.mail.unsent = (request, 3)
                    (run.mail.next, run.hasAsked) = (4, true)
                    // The person waits for it at the other device.
                    _ = try await run.mail.exchange(run.server, run.place, wait: 0)
                } else {
                    run.reply = try run.meeting.reply(message)
                    await run.server.end(run.place)
                }
            }
            put(run)
            return (run.hasAsked, run.reply != nil, run.mail.seconds)
        } catch let fault as PairingFault {
            await Self.leave(run.server, run.place, run.mail, fault.farewell)
            throw AgentError(fault)
        } catch let error as MeetingError {
            throw AgentError(error.whileMeeting)
        } catch is CancellationError {
            put(run)
            throw CancellationError()
        }
    }

    /// Runs a closure with what the member said, and forgets it if the closure succeeds.
    ///
    /// - Throws: `AgentError` with `not_answered`; what the closure throws.
    func finish<T: Sendable>(
        _ body: @Sendable (PairingReply, PendingDevice, ServerAddress) async throws -> T
    ) async throws -> T {
        let run = try takeNewDevice()
        defer { isBusy = false }
        put(run)
        guard let reply = run.reply else {
            throw AgentError(
                .init(rawValue: "not_answered"),
                "The other device has not answered yet. Say yes there first"
            )
        }
        let value = try await body(reply, run.pending, run.address)
        newDevice = nil
        return value
    }

    /// Leaves the meeting.
    ///
    /// - Returns: Whether the member had added this device.
    func leaveNewDevice() async -> Bool {
        guard !isBusy, let run = newDevice else { return false }
        newDevice = nil
        await Self.leave(run.server, run.place, run.mail, PairingFault.givingUp)
        return run.reply != nil
    }

    private func takeNewDevice() throws(AgentError) -> NewDevice {
        guard !isBusy else { throw Self.isTaken }
        guard let run = newDevice else {
            throw AgentError(.itemMissing, "This device is in no meeting. Type a code: ward join ADDRESS")
        }
        (newDevice, isBusy) = (nil, true)
        return run
    }

    // MARK: Parts

    /// Keeps a meeting that goes on, unless another one has begun.
    private func put(_ run: Member) {
        if member != nil, run.isGuessed { countFailure() }
        member = member ?? run
    }

    private func put(_ run: NewDevice) { newDevice = newDevice ?? run }

    private static let isTaken = AgentError(.busy, "Another command goes on with the meeting. Try again")

    /// Says to the other device that the meeting is over, and ends it.
    private static func leave(
        _ server: MeetingServer,
        _ place: MeetingServer.Place,
        _ mail: Mail,
        _ farewell: [UInt8]?
    ) async {
        if let farewell { try? await server.write(farewell, as: mail.next + 1, at: place) }
        await server.end(place)
    }

    /// Sends the last message, several times if the server cannot be reached.
    private static func send(
        _ mail: inout Mail,
        _ server: MeetingServer,
        _ place: MeetingServer.Place
    ) async throws {
        guard let unsent = mail.unsent else { return }
        for attempt in 0..<3 {
            do {
                try await server.write(unsent.message, as: unsent.number, at: place)
                mail.unsent = nil
                return
            } catch let error as ServerError where attempt < 2 && [.unreachable, .tooSlow, .busy].contains(error.code) {
                try await Task.sleep(for: .seconds(1))
            }
        }
    }
}

extension AgentError {
    init(_ fault: PairingFault) { self.init(.init(rawValue: fault.code.name), fault.detail) }
    init(_ error: MeetingError) { self.init(.init(rawValue: error.code.name), error.detail) }
}
