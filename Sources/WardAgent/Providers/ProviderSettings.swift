internal import Foundation
internal import Logging
internal import WardAgentClient

/// The enabled credential managers: a small file that only its owner can read.
///
/// It is read each time, and always written completely.
struct ProviderSettings: Sendable {
    /// The maximum number of enabled managers.
    static let limit = 3

    private struct File: Codable {
        var version = 1
        var enabled: [String]
        var passkeysAreOff: Bool?

        /// The settings without a file: only Ward's own vault is enabled, and passkeys are on.
        static let standard = File(enabled: [VaultProvider.identifier])
    }

    let path: String
    let logger: Logger

    /// The identifiers in the order in which the managers are asked.
    ///
    /// Ward's own vault is first.
    ///
    /// Without a file, only Ward's own vault is enabled. The same is true if the file cannot be read; that is logged.
    var enabled: [String] { stored.enabled }

    /// Whether the person switched passkeys off on this device.
    var arePasskeysOff: Bool { stored.passkeysAreOff ?? false }

    private var stored: File {
        do {
            return try current()
        } catch {
            logger.warning("Ward's own manager alone is in use", metadata: ["reason": "\(error.message)"])
            return .standard
        }
    }

    private func read() throws(AgentError) -> File {
        guard let data = FileManager.default.contents(atPath: path), data.count <= ProviderDeclaration.maximumSize,
            var file = try? JSONDecoder().decode(File.self, from: data), file.version == 1
        else {
            throw AgentError(.invalidValue, "\(path) cannot be read: remove it to start with default settings")
        }
        var seen: [String] = []
        for identifier in file.enabled where !seen.contains(identifier) { seen.append(identifier) }
        file.enabled = Self.ordered(Array(seen.prefix(Self.limit)))
        return file
    }

    /// Enables a manager.
    ///
    /// - Throws: `AgentError` with `tooManyProviders`, or `failed` when the file cannot be written or read.
    func enable(_ identifier: String) throws(AgentError) {
        var file = try current()
        guard !file.enabled.contains(identifier) else { return }
        guard file.enabled.count < Self.limit else { throw Self.tooMany }
        file.enabled = Self.ordered(file.enabled + [identifier])
        try write(file)
    }

    /// The reason why no further manager can be enabled.
    static var tooMany: AgentError {
        AgentError(
            .tooManyProviders,
            "\(limit) credential managers are enabled, and more are not possible: run ward providers disable for one of them "
                + "first"
        )
    }

    /// Disables a manager.
    ///
    /// - Throws: `AgentError` with `failed` when the file cannot be written or read.
    func disable(_ identifier: String) throws(AgentError) {
        var file = try current()
        guard file.enabled.contains(identifier) else { return }
        file.enabled.removeAll { $0 == identifier }
        try write(file)
    }

    /// Switches the passkeys of all managers on or off.
    ///
    /// The managers stay enabled for passwords and codes.
    ///
    /// - Throws: `AgentError` with `failed` when the file cannot be written or read.
    func switchPasskeys(isOn: Bool) throws(AgentError) {
        var file = try current()
        guard (file.passkeysAreOff ?? false) == isOn else { return }
        file.passkeysAreOff = isOn ? nil : true
        try write(file)
    }

    private func current() throws(AgentError) -> File {
        guard FileManager.default.fileExists(atPath: path) else { return .standard }
        return try read()
    }

    private static func ordered(_ enabled: [String]) -> [String] {
        enabled.filter { $0 == VaultProvider.identifier } + enabled.filter { $0 != VaultProvider.identifier }
    }

    private func write(_ file: File) throws(AgentError) {
        do {
            try OwnersFile.write(file, to: path)
        } catch {
            throw AgentError(.failed, "\(path) cannot be written, so nothing was changed: check its permissions")
        }
    }
}
