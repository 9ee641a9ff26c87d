internal import Foundation
internal import WardAgentClient
internal import WardFolders

/// The file that lets the message bus start the agent when a program asks at the portal's name.
///
/// It is the person's own, and is there only while the portal is on. So the bus starts no agent that would not answer, and a
/// file of another program for all people of the machine stays as it is.
struct DesktopActivation: Sendable {
    /// The first line of the file.
    ///
    /// A file without it belongs to somebody else.
    private static let mark = "# Written by ward desktop portal on, removed by ward desktop portal off."

    private let path: String
    private let hasUnit: Bool

    init(environment: [String: String]) {
        let folders = BaseFolders(environment: environment)
        path = folders.data + "/dbus-1/services/" + HandlerInterface().busName + ".service"
        let units = [
            folders.config + "/systemd/user", folders.data + "/systemd/user", "/etc/systemd/user",
            "/usr/lib/systemd/user",
        ]
        hasUnit = units.contains { FileIdentity(path: $0 + "/ward-agent.service") != nil }
    }

    /// Whether the file is there, and is not this one.
    private var isOthers: Bool {
        guard let found = FileManager.default.contents(atPath: path) else { return false }
        return !found.starts(with: Self.mark.utf8)
    }

    /// Writes the file.
    ///
    /// - Throws: `AgentError` with `failed` if somebody else's file is there, or it cannot be written.
    func add() throws(AgentError) {
        guard let program = PeerProcess.own?.snapshot?.path.withoutDeletedMark, !program.contains("\n") else { return }
        guard !isOthers else {
            throw AgentError(.failed, "\(path) is not from ward: remove it, then run ward desktop portal on again")
        }
        var lines = [
            Self.mark, "[D-BUS Service]", "Name=" + HandlerInterface().busName,
            "Exec=\(Self.quoted(program)) agent --quiet",
        ]
        if hasUnit { lines.append("SystemdService=ward-agent.service") }
        do {
            try OwnersFile.write(Data((lines.joined(separator: "\n") + "\n").utf8), to: path)
        } catch {
            throw AgentError(.failed, "\(path) cannot be written: check its permissions")
        }
    }

    /// Removes the file, if it is this one.
    func remove() {
        guard !isOthers else { return }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A word of a command line, as the bus reads it: like a shell, in single quotation marks.
    private static func quoted(_ word: String) -> String {
        "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
