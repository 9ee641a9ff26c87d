internal import Foundation
package import WardFolders

/// Where a vault lies, and where this device keeps what it remembers of it.
///
/// The two folders are separate so that the vault can be backed up, or moved by other programs, without this device's memory
/// going with it: an old file put in place of the new one is noticed only because the memory stays.
public struct VaultLocation: Hashable, Sendable {
    /// The folder of the vault's file and of the Secret Key.
    public let directory: String
    /// The folder of what belongs to this device alone: its key, the head of the log it saw last, and the index.
    public let stateDirectory: String
    /// Which of the person's vaults it is.
    package let name: VaultName

    /// Names both folders; they are made when a vault is.
    public init(directory: String, stateDirectory: String) {
        self.init(directory: directory, stateDirectory: stateDirectory, name: .standard)
    }

    private init(directory: String, stateDirectory: String, name: VaultName) {
        self.directory = directory
        self.stateDirectory = stateDirectory
        self.name = name
    }

    /// The place of one of the person's vaults: for the default one as ``standard`` has it, for another one `vaults/NAME` below.
    package init(_ name: VaultName, in folders: BaseFolders = .ofThisProcess) {
        let place = name.isStandard ? "/ward" : "/\(Self.named)/\(name)"
        self.init(directory: folders.data + place, stateDirectory: folders.state + place, name: name)
    }

    /// The folder of the vaults that have a name, in the folders for data and for state.
    private static let named = "ward/vaults"

    /// The vaults that this person has: the default one first, the others by name.
    package static func all(in folders: BaseFolders = .ofThisProcess) -> [VaultLocation] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(folders.data)/\(named)")) ?? []
        let others = names.sorted().compactMap { VaultName($0) }.filter { !$0.isStandard }
        return ([.standard] + others).map { VaultLocation($0, in: folders) }.filter(\.hasVault)
    }

    /// The places the XDG base directories name: `$XDG_DATA_HOME/ward` and `$XDG_STATE_HOME/ward`, else `~/.local/share/ward`
    /// and `~/.local/state/ward`.
    ///
    /// Relative paths in the variables are ignored, as the
    /// [specification](https://specifications.freedesktop.org/basedir-spec/latest/) asks.
    public static var standard: VaultLocation { VaultLocation(.standard) }

    /// The vault's file, a SQLite database.
    public var database: String { directory + "/vault.db" }
    /// The Secret Key, as text.
    public var secretKey: String { directory + "/secret-key" }
    /// A Secret Key that was written and does not count before the header that needs it is in place.
    var pendingSecretKey: String { secretKey + ".pending" }
    /// Locked while a vault is made or restored; empty, and left there.
    public var lock: String { directory + "/vault.lock" }
    /// This device's key, sealed.
    public var device: String { stateDirectory + "/device" }
    /// The head of the log that this device saw last.
    public var head: String { stateDirectory + "/head" }
    /// A copy of the header, for the day the vault's own is damaged.
    public var headerCopy: String { stateDirectory + "/header" }
    /// What this device knows of copies of the vault elsewhere, sealed.
    public var backup: String { stateDirectory + "/backup" }
    /// The index, sealed; can be deleted, and is made again.
    public var index: String { stateDirectory + "/index" }

    /// Whether there is a vault.
    public var hasVault: Bool { FileManager.default.fileExists(atPath: database) }
}

/// Vaults that are not in place yet: each has a name of its own, so that no two programs ever write the same one.
extension VaultLocation {
    private var draftPrefix: String { SmallFile.name(database) + ".new" }

    /// A name that nobody else has.
    func newDraft() -> String { "\(directory)/\(draftPrefix)-\(UUID().uuidString.lowercased())" }

    /// Removes what programs left behind that were killed; the lock is held, so no draft is anybody's.
    func removeDrafts() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for name in names where name.hasPrefix(draftPrefix) {
            try? FileManager.default.removeItem(atPath: directory + "/" + name)
        }
    }
}
