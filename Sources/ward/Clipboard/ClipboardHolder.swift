import Foundation
import WardAgentClient

/// The process behind `--copy`.
///
/// It puts a text into the clipboard, waits, and clears the clipboard.
///
/// It is not a command for people: `ward` starts itself with ``ClipboardHolding/argument`` as the only argument.
enum ClipboardHolder {
    /// The placeholder in a report for the name of the copied value.
    static let subject = "%"

    /// Reads the text from standard input, reports on standard output, and ends when the clipboard has other contents.
    static func run() -> Never {
        // If `ward` has ended, the clipboard must still be cleared.
        _ = signal(SIGPIPE, SIG_IGN)
        do {
            let text = try text()
            let clipboard = try clipboard()
            let words = try clipboard.put(text)
            report([ClipboardHolding.done] + words.utf8)
            clipboard.wait(until: .now + .seconds(ClipboardHolding.seconds))
        } catch let failure as Failure {
            report([UInt8(ascii: "-")] + failure.description.utf8)
        } catch {
            report([UInt8(ascii: "-")] + "\(error)".utf8)
        }
        exit(0)
    }

    private static func text() throws -> [UInt8] {
        let text = try FileHandle.standardInput.read(upToCount: Clipboard.maximumSize) ?? Data()
        close(STDIN_FILENO)
        return Array(text)
    }

    /// The clipboard that is available: first Wayland's, then X11's, then the terminal's for a person who uses ssh.
    private static func clipboard() throws -> any HeldClipboard {
        let environment = ProcessInfo.processInfo.environment
        let (wayland, x11) = (environment["WAYLAND_DISPLAY"] != nil, environment["DISPLAY"] != nil)
        if wayland, let tool = ClipboardTool.wayland { return tool }
        if x11 {
            if let owner = SelectionOwner() { return owner }
            if let tool = ClipboardTool.x11 { return tool }
            throw Failure(
                .unavailable,
                "the display \(environment["DISPLAY"] ?? "") cannot be reached: set DISPLAY, or install libxcb1 or xclip"
            )
        }
        if wayland {
            throw Failure(.unavailable, "the clipboard of Wayland cannot be reached: install wl-clipboard")
        }
        if environment["SSH_TTY"] != nil || environment["SSH_CONNECTION"] != nil, isatty(STDERR_FILENO) == 1 {
            return TerminalClipboard(terminal: STDERR_FILENO, isInTmux: environment["TMUX"] != nil)
        }
        throw Failure(
            .unavailable,
            "no clipboard can be reached: there is no display here, and no ssh session with a terminal. On Wayland, install "
                + "wl-clipboard"
        )
    }

    private static func report(_ bytes: [UInt8]) {
        _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
        // The reader of the report waits until standard output is closed.
        close(STDOUT_FILENO)
    }
}

/// A clipboard after a text was put into it.
protocol HeldClipboard {
    /// Puts a text in.
    ///
    /// - Returns: What the person is told, with ``ClipboardHolder/subject`` for what was copied.
    func put(_ text: [UInt8]) throws(Failure) -> String
    /// Waits until a time, or until something else is copied. Then it clears the clipboard, if the text is still in it.
    func wait(until end: ContinuousClock.Instant)
}

extension HeldClipboard {
    /// The sentence for the clipboard of a desktop.
    var sentence: String { "\(ClipboardHolder.subject) is in the clipboard for \(ClipboardHolding.seconds) seconds." }
}
