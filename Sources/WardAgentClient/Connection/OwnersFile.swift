package import Foundation

/// Small files that their owner alone may read, in folders of theirs.
package enum OwnersFile {
    /// Puts a value in place of what was there, as JSON, or leaves that as it is.
    package static func write(_ value: some Encodable, to path: String) throws {
        try write(Data(try Envelope.encode(value)), to: path)
    }

    /// Puts bytes in place of what was there, or leaves that as it is.
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
