/// Why a prompt failed.
package enum TerminalFailure: Error, Hashable, Sendable {
    /// The person cancelled: Ctrl-C, Ctrl-D in an empty line, or the task was cancelled.
    case cancelled
    /// The input has ended.
    case endOfInput
    /// There is no terminal.
    case missing
    /// The terminal cannot be used for input.
    case unusable
}
