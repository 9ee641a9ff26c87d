internal import Foundation
package import WardFolders

/// The folders and files of a vault, and of this device's data about the vault.
///
/// The two folders are separate, so that the vault can be backed up or moved without the device's own data. If an old file
/// replaces the vault, the device detects that only because its own data stays.
public struct VaultLocation: Hashable, Sendable {
    /// The folder of the vault's file and of the Secret Key.
    public let directory: String
    /// The folder for the data of this device only: its key, the last log entry that it saw, and the index.
    public let stateDirectory: String
    /// The name of the vault.
    package let name: VaultName

    /// Creates a location from both folders.
    ///
    /// They are created together with a vault.
    public init(directory: String, stateDirectory: String) {
        self.init(directory: directory, stateDirectory: stateDirectory, name: .standard)
    }

    private init(directory: String, stateDirectory: String, name: VaultName) {
        self.directory = directory
        self.stateDirectory = stateDirectory
        self.name = name
    }

    /// The location of a vault by name.
    ///
    /// The default vault is at ``standard``; another vault is in `vaults/NAME` below it.
    package init(_ name: VaultName, in folders: BaseFolders = .ofThisProcess) {
        let place = name.isStandard ? "/ward" : "/\(Self.named)/\(name)"
        self.init(directory: folders.data + place, stateDirectory: folders.state + place, name: name)
    }

    /// The folder of the vaults with names, in the data folder and in the state folder.
    private static let named = "ward/vaults"

    /// The vaults of this person: first the default vault, then the others by name.
    package static func all(in folders: BaseFolders = .ofThisProcess) -> [VaultLocation] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(folders.data)/\(named)")) ?? []
        let others = names.sorted().compactMap { VaultName($0) }.filter { !$0.isStandard }
        return ([.standard] + others).map { VaultLocation($0, in: folders) }.filter(\.hasVault)
    }

    /// The default folders: `$XDG_DATA_HOME/ward` and `$XDG_STATE_HOME/ward`, or `~/.local/share/ward` and
    /// `~/.local/state/ward`.
    ///
    /// Relative paths in the variables are ignored, as the
    /// [specification](https://specifications.freedesktop.org/basedir-spec/latest/) asks.
    public static var standard: VaultLocation { VaultLocation(.standard) }

    /// The vault's file, a SQLite database.
    public var database: String { directory + "/vault.db" }
    /// The Secret Key, as text.
    public var secretKey: String { directory + "/secret-key" }
    /// A new Secret Key that was written.
    ///
    /// It is used only after the header that needs it is in place.
    var pendingSecretKey: String { secretKey + ".pending" }
    /// The lock file.
    ///
    /// It is locked while a vault is created or restored. It is empty and is never removed.
    public var lock: String { directory + "/vault.lock" }
    /// This device's signing key, encrypted.
    public var device: String { stateDirectory + "/device" }
    /// The same, encrypted for a vault key that is not in force yet.
    var pendingDevice: String { device + ".pending" }
    /// The last log entry that this device saw.
    public var head: String { stateDirectory + "/head" }
    /// The last entry that this device had seen before its vault was restored from an older copy, encrypted.
    var awaited: String { stateDirectory + "/" + Self.awaited }
    /// The name of that file.
    static let awaited = "awaited"
    /// What this device remembers of its sync server, encrypted.
    ///
    /// It says what the vault's file has, so it does not outlive the file.
    var syncServer: String { stateDirectory + "/" + Self.syncServer }
    /// The name of that file.
    package static let syncServer = "sync-server"
    /// A copy of the header, in case the vault's own header is damaged.
    public var headerCopy: String { stateDirectory + "/header" }
    /// This device's record of backups, encrypted.
    public var backup: String { stateDirectory + "/backup" }
    /// The keys of this device until it has joined a circle of devices.
    package var pairing: String { stateDirectory + "/pairing" }
    /// The index, encrypted.
    ///
    /// It can be deleted and is then created again.
    public var index: String { stateDirectory + "/index" }

    /// Whether the vault exists.
    public var hasVault: Bool { FileManager.default.fileExists(atPath: database) }
}

/// The folders of new vaults that are not in place yet. Each has a unique name, so that two programs never write the same one.
extension VaultLocation {
    private var draftPrefix: String { SmallFile.name(database) + ".new" }

    /// A unique name.
    func newDraft() -> String { "\(directory)/\(draftPrefix)-\(UUID().uuidString.lowercased())" }

    /// Removes the folders that killed programs left behind.
    ///
    /// The lock is held, so no other program is using them.
    func removeDrafts() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for name in names where name.hasPrefix(draftPrefix) {
            try? FileManager.default.removeItem(atPath: directory + "/" + name)
        }
    }
}
