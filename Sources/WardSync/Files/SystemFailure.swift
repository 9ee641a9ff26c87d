internal import Foundation

/// The error of a call of the system.
struct SystemFailure: Error, Hashable, Sendable {
    /// The number, as in `errno`.
    let number: CInt

    /// The error of the call before, read at once.
    static var last: Self { Self(number: errno) }

    /// Whether there is no file or folder of this name.
    var isMissing: Bool { number == ENOENT }

    /// The system's words for it.
    var words: String { unsafe String(cString: strerror(number)) }
}
