import Foundation

/// The header `Retry-After`: a number of seconds, or a time.
///
/// RFC 9110, [section 10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3).
package enum RetryAfter {
    /// The number of seconds to wait.
    ///
    /// - Parameters:
    ///   - text: The header's value.
    ///   - now: Seconds since 1970.
    /// - Returns: The number, 0 for a time that has passed, or `nil` if the value is neither a number nor a time.
    package static func seconds(_ text: String, at now: Int64) -> Int64? {
        if !text.isEmpty, text.utf8.allSatisfy(isDigit) { return Int64(text) ?? .max }
        guard let time = time(text) else { return nil }
        let (wait, overflow) = time.subtractingReportingOverflow(now)
        return overflow ? nil : max(0, wait)
    }

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`; the name of the day is not checked.
    ///
    /// RFC 9110, section 5.6.7, has two older forms, which senders must not use.
    private static func time(_ text: String) -> Int64? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0].utf8.count == 4, words[0].last == ",", words[5] == "GMT",
            let month = months.firstIndex(of: words[2])
        else { return nil }
        let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let day = number(words[1], 2, 1...31), let year = number(words[3], 4, 1970...9999),
            let hour = number(clock[0], 2, 0...23), let minute = number(clock[1], 2, 0...59),
            let second = number(clock[2], 2, 0...60)
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let date = DateComponents(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
        return calendar.date(from: date).map { Int64($0.timeIntervalSince1970) }
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ text: Substring, _ digits: Int, _ range: ClosedRange<Int>) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy(isDigit), let number = Int(text), range.contains(number)
        else { return nil }
        return number
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
