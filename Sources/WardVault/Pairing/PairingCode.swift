/// The code with which a new device and a member of a circle meet at a server: `417-2290-8415`.
///
/// The last eight digits are secret, and only the two devices know them. The digits before them are the number of the meeting, which
/// the server gave. `Documentation/formats/sync.md`, "Pairing over a server".
package struct PairingCode: Sendable, CustomStringConvertible, CustomReflectable {
    /// The number of the meeting at the server.
    package let meeting: Int
    /// Eight ASCII digits.
    let secret: [UInt8]

    /// How many digits are secret.
    static let secretLength = 8
    /// How many secrets there are, all equally likely.
    static let secrets: UInt32 = 100_000_000
    /// The numbers of meetings, which have 3 to 9 digits.
    package static let meetings = 100...999_999_999

    /// Draws a secret for a meeting.
    ///
    /// - Throws: ``PairingFault`` with `malformed` for a number that no code has; ``VaultError`` with `unavailable` if the system
    ///   has no random bytes.
    init(meeting: Int, _ environment: VaultEnvironment) throws {
        guard Self.meetings.contains(meeting) else { throw PairingFault(.malformed) }
        self.meeting = meeting
        secret = Self.digits(try Self.number(environment))
    }

    /// Reads what a person typed: at least eleven digits, with spaces and hyphens anywhere.
    package init?(given text: String) {
        var digits: [UInt8] = []
        for character in text.unicodeScalars {
            switch character {
            case "0"..."9": digits.append(UInt8(truncatingIfNeeded: character.value))
            case " ", "-", "\u{a0}", "\u{2010}"..."\u{2015}": continue
            default: return nil
            }
            guard digits.count <= Self.secretLength + 9 else { return nil }
        }
        let number = digits.dropLast(Self.secretLength)
        guard number.count >= 3, number.first != UInt8(ascii: "0") else { return nil }
        meeting = number.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        secret = Array(digits.suffix(Self.secretLength))
    }

    /// The code as a person reads it.
    package var text: String {
        let digits = String(decoding: secret, as: UTF8.self)
        return "\(meeting)-\(digits.prefix(4))-\(digits.suffix(4))"
    }

    /// The text that is shown instead of the code.
    package var description: String { "PairingCode" }
    /// A mirror without the code.
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// A number below ``secrets``, all equally likely.
    ///
    /// What would make the first numbers more likely than the last ones is drawn again.
    private static func number(_ environment: VaultEnvironment) throws(VaultError) -> UInt32 {
        let end = UInt32.max - UInt32.max % secrets
        for _ in 0..<128 {
            let drawn = try environment.random(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if drawn < end { return drawn % secrets }
        }
        throw VaultError(.unavailable, "the system has no random bytes")
    }

    private static func digits(_ number: UInt32) -> [UInt8] {
        var rest = number
        var digits: [UInt8] = []
        for _ in 0..<secretLength {
            digits.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        }
        return digits.reversed()
    }
}
