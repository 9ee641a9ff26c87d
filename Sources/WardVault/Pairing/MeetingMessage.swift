internal import WardCBOR

/// What two devices send each other at a server: `["ward", 1, kind, …]`.
///
/// `Documentation/formats/sync.md`, "Pairing over a server".
enum MeetingMessage: Hashable, Sendable {
    /// Message 0 of the member: random bytes.
    case offer(nonce: [UInt8])
    /// Message 1 of the new device: random bytes, its share of CPace, and what it says beside it.
    case share(nonce: [UInt8], share: [UInt8], associatedData: [UInt8])
    /// Message 2 of the member: the same, and the tag that confirms the key.
    case answer(share: [UInt8], associatedData: [UInt8], tag: [UInt8])
    /// Message 3 of the new device: its tag, and the request, encrypted.
    case request(tag: [UInt8], encapsulation: [UInt8], ciphertext: [UInt8])
    /// Message 4 of the member: the vault and the reply, or a refusal, encrypted.
    case reply(encapsulation: [UInt8], ciphertext: [UInt8])
    /// In place of any message: the device gives up.
    case end(Ending)

    /// Why a device gives up; anybody in between can write it too.
    enum Ending: UInt64, Sendable {
        case codesDiffer = 1
        case gaveUp = 2
    }

    static let version: UInt64 = 1
    /// The length of the random bytes of each side.
    static let nonceLength = 16
    /// The longest message: a reply, and what encrypts it.
    static let maximumLength = 20_480
    private static let rules = CBORRules(maximumDepth: 8, maximumItems: 64, maximumLength: maximumLength)

    private var kind: String {
        switch self {
        case .offer: "meeting-offer"
        case .share: "meeting-share"
        case .answer: "meeting-answer"
        case .request: "meeting-request"
        case .reply: "meeting-reply"
        case .end: "meeting-end"
        }
    }

    /// The message in canonical form.
    var encoded: [UInt8] {
        let rest: [CBORValue] =
            switch self {
            case .offer(let nonce): [.bytes(nonce)]
            case .share(let nonce, let share, let associatedData):
                [.bytes(nonce), .bytes(share), .bytes(associatedData)]
            case .answer(let share, let associatedData, let tag): [.bytes(share), .bytes(associatedData), .bytes(tag)]
            case .request(let tag, let encapsulation, let ciphertext):
                [.bytes(tag), .bytes(encapsulation), .bytes(ciphertext)]
            case .reply(let encapsulation, let ciphertext): [.bytes(encapsulation), .bytes(ciphertext)]
            case .end(let ending): [.unsigned(ending.rawValue)]
            }
        return CBORValue.array(["ward", .unsigned(Self.version), .text(kind)] + rest).encoded()
    }

    /// Reads a whole message.
    ///
    /// - Throws: ``PairingFault`` with `malformed`, or with `unknownVersion` for a later version.
    init(_ encoded: [UInt8]) throws(PairingFault) {
        guard encoded.count <= Self.maximumLength,
            let values = try? CBORValue.decode(encoded, rules: Self.rules).arrayValue, values.count >= 3,
            values[0] == "ward", case .unsigned(let version) = values[1], let kind = values[2].textValue
        else { throw PairingFault(.malformed) }
        guard version <= Self.version else { throw PairingFault(.unknownVersion) }
        let parts = values[3...].map(\.bytesValue)
        switch (kind, parts.count, version) {
        case ("meeting-offer", 1, 1):
            self = .offer(nonce: try Self.bytes(parts[0], Self.nonceLength))
        case ("meeting-share", 3, 1):
            self = .share(
                nonce: try Self.bytes(parts[0], Self.nonceLength),
                share: try Self.bytes(parts[1], nil),
                associatedData: try Self.bytes(parts[2], nil)
            )
        case ("meeting-answer", 3, 1):
            self = .answer(
                share: try Self.bytes(parts[0], nil),
                associatedData: try Self.bytes(parts[1], nil),
                tag: try Self.bytes(parts[2], nil)
            )
        case ("meeting-request", 3, 1):
            self = .request(
                tag: try Self.bytes(parts[0], nil),
                encapsulation: try Self.bytes(parts[1], nil),
                ciphertext: try Self.bytes(parts[2], nil)
            )
        case ("meeting-reply", 2, 1):
            self = .reply(encapsulation: try Self.bytes(parts[0], nil), ciphertext: try Self.bytes(parts[1], nil))
        case ("meeting-end", 1, 1):
            guard case .unsigned(let number) = values[3], let ending = Ending(rawValue: number) else {
                throw PairingFault(.malformed)
            }
            self = .end(ending)
        default: throw PairingFault(.malformed)
        }
    }

    private static func bytes(_ value: [UInt8]?, _ length: Int?) throws(PairingFault) -> [UInt8] {
        guard let value, length == nil || value.count == length else { throw PairingFault(.malformed) }
        return value
    }
}
