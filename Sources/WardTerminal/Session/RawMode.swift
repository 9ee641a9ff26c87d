internal import Foundation
internal import Synchronization

/// Raw mode of a terminal, in which each key arrives at once, until it is restored.
///
/// The terminal is restored by ``leave()``, when the program ends with `exit`, and when a signal ends or stops it: `SIGINT`,
/// `SIGTERM`, `SIGHUP` and `SIGQUIT` are caught in raw mode and, after the terminal was restored, sent to the program again for
/// its own handlers.
final class RawMode: Sendable {
    private let descriptor: CInt
    private let state: Mutex<State>

    private struct State {
        var before: termios
        var isRaw = false
    }

    /// The terminal in raw mode, to restore at the end of the program.
    private static let current = Mutex<RawMode?>(nil)
    private static let atExit: Void = {
        atexit { RawMode.current.withLock { $0 }?.leave() }
    }()

    /// Reads the current settings of the terminal.
    init(_ descriptor: CInt) throws(TerminalFailure) {
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { throw .unusable }
        self.descriptor = descriptor
        state = Mutex(State(before: before))
    }

    /// Enters raw mode; called again after a shell changed the terminal while the program was suspended.
    ///
    /// - Throws: ``TerminalFailure/unusable`` if the terminal is gone.
    func enter() throws(TerminalFailure) {
        let isDone = state.withLock { state in
            guard unsafe state.isRaw || tcgetattr(descriptor, &state.before) == 0 else { return false }
            var raw = state.before
            // Ctrl keys arrive as bytes and not as signals, so that the terminal is restored first; output processing
            // stays on.
            raw.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
            raw.c_iflag &= ~tcflag_t(ICRNL | INLCR | IXON)
            state.isRaw = unsafe tcsetattr(descriptor, TCSADRAIN, &raw) == 0
            return state.isRaw
        }
        guard isDone else { throw .unusable }
        _ = Self.atExit
        Self.current.withLock { $0 = self }
        // Pastes are marked, so that a line break in a paste does not submit the line.
        write("\u{1b}[?2004h")
    }

    /// Restores the terminal, unless it was already restored.
    func leave() {
        state.withLock { state in
            guard state.isRaw else { return }
            write("\u{1b}[?2004l")
            unsafe tcsetattr(descriptor, TCSADRAIN, &state.before)
            state.isRaw = false
        }
    }

    /// Writes a whole text.
    func write(_ text: String) { DescriptorOutput.write(text, to: descriptor) }

    /// The width of the terminal in columns.
    var columns: Int {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
