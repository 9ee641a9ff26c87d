import Foundation
import WardAgentClient
import WardText

/// The clipboard of the person's own terminal.
///
/// Terminals set it after the control sequence OSC 52.
///
/// [xterm's control sequences](https://invisible-island.net/xterm/ctlseqs/ctlseqs.html), "Manipulate Selection Data". The
/// contents of that clipboard cannot be read, so it is cleared even if it has other contents by then.
struct TerminalClipboard: HeldClipboard {
    let terminal: Int32
    let isInTmux: Bool

    func put(_ text: [UInt8]) throws(Failure) -> String {
        guard set(text) else { throw Failure(.unavailable, "the terminal no longer accepts output") }
        return
            "\(ClipboardHolder.subject) was sent to your terminal's clipboard (OSC 52), if your terminal allows that. The clipboard is cleared after \(ClipboardHolding.seconds) seconds."
            + (isInTmux ? " tmux passes it on with: set -g set-clipboard on" : "")
    }

    func wait(until end: ContinuousClock.Instant) {
        while ContinuousClock.now < end {
            var hangup = pollfd(fd: terminal, events: 0, revents: 0)
            // The terminal has gone, so its clipboard cannot be reached.
            if unsafe poll(&hangup, 1, 200) > 0 { return }
        }
        // First a blank is written, because tmux and others do not accept an empty text. Then an empty text follows, which
        // clears the clipboard if the terminal supports that.
        _ = set([UInt8(ascii: " ")]) && set([])
    }

    private func set(_ text: [UInt8]) -> Bool {
        let bytes = Array("\u{1b}]52;c;\(Base64.encode(Array(text)))\u{7}".utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(terminal, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
