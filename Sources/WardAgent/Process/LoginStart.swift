internal import Foundation
internal import WardAgentClient
internal import WardFolders

/// Whether systemd makes the agent's sockets at login, and starts the agent with the first connection.
enum LoginStart {
    /// The link that `systemctl enable` makes, in a folder that systemd.unit(5) names.
    private static let link = "systemd/user/sockets.target.wants/ward-agent.socket"

    /// Whether `ward-agent.socket` is enabled, for this person or for everybody.
    static func isEnabled(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
        let folders = [BaseFolders(environment: environment).config, "/etc", "/usr/local/lib", "/usr/lib"]
        return folders.contains { FileIdentity(path: $0 + "/" + link) != nil }
    }
}
