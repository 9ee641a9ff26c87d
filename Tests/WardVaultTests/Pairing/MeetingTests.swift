import Crypto
import Testing
import WardCBOR
import WardLog
import WardRistretto
import WardTesting
import WardWebAuthn

@testable import WardVault

/// A member and a new device that meet at a server.
struct MeetingFixture {
    static let host = "sync.example.org"

    let pairing: PairingFixture
    var member: MemberMeeting
    var device: NewDeviceMeeting
    let code: PairingCode

    /// - Parameter seed: What the random bytes depend on.
    init(
        typed: ((PairingCode) -> PairingCode?)? = nil,
        host: String = Self.host,
        seed: String = "meeting"
    ) throws {
        pairing = try PairingFixture()
        let environment = VaultEnvironment(effects: TestEffects(seed: seed).effects)
        member = try MemberMeeting(host: Self.host, environment)
        code = try member.code(for: 417, environment)
        let given = if let typed { typed(code) } else { PairingCode(given: code.text) }
        guard let given else { throw PairingFault(.malformed) }
        device = try NewDeviceMeeting(given, pairing.pending, host: host, environment)
    }

    /// Another new device with the same code.
    func otherDevice() throws -> NewDeviceMeeting {
        try NewDeviceMeeting(code, pairing.otherDevice(), host: Self.host, pairing.environment)
    }
}

/// Where a message of a meeting goes.
enum MeetingStep: CaseIterable, Sendable { case offer, share, answer, request, reply }

extension MeetingFixture {
    /// A whole meeting, with somebody in between.
    ///
    /// - Returns: What the member showed, and what the new device got.
    mutating func run(
        _ between: (MeetingStep, [UInt8]) throws -> [UInt8] = { $1 }
    ) throws -> (request: PairingRequest, reply: PairingReply) {
        let share = try device.share(between(.offer, member.offer))
        let answer = try member.answer(between(.share, share))
        let asked = try device.request(between(.answer, answer))
        let request = try member.request(between(.request, asked))
        let reply = try member.accept(pairing.vault, pairing.sealed())
        return (request, try device.reply(between(.reply, reply)))
    }
}

@Suite struct `A meeting` {
    @Test func `brings the request to the member and the reply to the new device`() throws {
        var fixture = try MeetingFixture()
        let (request, reply) = try fixture.run()
        #expect(request == fixture.pairing.request && request.words == fixture.pairing.request.words)
        #expect(reply.vault == fixture.pairing.vault)
        try reply.check(with: fixture.pairing.unlock(), for: request)
    }

    @Test func `shows the server nothing but keys and random bytes`() throws {
        var fixture = try MeetingFixture()
        var seen: [UInt8] = []
        _ = try fixture.run { _, message in
            seen += message
            return message
        }
        for secret in [
            Array("Laptop".utf8), Array("Debian".utf8), fixture.code.secret, fixture.pairing.vault.bytes,
            fixture.pairing.request.device.publicKey, fixture.pairing.secretKey.bytes.copy,
        ] {
            #expect(!seen.contains(secret))
        }
    }

    @Test func `fits into what a server takes, also with the longest reply`() throws {
        var fixture = try MeetingFixture()
        var lengths: [Int] = []
        let share = try fixture.device.share(fixture.member.offer)
        let answer = try fixture.member.answer(share)
        let asked = try fixture.device.request(answer)
        _ = try fixture.member.request(asked)
        let long = [UInt8](repeating: 1, count: PairingReply.maximumLength)
        let last = try fixture.member.accept(fixture.pairing.vault, long)
        lengths = [fixture.member.offer, share, answer, asked, last].map(\.count)
        #expect(lengths.allSatisfy { $0 <= MeetingMessage.maximumLength })
        // With the longest request all together are still less than a server keeps of a meeting.
        #expect(lengths.reduce(0, +) + PairingRequest.maximumLength - fixture.pairing.request.encoded.count < 32_768)
    }

    @Test func `ends for the new device if the person refuses it`() throws {
        var fixture = try MeetingFixture()
        let share = try fixture.device.share(fixture.member.offer)
        let asked = try fixture.device.request(fixture.member.answer(share))
        _ = try fixture.member.request(asked)
        let refusal = try fixture.member.refuse()
        #expect(throws: PairingFault(.refused)) { try fixture.device.reply(refusal) }
    }

