import Foundation
import Synchronization

/// The time for the `Date` field of answers (RFC 9110, section 6.6.1), made once a second.
package final class HTTPDate: Sendable {
    private let last = Mutex((second: Int64.min, text: ""))

    package init() {}

    /// The time as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: The text.
    package func text(at now: Int64) -> String {
        last.withLock { last in
            if last.second != now { last = (now, Self.text(now)) }
            return last.text
        }
    }

    private static func text(_ now: Int64) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let date = Date(timeIntervalSince1970: TimeInterval(now))
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
        func name(_ number: Int?, _ names: String) -> Substring { names.dropFirst(((number ?? 1) - 1) * 3).prefix(3) }
        func digits(_ number: Int?, _ count: Int = 2) -> String {
            let text = "\(number ?? 0)"
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let day = "\(name(parts.weekday, "SunMonTueWedThuFriSat")), \(digits(parts.day))"
        let month = name(parts.month, "JanFebMarAprMayJunJulAugSepOctNovDec")
        let time = [parts.hour, parts.minute, parts.second].map { digits($0) }.joined(separator: ":")
        return "\(day) \(month) \(digits(parts.year, 4)) \(time) GMT"
    }
}
