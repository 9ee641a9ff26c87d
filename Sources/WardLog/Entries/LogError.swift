/// Why the log does not accept an entry.
///
/// The decision depends only on the entry and its past, so all devices refuse the same entries. ``surplus(_:)`` is the exception.
package enum LogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes are not an entry.
    case malformed(String)
    /// The entry breaks a rule of the log.
    case refused(String)
    /// The entry's device is not in the circle, by what the entry knows: nobody admitted it, or it was removed.
    case notAdmitted(String)
    /// The entry's device wrote more than a reader takes. The entry is taken if an entry of another device names it.
    case surplus(String)

    package var description: String {
        switch self {
        case .malformed(let detail), .refused(let detail), .notAdmitted(let detail), .surplus(let detail): detail
        }
    }
}
