internal import Crypto
internal import WardCBOR
internal import WardLog
internal import WardRistretto

/// What a new device does in a meeting with a member of a circle, without a server: messages come in, and messages go out.
///
/// ```swift
/// var meeting = try NewDeviceMeeting(code, pending, host: "sync.example.org", environment)
/// let share = try meeting.share(offer)       // Message 0 came, and message 1 goes.
/// let request = try meeting.request(answer)  // Message 2 came, and message 3 goes: a person compares the words.
/// let reply = try meeting.reply(message)     // Message 4 came.
/// ```
///
/// Each call is made once and in this order. Whatever is wrong ends the meeting: a code is for one guess.
/// `Documentation/formats/sync.md`, "Pairing over a server".
package struct NewDeviceMeeting: Sendable {
    private enum State: Sendable {
        case ready(PairingCode)
        case shared(CPace, session: [UInt8])
        case asked(MeetingChannel)
        case over
    }

    private let pending: PendingDevice
    private let host: String
    private let nonce: [UInt8]
    private let keys: HPKEKeyPair
    private var state: State

    /// Begins with the code that a person typed.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - pending: The keys of this device, and its request.
    ///   - host: The server as devices reach it, with the port unless it is 443.
    ///   - environment: Randomness.
    /// - Throws: ``VaultError`` with `unavailable`.
    package init(
        _ code: PairingCode,
        _ pending: PendingDevice,
        host: String,
        _ environment: VaultEnvironment
    ) throws(VaultError) {
        self.pending = pending
        self.host = host
        nonce = try environment.random(MeetingMessage.nonceLength)
        var seed = try environment.random(CircleSuite.seedLength)
        keys = try HPKEKeyPair(.x25519, wiping: &seed)
        state = .ready(code)
    }

    /// Takes message 0, and makes message 1.
    ///
    /// - Throws: ``PairingFault``.
    package mutating func share(_ offer: [UInt8]) throws(PairingFault) -> [UInt8] {
        guard case .ready(let code) = take() else { throw PairingFault(.malformed) }
        guard case .offer(let theirs) = try MemberMeeting.read(offer) else { throw PairingFault(.malformed) }
        let place = MeetingPlace(host: host, meeting: code.meeting, session: theirs + nonce)
        do {
            let party = try CPace(.initiator, place.inputs(code), associatedData: own.encoded)
            state = .shared(party, session: place.session)
            return MeetingMessage.share(nonce: nonce, share: party.share, associatedData: own.encoded).encoded
        } catch {
            throw PairingFault(.malformed)
        }
    }

    /// Takes message 2, and makes message 3, which has the request of this device.
    ///
    /// - Throws: ``PairingFault``, with `codesDiffer` if the member has another code.
    package mutating func request(_ message: [UInt8]) throws(PairingFault) -> [UInt8] {
        guard case .shared(let party, let session) = take() else { throw PairingFault(.malformed) }
        guard case .answer(let share, let associatedData, let tag) = try MemberMeeting.read(message) else {
            throw PairingFault(.malformed)
        }
        let other = try MeetingParty(associatedData, as: .member)
        let key: CPaceKey
        do {
            key = try party.finish(share: share, associatedData: associatedData)
        } catch {
            throw PairingFault(.malformed)
        }
        // The own tag goes only to a device that knows the code.
        guard key.isConfirmed(by: tag) else { throw PairingFault(.codesDiffer) }
        let channel = MeetingChannel(keys, other, key, session: session)
        let plaintext: CBORValue = [1: .bytes(pending.request.encoded)]
        let sealed = try channel.seal(plaintext.encoded(), as: .newDevice)
        state = .asked(channel)
        return MeetingMessage.request(
            tag: key.tag,
            encapsulation: sealed.encapsulation,
            ciphertext: sealed.ciphertext
        ).encoded
    }

    /// Takes message 4: what the member says.
    ///
    /// The reply is for ``Vault/join(_:_:_:records:at:environment:)``, which checks it with the passphrase.
    ///
    /// - Throws: ``PairingFault``, with `refused` if the person at the other device refused this one.
    package mutating func reply(_ message: [UInt8]) throws(PairingFault) -> PairingReply {
        guard case .asked(let channel) = take() else { throw PairingFault(.malformed) }
        guard case .reply(let encapsulation, let ciphertext) = try MemberMeeting.read(message) else {
            throw PairingFault(.malformed)
        }
        let plaintext = try channel.open(ciphertext, encapsulation, of: .member)
        let rules = CBORRules(maximumDepth: 4, maximumItems: 64, maximumLength: MeetingMessage.maximumLength)
        guard let map = try? CBORValue.decode(plaintext, rules: rules), map.mapValue != nil else {
            throw PairingFault(.malformed)
        }
        if map[3] != nil { throw PairingFault(.refused) }
        guard let vault = map[1]?.bytesValue.flatMap({ VaultID($0) }), let bytes = map[2]?.bytesValue else {
            throw PairingFault(.malformed)
        }
        do {
            let reply = try PairingReply(bytes, for: pending)
            guard reply.vault == vault else { throw PairingFault(.malformed) }
            return reply
        } catch let error as VaultError {
            throw PairingFault(error.code == .unknownVersion ? .unknownVersion : .malformed)
        } catch {
            throw PairingFault(.malformed)
        }
    }

    /// What this device says of itself in the clear.
    private var own: MeetingParty {
        MeetingParty(
            .newDevice,
            publicKey: keys.publicKey,
            requestHash: Array(SHA256.hash(data: pending.request.encoded))
        )
    }

    /// The state; without another one, the meeting is over.
    private mutating func take() -> State {
        defer { state = .over }
        return state
    }
}
