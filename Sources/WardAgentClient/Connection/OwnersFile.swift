package import Foundation

/// Small files that only their owner can read, in folders that only their owner can enter.
package enum OwnersFile {
    /// Writes a value as JSON into the file.
    ///
    /// If that fails, the old content stays.
    package static func write(_ value: some Encodable, to path: String) throws {
        try write(Data(try Envelope.encode(value)), to: path)
    }

    /// Writes bytes into the file.
    ///
    /// If that fails, the old content stays.
    package static func write(_ bytes: Data, to path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let pending = path + ".new-\(UUID().uuidString.prefix(8))"
        let descriptor = unsafe open(pending, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        do {
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: bytes)
            try file.synchronize()
            try file.close()
            guard unsafe rename(pending, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            unsafe unlink(pending)
            throw error
        }
    }
}
