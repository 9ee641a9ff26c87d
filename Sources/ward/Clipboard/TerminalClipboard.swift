import Foundation
import WardText

/// The clipboard on the other side of a terminal, which terminals set when they are told by OSC 52.
///
/// [xterm's control sequences](https://invisible-island.net/xterm/ctlseqs/ctlseqs.html), "Manipulate Selection Data". What is
/// in that clipboard cannot be asked, so it is cleared whatever it has by then.
struct TerminalClipboard: HeldClipboard {
    let terminal: Int32
    let isInTmux: Bool

    func put(_ text: [UInt8]) throws(Failure) -> String {
        guard set(text) else { throw Failure(.unavailable, "the terminal takes nothing any more") }
        return
            "\(ClipboardHolder.subject) was sent to your terminal's clipboard (OSC 52), if your terminal allows that. The clipboard is cleared after \(Clipboard.seconds) seconds."
            + (isInTmux ? " tmux passes it on with: set -g set-clipboard on" : "")
    }

    func wait(until end: ContinuousClock.Instant) {
        while ContinuousClock.now < end {
            var hangup = pollfd(fd: terminal, events: 0, revents: 0)
            // The terminal is gone, and with it the way to its clipboard.
            if unsafe poll(&hangup, 1, 200) > 0 { return }
        }
        // A blank first: tmux and others take no empty text. Then nothing, which clears it where that is known.
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
