import Crypto
import Foundation
import Synchronization

/// An installed program that can use the clipboard.
final class ClipboardTool: HeldClipboard {
    private let copy: [String]
    private let paste: [String]
    private let clearing: [String]
    /// The option that marks the text as a secret.
    ///
    /// Older versions do not know it.
    private let mark: String?
    private var hash: SHA256.Digest?

    private init(copy: [String], paste: [String], clearing: [String], mark: String? = nil) {
        (self.copy, self.paste, self.clearing, self.mark) = (copy, paste, clearing, mark)
    }

    /// The program for Wayland, if it is installed.
    static var wayland: ClipboardTool? {
        guard ProgramPath.find("wl-copy") != nil else { return nil }
        return ClipboardTool(
            copy: ["wl-copy", "--type", "text/plain;charset=utf-8"],
            paste: ["wl-paste", "--no-newline"],
            clearing: ["wl-copy", "--clear"],
            mark: "--sensitive"
        )
    }

    /// A program for X11, if one is installed.
    static var x11: ClipboardTool? {
        if ProgramPath.find("xclip") != nil {
            let base = ["xclip", "-selection", "clipboard"]
            return ClipboardTool(copy: base + ["-in"], paste: base + ["-out"], clearing: base + ["-in"])
        }
        guard ProgramPath.find("xsel") != nil else { return nil }
        let base = ["xsel", "--clipboard"]
        return ClipboardTool(copy: base + ["--input"], paste: base + ["--output"], clearing: base + ["--clear"])
    }

    func put(_ text: [UInt8]) throws(Failure) -> String {
        hash = SHA256.hash(data: text)
        if let mark, run(copy + [mark], input: text) { return sentence }
        guard run(copy, input: text) else {
            throw Failure(.unavailable, "\(copy[0]) cannot reach the clipboard")
        }
        return sentence + " Clipboard managers may keep it: this \(copy[0]) cannot mark it as a secret."
    }

    func wait(until end: ContinuousClock.Instant) {
        while ContinuousClock.now < end { usleep(200_000) }
        guard let present = get(), SHA256.hash(data: present) == hash else { return }
        _ = run(clearing, input: [])
    }

    private func get() -> [UInt8]? {
        guard let program = ProgramPath.find(paste[0]), let child = try? Child(program, Array(paste.dropFirst())),
            child.write([]), let bytes = child.read(limit: Clipboard.maximumSize, seconds: 5),
            child.succeeds(seconds: 5)
        else { return nil }
        return bytes
    }

    private func run(_ words: [String], input: [UInt8]) -> Bool {
        guard let program = ProgramPath.find(words[0]),
            let child = try? Child(program, Array(words.dropFirst()), showsOutput: false)
        else { return false }
        // If the program does not read its input, its exit status shows the error.
        _ = child.write(input)
        return child.succeeds(seconds: 5)
    }
}
