import Foundation

/// Waits for the disk.
enum Disk {
    /// Waits until the entries of a folder are on the disk.
    static func synchronize(folderOf path: String) throws(MaintenanceError) {
        try synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    static func synchronize(_ path: String) throws(MaintenanceError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MaintenanceError("\(path) cannot be opened", errno: errno) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw MaintenanceError("\(path) cannot be written to the disk", errno: errno)
        }
    }
}
