import HTTPTypes
import Hummingbird
import Testing
import WardCBOR
import WardLog
import WardSyncServer
import WardTesting

/// A device in a meeting, as the server sees it.
struct MeetingClient: Sendable {
    let server: SyncFixture
    let number: Int64
    let token: String

    static let cbor: HTTPFields = [.contentType: "application/cbor"]

    /// A member begins a meeting.
    static func begin(
        _ server: SyncFixture,
        _ vault: VaultID,
        by session: String,
        offer: [UInt8] = [1]
    ) async throws -> MeetingClient {
        let answer = try await tryToBegin(server, vault, by: session, offer: offer)
        guard answer.status == .created, let client = MeetingClient(server, answer) else { throw Trouble(answer) }
        return client
    }

    static func tryToBegin(
        _ server: SyncFixture,
        _ vault: VaultID,
        by session: String,
        offer: [UInt8] = [1]
    ) async throws -> Answer {
        var fields = cbor
        fields[.authorization] = "Bearer \(session)"
        let body: CBORValue = [1: .bytes(offer)]
        return try await server.send(.post, SyncFixture.path(vault, "/rendezvous"), fields, body.encoded())
    }

    private init?(_ server: SyncFixture, _ answer: Answer) {
        guard case .unsigned(let number)? = answer.cbor?[1], let token = answer.cbor?[2]?.textValue else { return nil }
        self.init(server: server, number: Int64(number), token: token)
    }

    init(server: SyncFixture, number: Int64, token: String) {
        self.server = server
        self.number = number
        self.token = token
    }

    /// A new device comes with the number.
    func tryToJoin() async throws -> Answer { try await server.send(.post, "/sync/v1/rendezvous/\(number)") }

    func join() async throws -> MeetingClient {
        let answer = try await tryToJoin()
        guard answer.status == .ok, let token = answer.cbor?[1]?.textValue else { throw Trouble(answer) }
        return MeetingClient(server: server, number: number, token: token)
    }

    private func path(_ rest: String) -> String { "/sync/v1/rendezvous/\(number)\(rest)" }

    func write(_ message: [UInt8], as index: Int) async throws -> Answer {
        var fields = Self.cbor
        fields[.authorization] = "Bearer \(token)"
        let body: CBORValue = [1: .bytes(message)]
        return try await server.send(.post, path("/\(index)"), fields, body.encoded())
    }

    func read(_ index: Int, wait: Int? = nil) async throws -> Answer {
        let query = wait.map { "?wait=\($0)" } ?? ""
        return try await server.send(.get, path("/\(index)\(query)"), [.authorization: "Bearer \(token)"])
    }

    func end() async throws -> Answer {
        try await server.send(.delete, path(""), [.authorization: "Bearer \(token)"])
    }
}

extension Answer {
    fileprivate var message: [UInt8]? { cbor?[1]?.bytesValue }
    fileprivate var seconds: Int64? { cbor?[2]?.integerValue }
    fileprivate var refused: Int64? { cbor?[3]?.integerValue }
}

@Suite struct `Meetings at the server` {
    /// A vault of which a device has a session.
    private func begin(_ server: SyncFixture) async throws -> (vault: VaultID, session: String) {
        let vault = try TestVault()
        return (vault.id, try await server.begin(vault))
    }

    @Test func `pass messages on, each to the other device`() async throws {
        let server = SyncFixture()
        let (vault, session) = try await begin(server)
        let member = try await MeetingClient.begin(server, vault, by: session, offer: [7, 8])
        #expect((100...999).contains(member.number))
        let came = try await member.tryToJoin()
        #expect(came.cbor?[3]?.bytesValue == [7, 8] && came.seconds == 300)
        #expect(came.cbor?[4]?.textValue == SyncFixture.host)
        let device = MeetingClient(server: server, number: member.number, token: came.cbor?[1]?.textValue ?? "")
        for index in 1..<8 {
            let (writer, reader) = index % 2 == 0 ? (member, device) : (device, member)
            #expect(try await reader.read(index).message == nil)
            #expect(try await writer.write([UInt8(index)], as: index).status == .noContent)
            let found = try await reader.read(index)
            #expect(found.message == [UInt8(index)] && found.seconds == 300 && found.refused == 0)
        }
        #expect(try await member.write([8], as: 8).code == "not_found")
        #expect(try await device.read(8).code == "not_found")
    }

    @Test func `need a session to begin, and none to come`() async throws {
        let server = SyncFixture()
        let (vault, session) = try await begin(server)
        let other = try TestVault()
        let stranger = try await server.begin(other)
        for token in ["", "AAAA", stranger] {
            let answer = try await MeetingClient.tryToBegin(server, vault, by: token)
            #expect(answer.code == "session_required")
        }
        let member = try await MeetingClient.begin(server, vault, by: session)
        #expect(try await member.tryToJoin().status == .ok)
    }

