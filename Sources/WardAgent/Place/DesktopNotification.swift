internal import Foundation

/// Shows notifications to the person.
public protocol Notifying: Sendable {
    /// Shows a notification, if possible.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - text: The text.
    ///   - action: What the person can do about it with a button, or `nil`.
    ///   - place: Where the notification appears.
    func notify(title: String, text: String, action: NotificationAction?, on place: PromptPlace)
}

/// A button of a notification.
public struct NotificationAction: Sendable {
    /// The label, in the language of the place.
    public let label: String
    /// Runs after the person clicked the button.
    public let perform: @Sendable () async -> Void

    /// Creates a button.
    public init(label: String, perform: @escaping @Sendable () async -> Void) {
        self.label = label
        self.perform = perform
    }
}

/// Shows notifications with `notify-send`, if it is installed and there is a desktop.
public struct DesktopNotification: Notifying {
    /// How long a button works.
    private static let patience = Duration.seconds(3600)
    /// What `notify-send` prints if the person clicked the button.
    private static let answer = "ward-action"

    /// Creates a notifier.
    public init() {}

    /// Shows a notification without waiting for it.
    ///
    /// A button works for one hour, as long as the desktop keeps the notification.
    public func notify(title: String, text: String, action: NotificationAction?, on place: PromptPlace) {
        let environment = place.environment(from: ProcessInfo.processInfo.environment)
        guard place.desktop.sessionBus != nil else { return }
        let program = (environment["PATH"] ?? "/usr/bin").split(separator: ":").map { $0 + "/notify-send" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let program else { return }
        let words = ["--", title, Self.plain(text)]
        let process = Self.process(program, [], words, environment)
        guard let action else {
            try? process.run()
            return
        }
        Task {
            let waiting = Self.process(program, ["--action=\(Self.answer)=\(action.label)"], words, environment)
            guard let printed = await Self.output(of: waiting) else {
                // Versions before 0.7.10 know no actions.
                try? process.run()
                return
            }
            if printed.split(separator: "\n").contains(Substring(Self.answer)) { await action.perform() }
        }
    }

    private static func process(
        _ program: String,
        _ options: [String],
        _ words: [String],
        _ environment: [String: String]
    ) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--app-name=Ward", "--icon=dialog-password"] + options + words
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }

    /// What a process prints until it ends; `nil` if it fails.
    private static func output(of process: Process) async -> String? {
        let pipe = Pipe()
        process.standardOutput = pipe
        return await withTaskGroup(of: Void.self) { group in
            let printed = await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
                process.terminationHandler = { process in
                    let isDone = process.terminationReason == .uncaughtSignal || process.terminationStatus == 0
                    let bytes = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
                    continuation.resume(returning: isDone ? String(decoding: bytes, as: UTF8.self) : nil)
                }
                do {
                    try process.run()
                } catch {
                    process.terminationHandler = nil
                    continuation.resume(returning: nil)
                    return
                }
                group.addTask {
                    guard (try? await Task.sleep(for: patience)) != nil else { return }
                    process.terminate()
                }
            }
            group.cancelAll()
            return printed
        }
    }

    /// Notifications may interpret markup, and names of sites and accounts come from outside.
    private static func plain(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
}
