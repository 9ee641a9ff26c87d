internal import Foundation
internal import WardAgentClient
internal import WardFolders

/// Whether systemd creates the agent's sockets at login, and starts the agent at the first connection.
enum LoginStart {
    /// The symbolic link that `systemctl enable` creates, in a folder of units (see systemd.unit(5)).
    private static let link = "systemd/user/sockets.target.wants/ward-agent.socket"

    /// Whether `ward-agent.socket` is enabled, for this person or for all users.
    static func isEnabled(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
        let folders = [BaseFolders(environment: environment).config, "/etc", "/usr/local/lib", "/usr/lib"]
        return folders.contains { FileIdentity(path: $0 + "/" + link) != nil }
    }
}
