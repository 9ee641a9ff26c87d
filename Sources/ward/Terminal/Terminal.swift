import Foundation
import Glibc
import WardAgent
import WardAgentClient

/// The terminal a person sits at.
enum Terminal {
    /// Where prompts can reach the person.
    static var hello: Hello.Terminal {
        var terminal = Hello.Terminal.ofThisProcess()
        terminal.pinentry = PinentryProgram.said(in: ProcessInfo.processInfo.environment)
        return terminal
    }

    /// How many columns there are to write into; 0 when the output is no terminal.
    static var width: Int {
        guard isatty(STDOUT_FILENO) == 1 else { return 0 }
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Whether a person can be asked here.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Writes to standard error, where it is in the way of no pipe.
    static func note(_ text: String, end: String = "\n") {
        FileHandle.standardError.write(Data((Screen.lines(text) + end).utf8))
    }
}

/// Asks on the terminal itself, for what no window can ask: a new passphrase, and a key on paper.
enum Question {
    /// A line that is not shown while it is typed.
    ///
    /// - Throws: ``Failure`` when the person gives up, or when there is no terminal.
    static func secret(_ label: String) throws -> [UInt8] { try line(label, isShown: false) }

    /// A line that is shown.
    static func text(_ label: String) throws -> String {
        String(decoding: try line(label, isShown: true), as: UTF8.self)
    }

    /// Yes or no; no when only Enter is pressed.
    static func confirm(_ label: String) throws -> Bool {
        let answer = try text(label + " [y/N] ").lowercased()
        return answer == "y" || answer == "yes"
    }

    private static func line(_ label: String, isShown: Bool) throws -> [UInt8] {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else {
            throw Failure(.usage, "there is no terminal to ask on: use --passphrase-fd")
        }
        defer { close(terminal) }
        var before = termios()
        guard unsafe tcgetattr(terminal, &before) == 0 else { throw Failure(.usage, "the terminal cannot be set up") }
        var raw = before
        // Signals come as bytes, so that the terminal is put back before anything ends.
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        unsafe tcsetattr(terminal, TCSAFLUSH, &raw)
        // Not before: who answers as soon as they see the question would have their first characters thrown away.
        let label = Screen.lines(label)
        write(label, terminal)
        defer {
            unsafe tcsetattr(terminal, TCSAFLUSH, &before)
            write("\n", terminal)
        }
        func redraw(_ typed: [UInt8]) {
            let prompt = label.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
            write("\r\u{1b}[K" + prompt + Screen.line(String(decoding: typed, as: UTF8.self)), terminal)
        }
        var typed: [UInt8] = []
        var pending: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            guard unsafe read(terminal, &byte, 1) == 1 else { throw Failure(.denied, "cancelled") }
            switch byte {
            case 0x0a, 0x0d: return typed
            case 0x03: throw Failure(.denied, "cancelled")
            case 0x04:
                if typed.isEmpty { throw Failure(.denied, "cancelled") }
            case 0x7f, 0x08:
                // One character, however many bytes it has.
                while let last = typed.popLast(), last & 0xc0 == 0x80 {}
                pending = []
                if isShown { redraw(typed) }
            case 0x15:
                typed = []
                pending = []
                if isShown { redraw(typed) }
            case 0..<0x20: break
            default:
                guard typed.count < 4096 else { break }
                typed.append(byte)
                pending.append(byte)
                // A whole character at a time: what is pasted may have some that act.
                let character = String(validating: pending, as: UTF8.self)
                guard character != nil || pending.count >= 4 else { break }
                pending = []
                if isShown { write(Screen.line(character ?? "\u{fffd}"), terminal) }
            }
        }
    }

    private static func write(_ text: String, _ descriptor: CInt) { write(bytes: Array(text.utf8), descriptor) }

    private static func write(bytes: [UInt8], _ descriptor: CInt) {
        _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
    }
}
