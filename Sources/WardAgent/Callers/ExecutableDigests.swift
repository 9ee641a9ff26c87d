internal import Crypto
internal import Foundation
internal import Synchronization
internal import WardText
internal import WardAgentClient

/// SHA-256 digests of executables.
///
/// A file is read once, and again only if it has changed.
final class ExecutableDigests: Sendable {
    /// The properties of a file that change with every change of its content.
    ///
    /// Only root can set the time of the last status change back.
    private struct Key: Hashable {
        let file: FileIdentity
        let size: Int64
        let modified: [Int]
        let changed: [Int]

        init(_ status: stat) {
            file = FileIdentity(status)
            size = Int64(status.st_size)
            modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
            changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
        }
    }

    /// The maximum size of a program: 2 GiB.
    static let maximumSize: Int64 = 2 << 30
    private static let maximumCount = 64
    private let known = Mutex<[Key: String]>([:])

    /// The digest of an open file in hexadecimal.
    ///
    /// It is `nil` if this is not a file, if the file is too large, or if it changes during the read.
    @concurrent func digest(of file: borrowing Descriptor) async -> String? {
        guard let status = file.status, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.maximumSize else {
            return nil
        }
        let key = Key(status)
        if let digest = known.withLock({ $0[key] }) { return digest }
        var hash = SHA256()
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        var offset = 0
        while true {
            let count = unsafe pread(file.number, &piece, piece.count, offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0, !Task.isCancelled else { return nil }
            if count == 0 { break }
            unsafe piece.withUnsafeBytes { unsafe hash.update(bufferPointer: .init(rebasing: $0[..<count])) }
            offset += count
            guard Int64(offset) <= Self.maximumSize else { return nil }
        }
        guard let after = file.status, Key(after) == key, Int64(offset) == key.size else { return nil }
        let digest = Hex.encode(hash.finalize())
        known.withLock { known in
            if known.count >= Self.maximumCount { known = [:] }
            known[key] = digest
        }
        return digest
    }
}
