import Foundation

/// Checks that other users of the machine cannot read the database.
enum PrivateFiles {
    /// Refuses a database or a folder that other users than its owner can open.
    ///
    /// SQLite creates two more files in the folder, so the folder is checked too.
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

    /// The permission bits.
    ///
    /// It is `nil` if the file does not exist or cannot be inspected.
    static func permissions(of file: String) -> Int? {
        attributes(of: file)?[.posixPermissions] as? Int
    }

    /// The attributes of a file, or of the file that a link leads to.
    static func attributes(of file: String) -> [FileAttributeKey: Any]? {
        let path = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
        return try? FileManager.default.attributesOfItem(atPath: path)
    }
}