    @Test func `let each device write its own messages, in turn, and once`() async throws {
        let server = SyncFixture()
        let (vault, session) = try await begin(server)
        let member = try await MeetingClient.begin(server, vault, by: session)
        let device = try await member.join()
        #expect(try await member.write([1], as: 1).code == "message_refused")
        #expect(try await device.write([2], as: 2).code == "message_refused")
        #expect(try await device.write([3], as: 3).code == "message_refused")
        #expect(try await member.write([9], as: 0).code == "message_refused")
        #expect(try await device.write([1], as: 1).status == .noContent)
        #expect(try await device.write([2], as: 1).code == "message_refused")
        // The same again, because the answer may have been lost.
        #expect(try await device.write([1], as: 1).status == .noContent)
        #expect(try await member.read(1).message == [1])
    }

    @Test func `refuse a second new device, and tell the member`() async throws {
        let server = SyncFixture()
        let (vault, session) = try await begin(server)
        let member = try await MeetingClient.begin(server, vault, by: session)
        let device = try await member.join()
        async let news = member.read(1, wait: 25)
        await server.clock.sleepers(1)
        #expect(try await member.tryToJoin().code == "meeting_taken")
        let told = try await news
        #expect(told.message == nil && told.refused == 1)
        // The first one goes on.
        #expect(try await device.write([1], as: 1).status == .noContent)
        let found = try await member.read(1)
        #expect(found.message == [1] && found.refused == 1)
        #expect(server.server.waitingInMeetings == 0)
    }

    @Test func `show nothing to somebody without a token of theirs`() async throws {
        let server = SyncFixture()
        let (vault, session) = try await begin(server)
        let member = try await MeetingClient.begin(server, vault, by: session)
        let (otherVault, otherSession) = try await begin(server)
        let other = try await MeetingClient.begin(server, otherVault, by: otherSession)
        for token in [session, other.token, "", "AAAA"] {
            let stranger = MeetingClient(server: server, number: member.number, token: token)
            #expect(try await stranger.read(0).code == "meeting_not_found")
            #expect(try await stranger.read(1, wait: 25).code == "meeting_not_found")
            #expect(try await stranger.write([1], as: 1).code == "meeting_not_found")
            #expect(try await stranger.end().code == "meeting_not_found")
        }
        for number in ["0", "99", "0417", "-1", "417x", "99999999999999999999"] {
            let answer = try await server.send(.post, "/sync/v1/rendezvous/\(number)")
            #expect(answer.code == "meeting_not_found")
        }
    }

    @Test func `wait for a message, and no longer than they are asked to`() async throws {
        let server = SyncFixture()
        let (vault, session) = try await begin(server)
        let member = try await MeetingClient.begin(server, vault, by: session)
        async let first = member.read(1, wait: 25)
        await server.clock.sleepers(1)
        let device = try await member.join()
        #expect(try await device.write([5], as: 1).status == .noContent)
        #expect(try await first.message == [5])
        async let second = device.read(2, wait: 10)
        await server.clock.sleepers(1)
        server.clock.advance(by: .seconds(10))
        let nothing = try await second
        #expect(nothing.status == .ok && nothing.message == nil)
        #expect(server.server.waitingInMeetings == 0)
        #expect(try await device.read(2, wait: 26).code == "parameter_not_valid")
    }

    @Test func `are over after five minutes, and five more when the new device came`() async throws {
        let server = SyncFixture()
        let (vault, session) = try await begin(server)
        let late = try await MeetingClient.begin(server, vault, by: session)
        server.world.advance(by: 300)
        #expect(try await late.tryToJoin().code == "meeting_over")
        #expect(try await late.read(1).code == "meeting_over")
        let member = try await MeetingClient.begin(server, vault, by: session)
        server.world.advance(by: 299)
        let device = try await member.join()
        server.world.advance(by: 299)
        #expect(try await device.write([1], as: 1).status == .noContent)
        #expect(try await member.read(1).seconds == 1)
        server.world.advance(by: 1)
        #expect(try await member.read(1).code == "meeting_over")
        #expect(try await device.write([3], as: 3).code == "meeting_over")
        // Another five minutes later the number is free again.
        server.world.advance(by: 300)
        _ = try await MeetingClient.begin(server, vault, by: session)
        #expect(try await member.read(1).code == "meeting_not_found")
    }

    @Test func `end for both when a device ends one, and what was written can be read`() async throws {
        let server = SyncFixture()
        let (vault, session) = try await begin(server)
        let member = try await MeetingClient.begin(server, vault, by: session)
        let device = try await member.join()
        #expect(try await device.write([1], as: 1).status == .noContent)
        async let waiting = device.read(2, wait: 25)
        await server.clock.sleepers(1)
        #expect(try await member.end().status == .noContent)
        #expect(try await waiting.code == "meeting_over")
        #expect(try await member.read(1).message == [1])
        #expect(try await member.write([2], as: 2).code == "meeting_over")
        #expect(try await member.tryToJoin().code == "meeting_over")
    }

    @Test func `are one for each device: the next one ends it`() async throws {
        let server = SyncFixture()
        let (vault, session) = try await begin(server)
        let first = try await MeetingClient.begin(server, vault, by: session)
        let second = try await MeetingClient.begin(server, vault, by: session)
        #expect(first.number != second.number)
        #expect(try await first.tryToJoin().code == "meeting_over")
        #expect(try await second.tryToJoin().status == .ok)
    }
}

