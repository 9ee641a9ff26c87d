internal import Foundation

/// A vault's file on a file system that nothing can be written to, as SQLite can read it.
///
/// SQLite needs to write beside a database in this journal mode, even to read it. So the file, and a write-ahead log that a
/// crash left behind, are copied to where temporary files are. Everything in them is sealed.
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
