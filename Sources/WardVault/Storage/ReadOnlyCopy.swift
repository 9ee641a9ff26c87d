internal import Foundation

/// A temporary copy of a vault that is on a read-only file system.
///
/// With a write-ahead log, SQLite must write files beside a database even to read it. So Ward copies the database, and its
/// write-ahead log if there is one, to the folder of temporary files. All data in these files is encrypted.
struct ReadOnlyCopy {
    let path: String
    private let folder: String

    /// Whether the vault's file or its folder cannot be written.
    static func isNeeded(for path: String) -> Bool {
        func refuses(_ path: String) -> Bool {
            unsafe access(path, W_OK) != 0 && (errno == EROFS || errno == EACCES)
        }
        return refuses(path) || refuses(SmallFile.folder(path))
    }

    /// Copies a vault.
    init(of source: String) throws(VaultError) {
        folder = NSTemporaryDirectory() + "/ward-" + UUID().uuidString.lowercased()
        path = folder + "/" + SmallFile.name(source)
        try SmallFile.makeDirectory(folder)
        do throws(VaultError) {
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: source + suffix) {
                try SmallFile.copy(source + suffix, to: path + suffix)
            }
        } catch {
            remove()
            throw error
        }
    }

    /// Removes the files.
    ///
    /// A database that is already open can still be used.
    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
