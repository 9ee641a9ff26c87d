import Foundation

/// Keeps the database from other users of the machine.
enum PrivateFiles {
    /// Refuses a database, or a folder of it, that users other than its owner may open.
    ///
    /// SQLite puts two more files into the folder, so the folder counts too.
    ///
    /// - Throws: ``SettingsError`` that says which mode to set.
    static func check(database path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        for (file, mode, kind) in [(folder, "700", "folder of the database"), (path, "600", "database")] {
            guard let found = permissions(of: file), found & 0o077 != 0 else { continue }
            throw SettingsError(
                "--database: other users of this machine may open the \(kind), \(file). Close it: chmod \(mode) \(file)"
            )
        }
    }

    /// The permission bits, or `nil` if the file does not exist or cannot be looked at.
    private static func permissions(of path: String) -> mode_t? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return status.st_mode & 0o777
    }
}
