internal import Crypto
internal import WardCBOR
package import WardLog
internal import WardRistretto

/// What a member of a circle does in a meeting with a new device, without a server: messages come in, and messages go out.
///
/// ```swift
/// var meeting = try MemberMeeting(host: "sync.example.org", environment)
/// // Give meeting.offer to the server, and take the number of the meeting.
/// let code = try meeting.code(for: number)      // A person reads it on this screen, and types it on the other one.
/// let answer = try meeting.answer(share)        // Message 1 came, and message 2 goes.
/// let request = try meeting.request(message)    // Message 3 came: a person compares the words.
/// let last = try meeting.accept(vault, reply)   // Message 4 goes.
/// ```
///
/// Each call is made once and in this order. Whatever is wrong ends the meeting: a code is for one guess.
/// `Documentation/formats/sync.md`, "Pairing over a server".
package struct MemberMeeting: Sendable {
    private enum State: Sendable {
        case offered
        case waiting(PairingCode)
        case answered(CPaceKey, MeetingParty, session: [UInt8])
        case asked(MeetingChannel)
        case over
    }

    /// Message 0, which the server keeps for the new device.
    package let offer: [UInt8]
    private let host: String
    private let nonce: [UInt8]
    private let keys: HPKEKeyPair
    private var state = State.offered

    /// Begins a meeting.
    ///
    /// - Parameters:
    ///   - host: The server as devices reach it, with the port unless it is 443.
    ///   - environment: Randomness.
    /// - Throws: ``VaultError`` with `unavailable`.
    package init(host: String, _ environment: VaultEnvironment) throws(VaultError) {
        self.host = host
        nonce = try environment.random(MeetingMessage.nonceLength)
        var seed = try environment.random(CircleSuite.seedLength)
        keys = try HPKEKeyPair(.x25519, wiping: &seed)
        offer = MeetingMessage.offer(nonce: nonce).encoded
    }

    /// Draws the code for the number that the server gave.
    ///
    /// - Throws: ``PairingFault`` with `malformed` for a number that is none; ``VaultError`` with `unavailable`.
    package mutating func code(for meeting: Int, _ environment: VaultEnvironment) throws -> PairingCode {
        guard case .offered = take() else { throw PairingFault(.malformed) }
        let code = try PairingCode(meeting: meeting, environment)
        state = .waiting(code)
        return code
    }

    /// Takes message 1, and makes message 2.
    ///
    /// - Throws: ``PairingFault``.
    package mutating func answer(_ message: [UInt8]) throws(PairingFault) -> [UInt8] {
        guard case .waiting(let code) = take() else { throw PairingFault(.malformed) }
        guard case .share(let theirs, let share, let associatedData) = try Self.read(message) else {
            throw PairingFault(.malformed)
        }
        let other = try MeetingParty(associatedData, as: .newDevice)
        let place = MeetingPlace(host: host, meeting: code.meeting, session: nonce + theirs)
        let own = MeetingParty(.member, publicKey: keys.publicKey).encoded
        do {
            let party = try CPace(.responder, place.inputs(code), associatedData: own)
            let key = try party.finish(share: share, associatedData: associatedData)
            state = .answered(key, other, session: place.session)
            return MeetingMessage.answer(share: party.share, associatedData: own, tag: key.tag).encoded
        } catch {
            throw PairingFault(.malformed)
        }
    }

    /// Takes message 3: the request of the new device, of which a person compares the words.
    ///
    /// - Throws: ``PairingFault``, with `codesDiffer` if the new device has another code.
    package mutating func request(_ message: [UInt8]) throws(PairingFault) -> PairingRequest {
        guard case .answered(let key, let other, let session) = take() else { throw PairingFault(.malformed) }
        guard case .request(let tag, let encapsulation, let ciphertext) = try Self.read(message) else {
            throw PairingFault(.malformed)
        }
        guard key.isConfirmed(by: tag) else { throw PairingFault(.codesDiffer) }
        let channel = MeetingChannel(keys, other, key, session: session)
        let plaintext = try channel.open(ciphertext, encapsulation, of: .newDevice)
        let rules = CBORRules(maximumDepth: 4, maximumItems: 64, maximumLength: MeetingMessage.maximumLength)
        guard let bytes = (try? CBORValue.decode(plaintext, rules: rules))?[1]?.bytesValue,
            Array(SHA256.hash(data: bytes)) == other.requestHash
        else { throw PairingFault(.malformed) }
        do {
            let request = try PairingRequest(encoded: bytes)
            state = .asked(channel)
            return request
        } catch {
            throw PairingFault(error.code == .unknownVersion ? .unknownVersion : .malformed)
        }
    }

    /// Makes message 4: the person added the device.
    ///
    /// - Parameters:
    ///   - vault: The vault.
    ///   - reply: The bytes of ``Vault/admit(_:_:)``.
    /// - Returns: The message.
    /// - Throws: ``PairingFault``.
    package mutating func accept(_ vault: VaultID, _ reply: [UInt8]) throws(PairingFault) -> [UInt8] {
        try last([1: .bytes(vault.bytes), 2: .bytes(reply)])
    }

    /// Makes message 4: the person refused the device.
    ///
    /// - Throws: ``PairingFault``.
    package mutating func refuse() throws(PairingFault) -> [UInt8] { try last([3: 1]) }

    private mutating func last(_ plaintext: CBORValue) throws(PairingFault) -> [UInt8] {
        guard case .asked(let channel) = take() else { throw PairingFault(.malformed) }
        let sealed = try channel.seal(plaintext.encoded(), as: .member)
        return MeetingMessage.reply(encapsulation: sealed.encapsulation, ciphertext: sealed.ciphertext).encoded
    }

    /// The state; without another one, the meeting is over.
    private mutating func take() -> State {
        defer { state = .over }
        return state
    }

    /// Reads a message of the other device.
    static func read(_ message: [UInt8]) throws(PairingFault) -> MeetingMessage {
        switch try MeetingMessage(message) {
        case .end(.codesDiffer): throw PairingFault(.codesDiffer)
        case .end(.gaveUp): throw PairingFault(.ended)
        case let message: return message
        }
    }
}
