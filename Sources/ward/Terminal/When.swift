import Foundation

/// Times in the time zone of the machine, as text.
enum When {
    /// A day in the time zone of the machine, as text.
    static func day(_ seconds: Int64) -> String { format(seconds, "yyyy-MM-dd") }
    /// A day and a time.
    static func minute(_ seconds: Int64) -> String { format(seconds, "yyyy-MM-dd HH:mm") }

    private static func format(_ seconds: Int64, _ pattern: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = pattern
        return formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
    }
}
