import Foundation
import Glibc

/// Asks on the terminal.
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
            throw Failure(.usage, "There is no terminal to ask on: use --passphrase-fd")
        }
        defer { close(terminal) }
        var before = termios()
        guard unsafe tcgetattr(terminal, &before) == 0 else { throw Failure(.usage, "The terminal cannot be set up") }
        var raw = before
        // Signals come as bytes, so that the terminal is put back before anything ends.
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        unsafe tcsetattr(terminal, TCSAFLUSH, &raw)
        // After the flush: characters typed once the question shows are kept.
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
            guard unsafe read(terminal, &byte, 1) == 1 else { throw Failure(.denied, "Cancelled") }
            switch byte {
            case 0x0a, 0x0d: return typed
            case 0x03: throw Failure(.denied, "Cancelled")
            case 0x04:
                if typed.isEmpty { throw Failure(.denied, "Cancelled") }
            case 0x7f, 0x08:
                // A whole character, not only its last byte.
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
                // Whole characters only: pasted text may contain control characters.
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
