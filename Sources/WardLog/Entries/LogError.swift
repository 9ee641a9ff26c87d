/// Why an entry is not taken in.
///
/// Whether an entry is refused depends on the entry and on its past alone, so all devices refuse the same entries.
package enum LogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes are not an entry.
    case malformed(String)
    /// The entry breaks a rule of the log.
    case refused(String)

    package var description: String {
        switch self {
        case .malformed(let detail), .refused(let detail): detail
        }
    }
}
