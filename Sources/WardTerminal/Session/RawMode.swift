internal import Foundation
internal import Synchronization

/// A terminal that hands over every key as it is pressed, until it is put back.
///
/// It is put back when ``leave()`` is called, when the program ends by `exit`, and when a signal ends or stops it: `SIGINT`,
/// `SIGTERM`, `SIGHUP` and `SIGQUIT` are held back for as long as the mode lasts, and then sent to the program again, where its
/// own handlers get them.
final class RawMode: Sendable {
    private let descriptor: CInt
    private let state: Mutex<State>

    private struct State {
        var before: termios
        var isRaw = false
    }

    /// The one that holds the terminal, for the end of the program.
    private static let current = Mutex<RawMode?>(nil)
    private static let atExit: Void = {
        atexit { RawMode.current.withLock { $0 }?.leave() }
    }()

    /// Reads how the terminal is set now.
    init(_ descriptor: CInt) throws(TerminalFailure) {
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { throw .unusable }
        self.descriptor = descriptor
        state = Mutex(State(before: before))
    }

    /// Takes the keys; once more, after a shell changed the terminal while the program was stopped.
    ///
    /// - Throws: ``TerminalFailure/unusable`` when the terminal is gone.
    func enter() throws(TerminalFailure) {
        let isDone = state.withLock { state in
            guard unsafe state.isRaw || tcgetattr(descriptor, &state.before) == 0 else { return false }
            var raw = state.before
            // Signals come as keys, so that the terminal is put back before anything ends; what is written is left as it is.
            raw.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
            raw.c_iflag &= ~tcflag_t(ICRNL | INLCR | IXON)
            state.isRaw = unsafe tcsetattr(descriptor, TCSADRAIN, &raw) == 0
            return state.isRaw
        }
        guard isDone else { throw .unusable }
        _ = Self.atExit
        Self.current.withLock { $0 = self }
        // Pastes are marked, so that a line break in one enters nothing.
        write("\u{1b}[?2004h")
    }

    /// Puts the terminal back; nothing when it is so already.
    func leave() {
        state.withLock { state in
            guard state.isRaw else { return }
            write("\u{1b}[?2004l")
            unsafe tcsetattr(descriptor, TCSADRAIN, &state.before)
            state.isRaw = false
        }
    }

    /// Writes all of a text.
    func write(_ text: String) { TerminalOutput.write(text, to: descriptor) }

    /// How many columns there are.
    var columns: Int {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}

/// Writing where a terminal is, or was.
enum TerminalOutput {
    /// Writes all of a text; a terminal that is gone is no error.
    static func write(_ text: String, to descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
