#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Reads and writes times.
public enum Timestamp {
    /// Reads a number of seconds since 1970, or a time like `2026-01-31T12:00:00Z` or `2026-01-31`.
    public static func seconds(_ text: String) -> Int64? {
        if let seconds = Int64(text) { return seconds }
        let full = text.contains("T") ? text : text + "T00:00:00Z"
        guard let date = try? Date(full, strategy: .iso8601) else { return nil }
        return Int64(exactly: date.timeIntervalSince1970.rounded(.down))
    }

    /// Seconds since 1970 as `2026-01-31T12:00:00Z`.
    public static func text(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }
}
