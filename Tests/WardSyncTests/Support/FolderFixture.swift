import Foundation
import WardLog
import WardText

@testable import WardSync

/// An empty folder for a vault, which is removed with this value.
final class FolderFixture: Sendable {
    let path: String
    let vault: VaultID

    /// - Parameter inMemory: Whether the folder is in memory, where the system has such a place: tests flush often.
    init(vault: VaultID = VaultID(genesis: [1]), inMemory: Bool = true) throws {
        let memory = "/dev/shm/"
        let isFast = inMemory && FileManager.default.isWritableFile(atPath: memory)
        path = (isFast ? memory : NSTemporaryDirectory()) + "ward-sync-\(UUID().uuidString.prefix(8))"
        self.vault = vault
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var remote: FolderRemote { watched { _ in } }

    /// The same with a function that is called before each step.
    ///
    /// The folder stays as long as the remote.
    func watched(_ beforeStep: @escaping @Sendable (FolderStep) throws -> Void) -> FolderRemote {
        FolderRemote(folder: path, vault: vault) { step in
            try withExtendedLifetime(self) { try beforeStep(step) }
        }
    }

    // MARK: Reading

    /// What a reader gets.
    struct Found {
        var segments: [Segment]
        var troubles: [FolderTrouble]

        var records: [LogRecord] { segments.flatMap(\.records) }
        var reasons: [FolderTrouble.Reason] { troubles.map(\.reason) }
    }

    func read(skipping known: Set<SegmentIdentity> = []) -> Found { Self.read(remote, skipping: known) }

    static func read(_ remote: FolderRemote, skipping known: Set<SegmentIdentity> = []) -> Found {
        var segments: [Segment] = []
        let troubles = remote.read(skipping: { known.contains($0) }) { segments.append($0) }
        return Found(segments: segments, troubles: troubles)
    }

    // MARK: Files

    var vaultFolder: String { path + "/ward/" + Hex.encode(vault.bytes) }

    func folder(of device: DeviceID) -> String { vaultFolder + "/" + Hex.encode(device.bytes) }

    /// The names in a device's folder, sorted.
    func files(of device: DeviceID) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder(of: device)).sorted()
    }

    /// Creates a device's folder and returns its path.
    func makeFolder(of device: DeviceID) throws -> String {
        let folder = folder(of: device)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    /// The name of the segment with these numbers.
    static func name(_ first: UInt64, _ last: UInt64) -> String { SegmentFileName(first: first, last: last).text }

    static func put(_ bytes: [UInt8], at path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    static func bytes(at path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    /// The permissions of a file.
    static func mode(_ path: String) throws -> mode_t {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw CocoaError(.fileNoSuchFile) }
        return status.st_mode & 0o777
    }
}
