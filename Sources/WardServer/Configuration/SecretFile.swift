import Foundation

/// Reads files with secrets that settings name.
enum SecretFile {
    /// The content of a file that other users of the machine cannot read.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - setting: The setting that names the file, such as `--mail-login`.
    /// - Returns: The bytes.
    /// - Throws: ``ServerConfigurationError`` if the file cannot be read, or other users can read it.
    static func read(_ path: String, of setting: String) throws(ServerConfigurationError) -> [UInt8] {
        guard let content = FileManager.default.contents(atPath: path) else {
            throw ServerConfigurationError("\(setting): \(path) cannot be read")
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o007 == 0 else {
            throw ServerConfigurationError(
                "\(setting): every user of this machine may read \(path). Close it: chmod 600 \(path)"
            )
        }
        return [UInt8](content)
    }
}