    @Test func `cannot be refused by the server`() throws {
        var fixture = try MeetingFixture()
        let asked = try fixture.device.request(fixture.member.answer(fixture.device.share(fixture.member.offer)))
        _ = try fixture.member.request(asked)
        let forged = MeetingMessage.reply(encapsulation: [UInt8](repeating: 9, count: 32), ciphertext: [1, 2, 3])
        #expect(throws: PairingFault(.codesDiffer)) { try fixture.device.reply(forged.encoded) }
    }

    @Test func `ends when the other device gives up`() throws {
        for (message, code) in [
            (PairingFault.givingUp, PairingFault.Code.ended),
            (PairingFault(.codesDiffer).farewell, .codesDiffer), (PairingFault(.malformed).farewell, .ended),
        ] {
            var fixture = try MeetingFixture()
            let farewell = try #require(message)
            #expect(throws: PairingFault(code)) { try fixture.member.answer(farewell) }
            #expect(throws: PairingFault(code)) { try fixture.device.share(farewell) }
        }
        #expect(PairingFault(.refused).farewell == nil && PairingFault(.ended).farewell == nil)
    }
}

// MARK: Somebody in between

@Suite struct `Somebody in between` {
    @Test func `who changes one byte of any message is found`() throws {
        for step in MeetingStep.allCases {
            var length = 0
            var fixture = try MeetingFixture()
            _ = try fixture.run { place, message in
                if place == step { length = message.count }
                return message
            }
            // Some bytes of each message.
            for place in stride(from: 0, to: length, by: max(1, length / 10)) {
                var fixture = try MeetingFixture()
                #expect(throws: (any Error).self, "\(step) \(place)") {
                    try fixture.run { at, message in
                        guard at == step else { return message }
                        var changed = message
                        changed[place] ^= 1
                        return changed
                    }
                }
            }
        }
    }

    @Test(arguments: MeetingStep.allCases)
    func `who cuts a message, or adds to it, is found`(step: MeetingStep) throws {
        for change in [{ Array($0.dropLast()) }, { $0 + [0] }, { _ in [] }] as [([UInt8]) -> [UInt8]] {
            var fixture = try MeetingFixture()
            #expect(throws: PairingFault(.malformed)) {
                try fixture.run { at, message in at == step ? change(message) : message }
            }
        }
    }

    @Test func `who replaces a key is found before anything is shown`() throws {
        for (step, place) in [(MeetingStep.share, 5), (.answer, 4)] {
            var fixture = try MeetingFixture()
            let other = try HPKEKeyPair(.x25519, wiping: &Self.seed)
            #expect(throws: PairingFault(.codesDiffer)) {
                try fixture.run { at, message in
                    guard at == step else { return message }
                    let role = step == .share ? MeetingParty.Role.newDevice : .member
                    let hash = [UInt8](repeating: 1, count: role == .newDevice ? 32 : 0)
                    let party = MeetingParty(role, publicKey: other.publicKey, requestHash: hash)
                    return try message.replacing(place, with: .bytes(party.encoded))
                }
            }
        }
    }

    private static var seed: [UInt8] {
        get { [UInt8](repeating: 7, count: 32) }
        set {}
    }

    @Test func `has one guess, and both sides see that it was wrong`() throws {
        // In front of the new device, as a member with another code.
        var fixture = try MeetingFixture()
        var liar = try MemberMeeting(host: MeetingFixture.host, fixture.pairing.environment)
        _ = try liar.code(for: 417, fixture.pairing.environment)
        let answer = try liar.answer(fixture.device.share(liar.offer))
        #expect(throws: PairingFault(.codesDiffer)) { try fixture.device.request(answer) }
        // The new device sent no tag, and nothing goes on.
        #expect(throws: PairingFault(.malformed)) { try fixture.device.request(answer) }
        #expect(throws: PairingFault(.malformed)) { try fixture.device.share(liar.offer) }

        // In front of the member, as a new device with another code.
        let wrong = try #require(PairingCode(given: Self.neighbour(fixture.code)))
        var thief = try NewDeviceMeeting(
            wrong,
            fixture.pairing.otherDevice(),
            host: MeetingFixture.host,
            fixture.pairing.environment
        )
        let reply = try fixture.member.answer(thief.share(fixture.member.offer))
        #expect(throws: PairingFault(.codesDiffer)) { try thief.request(reply) }
        let guess = MeetingMessage.request(
            tag: [UInt8](repeating: 0, count: 64),
            encapsulation: [UInt8](repeating: 9, count: 32),
            ciphertext: [UInt8](repeating: 0, count: 20)
        )
        #expect(throws: PairingFault(.codesDiffer)) { try fixture.member.request(guess.encoded) }
        // There is no second guess.
        var again = try fixture.otherDevice()
        let share = try again.share(fixture.member.offer)
        #expect(throws: PairingFault(.malformed)) { try fixture.member.answer(share) }
    }

    /// The code with another last digit.
    static func neighbour(_ code: PairingCode) -> String {
        let last = code.text.last == "7" ? "8" : "7"
        return String(code.text.dropLast()) + last
    }

    @Test func `cannot send a device's own messages back to it`() throws {
        var fixture = try MeetingFixture()
        let share = try fixture.device.share(fixture.member.offer)
        guard case .share(_, let point, let data) = try MeetingMessage(share) else {
            Issue.record("no share")
            return
        }
        let echo = MeetingMessage.answer(share: point, associatedData: data, tag: [UInt8](repeating: 0, count: 64))
        #expect(throws: PairingFault(.malformed)) { try fixture.device.request(echo.encoded) }

        // The same with the role of the other device, so that only the share is an echo.
        var second = try MeetingFixture()
        guard case .share(_, let own, _) = try MeetingMessage(second.device.share(second.member.offer)) else { return }
        let party = MeetingParty(.member, publicKey: [UInt8](repeating: 9, count: 32))
        let mirror = MeetingMessage.answer(
            share: own,
            associatedData: party.encoded,
            tag: [UInt8](repeating: 0, count: 64)
        )
        #expect(throws: PairingFault(.malformed)) { try second.device.request(mirror.encoded) }
    }

    @Test func `cannot use messages of an earlier meeting`() throws {
        for step in MeetingStep.allCases where step != .offer {
            var earlier: [UInt8] = []
            var first = try MeetingFixture()
            _ = try first.run { at, message in
                if at == step { earlier = message }
                return message
            }
            // Also if the digits and all random bytes are by chance the same, but those of CPace.
            for seed in ["meeting", "another"] {
                var second = try MeetingFixture(seed: seed)
                #expect(throws: PairingFault.self, "\(step)") {
                    try second.run { at, message in at == step ? earlier : message }
                }
            }
        }
    }

    @Test func `cannot join two meetings, or lead to another server or number`() throws {
        let other = try MeetingFixture(seed: "another")
        var fixture = try MeetingFixture()
        // The offer of another meeting.
        #expect(throws: PairingFault(.codesDiffer)) {
            try fixture.run { at, message in at == .offer ? other.member.offer : message }
        }
        var elsewhere = try MeetingFixture(host: "other.example.org")
        #expect(throws: PairingFault(.codesDiffer)) { try elsewhere.run() }
        var number = try MeetingFixture(typed: { PairingCode(given: "418" + $0.text.dropFirst(3)) })
        #expect(throws: PairingFault(.codesDiffer)) { try number.run() }
    }

    @Test func `who comes second gets nothing from the member`() throws {
        var fixture = try MeetingFixture()
        var second = try fixture.otherDevice()
        let share = try second.share(fixture.member.offer)
        let answer = try fixture.member.answer(fixture.device.share(fixture.member.offer))
        #expect(throws: PairingFault(.codesDiffer)) { try second.request(answer) }
        #expect(throws: PairingFault(.malformed)) { try fixture.member.answer(share) }
    }

    @Test func `who knows the code cannot send another request than the one it began with`() throws {
        var fixture = try MeetingFixture()
        guard case .offer(let nonce) = try MeetingMessage(fixture.member.offer) else {
            Issue.record("no offer")
            return
        }
        let keys = try HPKEKeyPair(.x25519, wiping: &Self.seed)
        let (one, other) = (fixture.pairing.request, try fixture.pairing.otherDevice().request)
        let own = MeetingParty(
            .newDevice,
            publicKey: keys.publicKey,
            requestHash: Array(SHA256.hash(data: one.encoded))
        )
        let place = MeetingPlace(host: MeetingFixture.host, meeting: 417, session: nonce + nonce)
        let party = try CPace(.initiator, place.inputs(fixture.code), associatedData: own.encoded)
        let share = MeetingMessage.share(nonce: nonce, share: party.share, associatedData: own.encoded)
        let answered = try MeetingMessage(fixture.member.answer(share.encoded))
        guard case .answer(let theirs, let data, _) = answered else {
            Issue.record("no answer")
            return
        }
        let key = try party.finish(share: theirs, associatedData: data)
        let channel = MeetingChannel(keys, try MeetingParty(data, as: .member), key, session: place.session)
        let plaintext: CBORValue = [1: .bytes(other.encoded)]
        let sealed = try channel.seal(plaintext.encoded(), as: .newDevice)
        let asked = MeetingMessage.request(
            tag: key.tag,
            encapsulation: sealed.encapsulation,
            ciphertext: sealed.ciphertext
        )
        #expect(throws: PairingFault(.malformed)) { try fixture.member.request(asked.encoded) }
    }
}

