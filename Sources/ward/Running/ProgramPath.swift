import Foundation

/// Finds programs in the folders of PATH.
enum ProgramPath {
    /// The program of this name that a shell would run, or `nil`.
    static func find(_ name: String) -> String? {
        if name.contains("/") { return FileManager.default.isExecutableFile(atPath: name) ? name : nil }
        return (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
            .map { $0 + "/" + name }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