@Suite struct `Limits of meetings` {
    private func begin(_ server: SyncFixture) async throws -> (vault: VaultID, session: String) {
        let vault = try TestVault()
        return (vault.id, try await server.begin(vault))
    }

    @Test func `are for the length of a message and of all together`() async throws {
        let server = SyncFixture()
        let (vault, session) = try await begin(server)
        let long = [UInt8](repeating: 1, count: SyncLimits.messageBytes)
        let refused = try await MeetingClient.tryToBegin(server, vault, by: session, offer: long + [1])
        #expect(refused.code == "body_too_large")
        let member = try await MeetingClient.begin(server, vault, by: session, offer: long)
        let device = try await member.join()
        #expect(try await device.write(long, as: 1).code == "body_too_large")
        let rest = [UInt8](repeating: 1, count: SyncLimits.meetingBytes - long.count)
        #expect(try await device.write(rest + [1], as: 1).code == "body_too_large")
        #expect(try await device.write(rest, as: 1).status == .noContent)
        #expect(try await member.write([1], as: 2).code == "body_too_large")
    }

    @Test func `are for what a device makes and an address tries`() async throws {
        let server = SyncFixture(address: { _, _ in "192.0.2.1" })
        let (vault, session) = try await begin(server)
        var numbers: Set<Int64> = []
        for _ in 0..<10 { numbers.insert(try await MeetingClient.begin(server, vault, by: session).number) }
        #expect(numbers.count == 10)
        #expect(try await MeetingClient.tryToBegin(server, vault, by: session).code == "too_many_requests")
        // Whoever tries numbers is slow, whether they exist or not.
        for _ in 0..<10 {
            #expect(try await server.send(.post, "/sync/v1/rendezvous/7").code == "meeting_not_found")
        }
        #expect(try await server.send(.post, "/sync/v1/rendezvous/7").code == "too_many_requests")
        server.world.advance(by: 10)
        #expect(try await server.send(.post, "/sync/v1/rendezvous/7").code == "meeting_not_found")
        #expect(try await MeetingClient.begin(server, vault, by: session).number > 0)
        #expect(try await server.send(.post, "/sync/v1/rendezvous/7").code == "too_many_requests")
    }

    @Test func `are for a vault and for the whole server`() async throws {
        var limits = SyncLimits.standard
        limits.meetings = 2
        limits.codes = Rate(atOnce: 10_000, perSecond: 1)
        let server = SyncFixture(limits: limits)
        let (vault, session) = try await begin(server)
        // Numbers that are over count for the vault, so that it cannot use them up.
        for _ in 0..<SyncLimits.meetingsOfVault { _ = try await MeetingClient.begin(server, vault, by: session) }
        #expect(try await MeetingClient.tryToBegin(server, vault, by: session).code == "busy")
        let (second, other) = try await begin(server)
        _ = try await MeetingClient.begin(server, second, by: other)
        let (third, stranger) = try await begin(server)
        #expect(try await MeetingClient.tryToBegin(server, third, by: stranger).code == "busy")
        server.world.advance(by: 600)
        let (fourth, last) = try await begin(server)
        _ = try await MeetingClient.begin(server, fourth, by: last)
    }

    @Test func `let one request of each device wait`() async throws {
        let server = SyncFixture()
        let (vault, session) = try await begin(server)
        let member = try await MeetingClient.begin(server, vault, by: session)
        async let first = member.read(1, wait: 25)
        await server.clock.sleepers(1)
        async let second = member.read(1, wait: 25)
        #expect(try await first.message == nil)
        let device = try await member.join()
        #expect(try await device.write([1], as: 1).status == .noContent)
        #expect(try await second.message == [1])
        #expect(server.server.waitingInMeetings == 0)
    }

    @Test func `give numbers of more digits when there are many`() async throws {
        var limits = SyncLimits.standard
        limits.codes = Rate(atOnce: 100_000, perSecond: 1)
        let server = SyncFixture(limits: limits)
        var numbers: [Int64] = []
        for _ in 0..<8 {
            let (vault, session) = try await begin(server)
            for _ in 0..<SyncLimits.meetingsOfVault {
                numbers.append(try await MeetingClient.begin(server, vault, by: session).number)
            }
        }
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers.prefix(226).allSatisfy { (100...999).contains($0) })
        #expect(numbers.suffix(20).allSatisfy { (1_000...9_999).contains($0) })
    }

    @Test func `refuse bodies that are no message`() async throws {
        let server = SyncFixture()
        let (vault, session) = try await begin(server)
        let member = try await MeetingClient.begin(server, vault, by: session)
        let device = try await member.join()
        var fields = MeetingClient.cbor
        fields[.authorization] = "Bearer \(device.token)"
        for body in [[], [0xa0], [0xa1, 1, 1], [0x41, 1], [0xff]] as [[UInt8]] {
            let answer = try await server.send(.post, "/sync/v1/rendezvous/\(member.number)/1", fields, body)
            #expect(answer.code == "malformed_request")
        }
        #expect(try await member.read(1).message == nil)
    }
}
