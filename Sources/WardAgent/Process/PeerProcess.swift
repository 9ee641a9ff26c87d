internal import Foundation
package import WardAgentClient

/// A process, seen through its `/proc` folder, which is opened once.
///
/// The open folder belongs to the process and not to its number: when the process ends, all reads through it fail, even
/// if another process gets the number.
package final class PeerProcess: Sendable {
    /// The process number.
    package let pid: Int32
    private let folder: Descriptor
    /// The open folder, for its other files.
    var folderNumber: CInt { folder.number }

    /// The properties of a process while it runs the same program at the same place.
    package struct Snapshot: Hashable, Sendable {
        /// Its executable.
        package let executable: FileIdentity
        /// The path of the executable; the kernel adds ` (deleted)` if the file was removed or replaced.
        package let path: String
        /// Its mount namespace.
        package let mounts: FileIdentity
    }

    /// The identity of a process, which differs from a later process with the same number.
    package struct Identity: Hashable, Sendable {
        let pid: Int32
        /// The start time of the process, in clock ticks since boot.
        let started: UInt64
    }

    /// Opens the folder.
    ///
    /// - Parameters:
    ///   - pid: The process number.
    ///   - isAlive: Called after the folder is open: whether the intended process still lives, so that its number
    ///     cannot
    ///     have been reused before.
    package init?(_ pid: Int32, isAlive: () -> Bool = { true }) {
        guard pid > 0, let folder = Descriptor.open("/proc/\(pid)", flags: O_DIRECTORY), isAlive() else { return nil }
        self.pid = pid
        self.folder = folder
    }

    /// Its current properties; `nil` if it ended, or if the kernel hides it from this user.
    package var snapshot: Snapshot? {
        var executable = stat()
        var mounts = stat()
        guard unsafe fstatat(folder.number, "exe", &executable, 0) == 0,
            unsafe fstatat(folder.number, "ns/mnt", &mounts, 0) == 0, let path = link("exe")
        else { return nil }
        return Snapshot(executable: FileIdentity(executable), path: path, mounts: FileIdentity(mounts))
    }

    /// Its identity; `nil` if it ended.
    package var identity: Identity? {
        guard let status = Descriptor.open("stat", in: folder.number)?.contents(limit: 65_536),
            // proc_pid_stat(5): the second field is a name in parentheses with any characters; the 22nd is the start
            // time.
            let end = status.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = status[end...].dropFirst(2).split(separator: 0x20)
        guard fields.count > 19, let started = UInt64(String(decoding: fields[19], as: UTF8.self)) else { return nil }
        return Identity(pid: pid, started: started)
    }

    /// Whether it lives and the kernel hides its executable from this user (`prctl(2)`, `PR_SET_DUMPABLE`).
    package var hidesItself: Bool {
        var status = stat()
        return unsafe fstatat(folder.number, "exe", &status, 0) != 0 && (errno == EACCES || errno == EPERM)
    }

    /// Whether a debugger or another tracer is attached; also true if this cannot be determined.
    package var isTraced: Bool {
        guard let status = Descriptor.open("status", in: folder.number)?.contents(limit: 65_536) else { return true }
        let line = status.split(separator: 0x0a).first { $0.starts(with: "TracerPid:".utf8) }
        guard let value = line?.dropFirst("TracerPid:".utf8.count) else { return true }
        return !value.allSatisfy { $0 == 0x30 || $0 == 0x09 || $0 == 0x20 }
    }

    /// Opens its executable for reading: the file itself, even if the path now leads to another one.
    func openExecutable() -> Descriptor? { Descriptor.open("exe", in: folder.number) }

    /// Opens the root of its mount namespace.
    func openRoot() -> Descriptor? { Descriptor.open("root", in: folder.number, flags: O_DIRECTORY) }

    private func link(_ name: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            guard let start = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress else { return 0 }
            return unsafe readlinkat(folder.number, name, start, bytes.count)
        }
        guard count > 0, count < buffer.count else { return nil }
        return String(validating: buffer[..<count], as: UTF8.self)
    }

    /// This process.
    package static var own: PeerProcess? { PeerProcess(getpid()) }
}
