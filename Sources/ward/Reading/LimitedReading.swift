import Foundation

extension FileHandle {
    /// Reads to the end.
    ///
    /// - Returns: The content, or `nil` if it has more bytes than the limit.
    func readAll(atMost limit: Int) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while let piece = try read(upToCount: min(1 << 20, limit + 1 - bytes.count)), !piece.isEmpty {
            bytes += piece
            guard bytes.count <= limit else { return nil }
        }
        return bytes
    }
}

/// The content of a file that a person names.
enum NamedFile {
    /// Reads a file, but no folder.
    ///
    /// - Returns: The content, or `nil` if it has more bytes than the limit.
    /// - Throws: ``Failure`` with `usage` if the file cannot be read.
    static func read(_ path: String, atMost limit: Int) throws(Failure) -> [UInt8]? {
        let cannotRead = Failure(.usage, "\(path) cannot be read. Check the path and its permissions")
        var isFolder: ObjCBool = false
        guard let handle = path == "-" ? .standardInput : FileHandle(forReadingAtPath: path),
            !(unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue)
        else { throw cannotRead }
        do { return try handle.readAll(atMost: limit) } catch { throw cannotRead }
    }
}
