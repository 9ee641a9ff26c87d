internal import Foundation

/// Asks for one line on the terminal of this process, even if standard input is not the terminal.
///
/// Unlike ``TerminalPrompt`` it has no suggestions and no cursor keys, and shows nothing of a secret.
package enum TerminalQuestion {
    /// Asks and waits for the line.
    ///
    /// - Parameters:
    ///   - label: The text before the line. It may have styles, so the caller cleans it.
    ///   - isShown: Whether the line shows while it is typed.
    /// - Returns: The line's bytes, at most 4,096.
    /// - Throws: ``TerminalFailure``.
    package static func ask(_ label: String, isShown: Bool) throws(TerminalFailure) -> [UInt8] {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { throw .missing }
        defer { close(terminal) }
        var before = termios()
        guard unsafe tcgetattr(terminal, &before) == 0 else { throw .unusable }
        var raw = before
        // Ctrl keys arrive as bytes and not as signals, so that the terminal is restored before the program ends.
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        unsafe tcsetattr(terminal, TCSAFLUSH, &raw)
        // Earlier input is flushed first. Characters that the person types after the question appears are used.
        DescriptorOutput.write(label, to: terminal)
        defer {
            unsafe tcsetattr(terminal, TCSAFLUSH, &before)
            DescriptorOutput.write("\n", to: terminal)
        }
        func redraw(_ typed: [UInt8]) {
            let prompt = label.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
            let shown = ShownText.clean(String(decoding: typed, as: UTF8.self))
            DescriptorOutput.write("\r\u{1b}[K" + prompt + shown, to: terminal)
        }
        var typed: [UInt8] = []
        var pending: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            guard unsafe Foundation.read(terminal, &byte, 1) == 1 else { throw .cancelled }
            switch byte {
            case 0x0a, 0x0d: return typed
            case 0x03: throw .cancelled
            case 0x04:
                if typed.isEmpty { throw .cancelled }
            case 0x7f, 0x08:
                // A whole character is removed, not only its last byte.
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
                // Only whole characters are used, because pasted text may contain control characters.
                let character = String(validating: pending, as: UTF8.self)
                guard character != nil || pending.count >= 4 else { break }
                pending = []
                if isShown { DescriptorOutput.write(ShownText.clean(character ?? "\u{fffd}"), to: terminal) }
            }
        }
    }
}
