import Foundation
import WardAccounts

/// The database file itself, before SQLite opens it.
enum DatabaseFile {
    /// Creates an empty file that only its owner can open, unless it exists.
    ///
    /// SQLite gives its log the same mode.
    static func create(at path: String) throws {
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        let reason = errno
        guard descriptor < 0 else {
            _ = close(descriptor)
            return
        }
        guard reason == EEXIST else {
            let words = unsafe String(cString: strerror(reason))
            throw StoreError(.unavailable, detail: "the database file cannot be created: \(words)")
        }
    }
}
