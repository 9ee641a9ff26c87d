import Foundation

/// The identity of the file that a path or a descriptor leads to.
struct FileIdentity: Hashable {
    private let device: dev_t
    private let inode: ino_t

    init?(path: String) {
        var found = stat()
        guard unsafe stat(path, &found) == 0 else { return nil }
        (device, inode) = (found.st_dev, found.st_ino)
    }

    init?(descriptor: CInt) {
        var found = stat()
        guard unsafe fstat(descriptor, &found) == 0 else { return nil }
        (device, inode) = (found.st_dev, found.st_ino)
    }
}
