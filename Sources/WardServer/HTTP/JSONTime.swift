#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Formats times for the JSON API.
package enum JSONTime {
    /// RFC 3339 in UTC with whole seconds, such as `2026-11-21T09:30:00Z`.
    package static func text(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}
