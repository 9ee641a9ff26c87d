import Foundation

/// Debian's `qrencode`, where it is installed.
enum QREncode {
    static let path: String? = ["/usr/bin/qrencode", "/usr/local/bin/qrencode"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    static var isInstalled: Bool { path != nil }

    /// A PNG picture of a text.
    static func png(_ text: String, _ options: String...) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path ?? "/usr/bin/false")
        process.arguments = ["-t", "PNG", "-s", "6", "-o", "-"] + options + [text]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Array(data)
    }
}

/// A folder of one test, gone with it.
final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("ward-qr-\(UUID())")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = url.appendingPathComponent(name)
        try Data(bytes).write(to: file)
        return file.path
    }
}