// MARK: Codes

@Suite struct `The code of a meeting` {
    @Test func `has the number of the meeting and eight secret digits`() throws {
        let environment = try PairingFixture().environment
        for number in [100, 417, 999, 1_000, 123_456_789] {
            let code = try PairingCode(meeting: number, environment)
            #expect(code.meeting == number && code.secret.count == 8)
            #expect(code.secret.allSatisfy { (0x30...0x39).contains($0) })
            #expect(code.text.hasPrefix("\(number)-") && code.text.count == "\(number)".count + 10)
            let read = try #require(PairingCode(given: code.text))
            #expect(read.secret == code.secret && read.meeting == number)
        }
        for number in [0, 99, -417, 1_000_000_000] {
            #expect(throws: PairingFault(.malformed)) { try PairingCode(meeting: number, environment) }
        }
    }

    @Test func `is read with any spaces and hyphens, and with nothing else`() {
        for text in [
            "417-2290-8415", "41722908415", " 417 2290 8415 ", "4 1 7-2290\u{2011}8415", "417\u{2013}22908415",
        ] {
            #expect(PairingCode(given: text)?.text == "417-2290-8415")
        }
        #expect(PairingCode(given: "1417-2290-8415")?.meeting == 1417)
        for text in [
            "", "417", "2290-8415", "17-2290-8415", "017-2290-8415", "417-2290-841", "417-2290-841x",
            "417.2290.8415", "٤١٧-2290-8415", "1234567890-2290-8415", String(repeating: "1", count: 10_000),
        ] {
            #expect(PairingCode(given: text) == nil, "\(text.prefix(20))")
        }
    }

