import Crypto
import Foundation

/// The clipboard of the desktop, which forgets what was put there.
enum Clipboard {
    /// After how many seconds it is cleared: `WARD_CLIPBOARD_SECONDS`, else 45.
    static var seconds: Int {
        let wanted = ProcessInfo.processInfo.environment["WARD_CLIPBOARD_SECONDS"].flatMap { Int($0) } ?? 45
        return min(max(1, wanted), 3600)
    }

    /// Copies a text, and leaves a small process behind that clears the clipboard unless something else is in it by then.
    ///
    /// - Throws: ``Failure`` when there is no clipboard, or nothing that can reach it.
    static func copy(_ text: String, what: String) throws {
        guard let tool = Tool.find() else {
            throw Failure(.unavailable, "no clipboard can be reached: install wl-clipboard (Wayland) or xclip (X11)")
        }
        try tool.put(text)
        try spawnClearing(text)
        Terminal.note("The \(what) is in the clipboard for \(seconds) seconds.")
    }

    /// Clears the clipboard if it still holds what has this hash.
    static func clear(ifHashIs hash: String) throws {
        guard let tool = Tool.find(), let present = tool.get() else { return }
        if Self.hash(present) == hash { try tool.clear() }
    }

    private static func hash(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    /// The hash of a password would be a way to guess it, and arguments are seen by all: it goes through a pipe.
    private static func spawnClearing(_ text: String) throws {
        let process = Process()
        process.executableURL = URL(
            fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        )
        process.arguments = ["clear-clipboard"]
        let pipe = Pipe()
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try pipe.fileHandleForWriting.write(contentsOf: Data((hash(text) + "\n").utf8))
        try pipe.fileHandleForWriting.close()
    }

    private struct Tool {
        let copy: [String]
        let paste: [String]
        let clearing: [String]

        static func find() -> Tool? {
            let environment = ProcessInfo.processInfo.environment
            if environment["WAYLAND_DISPLAY"] != nil, path("wl-copy") != nil {
                // A clipboard manager is told not to keep it.
                return Tool(
                    copy: ["wl-copy", "--sensitive"],
                    paste: ["wl-paste", "--no-newline"],
                    clearing: ["wl-copy", "--clear"]
                )
            }
            if environment["DISPLAY"] != nil, path("xclip") != nil {
                let base = ["xclip", "-selection", "clipboard"]
                return Tool(copy: base + ["-in"], paste: base + ["-out"], clearing: base + ["-in"])
            }
            if environment["DISPLAY"] != nil, path("xsel") != nil {
                return Tool(
                    copy: ["xsel", "--clipboard", "--input"],
                    paste: ["xsel", "--clipboard", "--output"],
                    clearing: ["xsel", "--clipboard", "--clear"]
                )
            }
            return nil
        }

        func put(_ text: String) throws {
            // Older wl-copy does not know --sensitive.
            if try run(copy, input: text) { return }
            guard copy.contains("--sensitive"), try run(copy.filter { $0 != "--sensitive" }, input: text) else {
                throw Failure(.unavailable, "\(copy[0]) could not reach the clipboard")
            }
        }

        func clear() throws { _ = try run(clearing, input: "") }

        func get() -> String? {
            let process = Process()
            let pipe = Pipe()
            guard let program = Self.path(paste[0]) else { return nil }
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = Array(paste.dropFirst())
            process.standardOutput = pipe
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return nil }
            let data = (try? pipe.fileHandleForReading.read(upToCount: 1 << 20)) ?? nil
            process.waitUntilExit()
            return process.terminationStatus == 0 ? String(decoding: data ?? Data(), as: UTF8.self) : nil
        }

        private func run(_ words: [String], input: String) throws -> Bool {
            guard let program = Self.path(words[0]) else { return false }
            let process = Process()
            let pipe = Pipe()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = Array(words.dropFirst())
            process.standardInput = pipe
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            try? pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try? pipe.fileHandleForWriting.close()
            process.waitUntilExit()
            return process.terminationStatus == 0
        }

        private static func path(_ name: String) -> String? {
            (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").map { $0 + "/" + name }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
        }
    }
}
