internal import Foundation

/// A readable copy of a vault on a read-only file system.
///
/// In this journal mode SQLite must write beside a database even to read it. So the file and a left-over write-ahead
/// log are copied to the folder of temporary files. Everything in them is encrypted.
struct ReadOnlyCopy {
    let path: String
    private let folder: String

    /// Whether a vault cannot be written to where it lies.
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

    /// Removes the files; a database that is open goes on with them.
    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
