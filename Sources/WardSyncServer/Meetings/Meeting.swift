import WardLog
import WardSyncRecords

/// A place in memory where a new device and a member of a circle exchange messages.
///
/// The server reads none of them. Whoever is first with the number is the new device, as far as the server knows: the devices find
/// out by the code.
struct Meeting: Sendable {
    /// Who writes the even messages, and who the odd ones.
    enum Side: Int, Sendable {
        case member = 0
        case newDevice = 1
    }

    /// The vault, and the device of it that began the meeting.
    let vault: VaultID
    let subject: SyncSubject
    /// When nobody can use the meeting any more, in seconds since 1970.
    private(set) var end: Int64
    /// The hashes of both tokens; the second one is there when the new device came.
    private var tokens: [Side: TokenHash]
    private var messages: [Int: [UInt8]]
    /// How many came after the new device, and were refused.
    private(set) var refused: Int64 = 0
    /// Whether a side ended the meeting.
    ///
    /// What was written can still be read.
    var isEnded = false

    init(_ session: SyncSession, token: SyncToken, offer: [UInt8], at now: Int64) {
        (vault, subject) = (session.vault, session.subject)
        end = now + SyncLimits.meetingLifetime
        tokens = [.member: token.hash]
        messages = [0: offer]
    }

    /// Whether the time is over, or a side ended the meeting.
    func isOver(at now: Int64) -> Bool { isEnded || now >= end }

    /// The side that has a token.
    ///
    /// The tokens are compared as hashes, so the time of the comparison tells nothing of use.
    func side(_ token: SyncToken) -> Side? { tokens.first { $0.value == token.hash }?.key }

    /// Lets the new device in.
    ///
    /// - Returns: Message 0, or `nil` if a new device came before.
    mutating func join(_ token: SyncToken, at now: Int64) -> [UInt8]? {
        guard tokens[.newDevice] == nil else {
            refused = min(refused + 1, 1_000)
            return nil
        }
        tokens[.newDevice] = token.hash
        // The person has the same time again, for the words and the passphrase.
        end = now + SyncLimits.meetingLifetime
        return messages[0]
    }

    /// The message with a number.
    func message(_ number: Int) -> [UInt8]? { messages[number] }

    /// Keeps a message.
    ///
    /// The same message again is no error: a device may not have got the answer.
    ///
    /// - Throws: ``SyncError``.
    mutating func write(_ message: [UInt8], as number: Int, by side: Side) throws {
        guard number % 2 == side.rawValue else {
            throw SyncError(.messageRefused, "This number is for messages of the other device.")
        }
        if let earlier = messages[number] {
            guard earlier == message else { throw SyncError(.messageRefused, "The message is here already.") }
            return
        }
        guard messages[number - 1] != nil else { throw SyncError(.messageRefused, "The message before is not here.") }
        let length = messages.values.reduce(message.count) { $0 + $1.count }
        guard message.count <= SyncLimits.messageBytes, length <= SyncLimits.meetingBytes else {
            throw SyncError(.bodyTooLarge, "The message is too long, or all messages together are.")
        }
        messages[number] = message
    }
}
