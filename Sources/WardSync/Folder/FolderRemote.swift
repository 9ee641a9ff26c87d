package import WardLog
internal import WardText

/// A folder that carries the entries of a vault between devices.
///
/// Syncthing, Nextcloud, rsync or a USB stick copies the folder. Each device writes only files of its own, and changes
/// none of them afterwards, so these tools never find a conflict. Nothing in the folder is trusted: whatever cannot be
/// read is a ``FolderTrouble``, and everything else is still read.
///
/// ```swift
/// let remote = FolderRemote(folder: "/media/stick", vault: vault)
/// let done = try remote.written(by: device).last
/// try remote.write(records.filter { $0.entry.entry.sequence > done }, of: device)
/// let troubles = remote.read(skipping: { known.contains($0) }) { segment in take(segment.records) }
/// ```
///
/// All calls wait for the disk. `Documentation/formats/sync.md`, "Folder".
package struct FolderRemote: Sendable {
    /// The path of the folder, which may be a link.
    ///
    /// It must exist.
    package let folder: String
    package let vault: VaultID
    let steps: FolderSteps

    /// Names a folder; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder. Ward's files are in `ward` inside it.
    ///   - vault: The vault.
    ///   - beforeStep: Called before each step. If it throws, that simulates a disk error or a power cut.
    package init(
        folder: String,
        vault: VaultID,
        beforeStep: @escaping @Sendable (FolderStep) throws -> Void = { _ in }
    ) {
        self.folder = folder
        self.vault = vault
        steps = FolderSteps(beforeStep)
    }

    static let root = FileName("ward")

    var vaultName: FileName { FileName(Hex.encode(vault.bytes)) }

    static func name(of device: DeviceID) -> FileName { FileName(Hex.encode(device.bytes)) }

    /// The path of the vault's folder, or of something in it, for people.
    func path(_ names: FileName...) -> String {
        ([folder.printable, Self.root.text, vaultName.text] + names.map(\.text)).joined(separator: "/")
    }

    /// Reports a step.
    func willDo(_ step: FolderStep) throws(FolderError) { try steps.willDo(step) }
}
