internal import Foundation

/// Tells a person what happened without being asked.
public protocol Notifying: Sendable {
    /// Shows a note; nothing happens where nothing can be shown.
    func notify(title: String, text: String, on place: PromptPlace)
}

/// Shows notes through `notify-send`, where there is one and a desktop to show them on.
public struct DesktopNotification: Notifying {
    /// Shows notes.
    public init() {}

    /// Shows a note and does not wait for it.
    public func notify(title: String, text: String, on place: PromptPlace) {
        let environment = place.environment(from: ProcessInfo.processInfo.environment)
        guard place.desktop.sessionBus != nil else { return }
        let program = (environment["PATH"] ?? "/usr/bin").split(separator: ":").map { $0 + "/notify-send" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let program else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--app-name=Ward", "--icon=dialog-password", "--", title, Self.plain(text)]
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? process.run()
    }

    /// Notes may be read as markup; names of sites and accounts come from outside.
    private static func plain(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
}
