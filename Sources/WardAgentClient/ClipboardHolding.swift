internal import Foundation

/// How a program starts the process of `ward` that holds a text in the clipboard and clears it.
package enum ClipboardHolding {
    /// The only argument of `ward`, which reads the text from standard input.
    package static let argument = "--hold-clipboard"
    /// The beginning of its report on standard output when the text is in the clipboard.
    package static let done = UInt8(ascii: "+")

    /// The number of seconds until the clipboard is cleared: `WARD_CLIPBOARD_SECONDS`, or 45.
    package static var seconds: Int {
        let wanted = ProcessInfo.processInfo.environment["WARD_CLIPBOARD_SECONDS"].flatMap { Int($0) } ?? 45
        return min(max(1, wanted), 3600)
    }
}
