/// How a column writes a time.
enum CSVTime: Sendable {
    /// Seconds since 1970.
    case seconds
    /// Milliseconds since 1970.
    case milliseconds
    /// A date and a time of ISO 8601, in UTC if it names no offset.
    case iso8601

    /// The time in seconds since 1970; `nil` if the text is no time between 1970 and tomorrow.
    func read(_ text: String, now: Int64) -> Int64? {
        let seconds: Int64? =
            switch self {
            case .seconds: Int64(text)
            case .milliseconds: Int64(text).map { $0 / 1000 }
            case .iso8601: Self.iso8601(text)
            }
        guard let seconds, seconds > 0, seconds / 2 <= now / 2 + 43_200 else { return nil }
        return seconds
    }

    /// Reads `2026-11-23T20:15:00Z`, also with a space, a fraction or an offset.
    private static func iso8601(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes[4] == 0x2d, bytes[7] == 0x2d, bytes[10] == 0x54 || bytes[10] == 0x20,
            bytes[13] == 0x3a, bytes[16] == 0x3a,
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var rest = bytes[19...]
        if rest.first == 0x2e { rest = rest.dropFirst().drop { (0x30...0x39).contains($0) } }
        guard let offset = offset(rest) else { return nil }
        // Days since 1970 in the Gregorian calendar; the year begins in March, so that a leap day is its last day.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        return days * 86_400 + hour * 3600 + minute * 60 + second - offset
    }

    /// Seconds before UTC: `Z`, `+02:00` or nothing.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
        let text = Array(text)
        if text.isEmpty || text == [0x5a] { return 0 }
        guard text.count == 6, text[0] == 0x2b || text[0] == 0x2d, text[3] == 0x3a, let hours = number(text[1..<3]),
            let minutes = number(text[4..<6]), hours < 24, minutes < 60
        else { return nil }
        return (text[0] == 0x2d ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - 0x30)
        }
        return value
    }
}
