internal import Foundation

/// The physical disks of a folder.
///
/// They show which data is lost if one disk fails.
///
/// Two partitions of a disk, or an encrypted volume on it, are the same disk. A file system in memory has no disk.
package struct PhysicalDisk: Hashable, Sendable {
    /// Names of disks such as `sda`, or the source of a file system without a local disk, such as `server:/export`.
    package let names: Set<String>
    /// Whether the contents of the folder are lost at a restart.
    package let isMemory: Bool

    /// Whether a copy in this folder survives the loss of another folder's disk.
    package func outlives(_ other: PhysicalDisk) -> Bool { !isMemory && names.isDisjoint(with: other.names) }

    /// The disks of a folder, or `nil` if the system does not report them.
    package init?(of folder: String, mounts: String? = nil, system: String = "/sys") {
        guard let path = unsafe realpath(folder, nil) else { return nil }
        defer { unsafe free(path) }
        guard let table = mounts ?? (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)),
            let mount = Self.mount(of: unsafe String(cString: path), in: table)
        else { return nil }
        isMemory = ["tmpfs", "ramfs", "devtmpfs"].contains(mount.type)
        guard mount.source.hasPrefix("/dev/") else {
            names = ["\(mount.type) \(mount.source)"]
            return
        }
        let device = URL(fileURLWithPath: mount.source).resolvingSymlinksInPath().lastPathComponent
        names = Self.disks(of: device, system: system)
    }

    /// The mount of a path: the one with the longest mount point.
    ///
    /// If several have the same length, it is the latest.
    package static func mount(of path: String, in table: String) -> (type: String, source: String)? {
        var best: (length: Int, type: String, source: String)?
        for line in table.split(separator: "\n") {
            // 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue     (proc_pid_mountinfo(5))
            let words = line.split(separator: " ")
            guard let dash = words.firstIndex(of: "-"), words.count > dash + 2, words.count > 4 else { continue }
            let point = unescaped(words[4])
            guard point == "/" || path == point || path.hasPrefix(point + "/"), point.utf8.count >= best?.length ?? 0
            else { continue }
            best = (point.utf8.count, String(words[dash + 1]), unescaped(words[dash + 2]))
        }
        return best.map { ($0.type, $0.source) }
    }

    /// The disks of a block device: a partition's disk, and the disks of an encrypted or combined volume.
    private static func disks(of device: String, system: String, depth: Int = 0) -> Set<String> {
        let files = FileManager.default
        let folder = URL(fileURLWithPath: "\(system)/class/block/\(device)").resolvingSymlinksInPath()
        if files.fileExists(atPath: folder.path + "/partition") {
            return [folder.deletingLastPathComponent().lastPathComponent]
        }
        let below = (try? files.contentsOfDirectory(atPath: folder.path + "/slaves")) ?? []
        guard depth < 8, !below.isEmpty else { return [device] }
        return below.reduce(into: []) { $0.formUnion(disks(of: $1, system: system, depth: depth + 1)) }
    }

    /// Spaces and similar characters are written as `\040` in the table.
    private static func unescaped(_ word: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(word.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            guard byte == 0x5c, digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(truncatingIfNeeded: digits.reduce(0) { $0 << 3 | Int($1 &- 0x30) }))
            rest = rest.dropFirst(3)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
