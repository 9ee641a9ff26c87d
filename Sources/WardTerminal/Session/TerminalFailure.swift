/// Why a person could not be asked.
package enum TerminalFailure: Error, Hashable, Sendable {
    /// They gave up: Ctrl-C, Ctrl-D in an empty line, or the task was cancelled.
    case cancelled
    /// There is nobody to ask: the input has ended.
    case endOfInput
    /// The terminal cannot be set up.
    case unusable
}
