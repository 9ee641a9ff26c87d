internal import Foundation
internal import WardFolders

/// Records which accounts signed in at which issuer on this machine.
///
/// So the state of an account is known without a prompt.
package struct SignInJournal: Sendable {
    /// The maximum number of entries.
    ///
    /// The oldest entries are removed first.
    static var maximumCount: Int { 256 }

    /// The path of the file: `ward/openid-connect.json` in `$XDG_STATE_HOME`, or in `~/.local/state`.
    package static var standardPath: String { BaseFolders.ofThisProcess.state + "/ward/openid-connect.json" }

    private struct Entry: Codable, Hashable {
        let issuer: String
        let clientID: String
        let subject: String
    }

    let path: String

    /// Whether an account signed in.
    func contains(_ subject: String, at configuration: OpenIDConnectConfiguration) -> Bool {
        entries.contains(entry(subject, configuration))
    }

    /// Adds an account.
    ///
    /// If the file cannot be written, the sign-in still succeeds.
    func add(_ subject: String, at configuration: OpenIDConnectConfiguration) {
        let entry = entry(subject, configuration)
        let kept = entries.filter { $0 != entry } + [entry]
        let url = URL(fileURLWithPath: path)
        try? FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        guard let data = try? JSONEncoder().encode(Array(kept.suffix(Self.maximumCount))) else { return }
        let new = path + ".\(getpid()).new"
        guard FileManager.default.createFile(atPath: new, contents: data, attributes: [.posixPermissions: 0o600]),
            unsafe rename(new, path) == 0
        else {
            try? FileManager.default.removeItem(atPath: new)
            return
        }
    }

    private func entry(_ subject: String, _ configuration: OpenIDConnectConfiguration) -> Entry {
        Entry(issuer: configuration.issuer, clientID: configuration.clientID, subject: subject)
    }

    private var entries: [Entry] {
        guard let handle = FileHandle(forReadingAtPath: path) else { return [] }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: 1 << 20) else { return [] }
        return (try? JSONDecoder().decode([Entry].self, from: data)) ?? []
    }
}
