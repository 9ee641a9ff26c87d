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