    @Test func `is as likely as any other one`() throws {
        // What would make small numbers more likely is drawn again: 4,200,000,000 and more.
        func drawn(_ draws: [UInt32]) throws -> String {
            let queue = Draws(draws)
            let effects = TestEffects().effects
            var environment = VaultEnvironment(effects: effects)
            environment.effects.randomBytes = { _ in queue.next() }
            return try PairingCode(meeting: 100, environment).text
        }
        #expect(try drawn([0]) == "100-0000-0000" && drawn([99_999_999]) == "100-9999-9999")
        #expect(try drawn([100_000_001]) == "100-0000-0001" && drawn([4_199_999_999]) == "100-9999-9999")
        #expect(try drawn([4_200_000_000, .max, 7]) == "100-0000-0007")
    }

    @Test func `is shown by nothing but its text`() throws {
        let code = try #require(PairingCode(given: "417-2290-8415"))
        var text = "\(code) \(String(reflecting: code))"
        dump(code, to: &text)
        #expect(!text.contains("2290") && !text.contains("417"))
    }
}

/// Numbers that a test draws.
private final class Draws: @unchecked Sendable {
    // One test uses it, on one thread.
    private var rest: [UInt32]

    init(_ draws: [UInt32]) { rest = draws }

    func next() -> [UInt8] {
        let number = rest.isEmpty ? 0 : rest.removeFirst()
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    }
}
