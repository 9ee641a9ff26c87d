internal import Foundation

/// Shows notifications to the person.
public protocol Notifying: Sendable {
    /// Shows a notification, if possible.
    func notify(title: String, text: String, on place: PromptPlace)
}

/// Shows notifications with `notify-send`, if it is installed and there is a desktop.
public struct DesktopNotification: Notifying {
    /// Creates a notifier.
    public init() {}

    /// Shows a notification without waiting for it.
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

    /// Notifications may interpret markup, and names of sites and accounts come from outside.
    private static func plain(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
}
