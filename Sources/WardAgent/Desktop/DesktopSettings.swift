internal import Foundation
internal import Logging
internal import WardAgentClient

/// The person's setting for the desktop's portal: a small file that only its owner can read.
struct DesktopSettings: Sendable {
    private struct File: Codable {
        var version = 1
        var portal: Bool
    }

    private static let maximumSize = 65_536

    let path: String
    let logger: Logger

    /// The file is beside the settings of the credential managers.
    init(_ providers: ProviderPaths, logger: Logger) {
        path = URL(fileURLWithPath: providers.settings).deletingLastPathComponent().path + "/desktop.json"
        self.logger = logger
    }

    /// Whether the agent serves the portal; off without a file, or if the file cannot be read.
    var isOn: Bool {
        guard let data = FileManager.default.contents(atPath: path) else { return false }
        guard data.count <= Self.maximumSize, let file = try? JSONDecoder().decode(File.self, from: data),
            file.version == 1
        else {
            logger.warning(
                "the portal of the desktop stays off: the file cannot be read",
                metadata: ["file": "\(path)"]
            )
            return false
        }
        return file.portal
    }

    /// Switches the portal on or off.
    ///
    /// - Throws: `AgentError` with `failed` when the file cannot be written.
    func set(isOn: Bool) throws(AgentError) {
        do {
            try OwnersFile.write(File(portal: isOn), to: path)
        } catch {
            throw AgentError(.failed, "\(path) cannot be written, so nothing was changed: check its permissions")
        }
    }
}
