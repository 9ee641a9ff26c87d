internal import Foundation
internal import WardAgentClient
internal import WardFolders

/// The files that let the message bus start the agent when a program asks at one of the portal's names.
///
/// They are the person's own, and are there only while the portal is on. So the bus starts no agent that would not answer, and a
/// file of another program for all people of the machine stays as it is.
struct DesktopActivation: Sendable {
    /// The first line of a file.
    ///
    /// A file without it belongs to somebody else.
    private static let mark = "# Written by ward desktop portal on, removed by ward desktop portal off."

    private static let names = [HandlerInterface().busName, ProviderInterface().busName]

    private let folder: String
    private let hasUnit: Bool

    init(environment: [String: String]) {
        let folders = BaseFolders(environment: environment)
        folder = folders.data + "/dbus-1/services/"
        let units = [
            folders.config + "/systemd/user", folders.data + "/systemd/user", "/etc/systemd/user",
            "/usr/lib/systemd/user",
        ]
        hasUnit = units.contains { FileIdentity(path: $0 + "/ward-agent.service") != nil }
    }

    private func path(_ name: String) -> String { folder + name + ".service" }

    /// Whether the file is there, and is not from here.
    private func isOthers(_ path: String) -> Bool {
        guard let found = FileManager.default.contents(atPath: path) else { return false }
        return !found.starts(with: Self.mark.utf8)
    }

    /// Writes the files.
    ///
    /// - Throws: `AgentError` with `failed` if somebody else's file is there, or one cannot be written.
    func add() throws(AgentError) {
        guard let program = PeerProcess.own?.snapshot?.path.withoutDeletedMark, !program.contains("\n") else { return }
        if let path = Self.names.map(path).first(where: isOthers) {
            throw AgentError(.failed, "\(path) is not from ward: remove it, then run ward desktop portal on again")
        }
        for name in Self.names {
            var lines = [
                Self.mark, "[D-BUS Service]", "Name=" + name, "Exec=\(Self.quoted(program)) agent --quiet",
            ]
            if hasUnit { lines.append("SystemdService=ward-agent.service") }
            do {
                try OwnersFile.write(Data((lines.joined(separator: "\n") + "\n").utf8), to: path(name))
            } catch {
                throw AgentError(.failed, "\(path(name)) cannot be written: check its permissions")
            }
        }
    }

    /// Removes the files that are from here.
    func remove() {
        for path in Self.names.map(path) where !isOthers(path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// A word of a command line, as the bus reads it: like a shell, in single quotation marks.
    private static func quoted(_ word: String) -> String {
        "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
