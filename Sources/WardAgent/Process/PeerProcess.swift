internal import Foundation

/// A process, seen through its folder of `/proc`, which was opened once.
///
/// The open folder belongs to the process and not to its number: when the process ends, everything read through it fails, even
/// after another process got the number.
package final class PeerProcess: Sendable {
    /// The number.
    package let pid: Int32
    private let folder: Descriptor
    /// The open folder, for what else stands in it.
    var folderNumber: CInt { folder.number }

    /// What a process is as long as it runs the same program at the same place.
    package struct Snapshot: Hashable, Sendable {
        /// What it runs.
        package let executable: FileIdentity
        /// Its path there; the kernel adds ` (deleted)` when the file was removed or replaced.
        package let path: String
        /// Its view of the file system.
        package let mounts: FileIdentity
    }

    /// A process and no other that gets its number later.
    package struct Identity: Hashable, Sendable {
        let pid: Int32
        /// When the process started, in the kernel's ticks since the machine did.
        let started: UInt64
    }

    /// Opens the folder.
    ///
    /// - Parameters:
    ///   - pid: The process.
    ///   - isAlive: Asked once the folder is open: whether the process that is meant still lives, so that its number cannot have
    ///     passed to another before.
    package init?(_ pid: Int32, isAlive: () -> Bool = { true }) {
        guard pid > 0, let folder = Descriptor.open("/proc/\(pid)", flags: O_DIRECTORY), isAlive() else { return nil }
        self.pid = pid
        self.folder = folder
    }

    /// What it is now; `nil` when it ended, or when the kernel does not show it to this user.
    package var snapshot: Snapshot? {
        var executable = stat()
        var mounts = stat()
        guard unsafe fstatat(folder.number, "exe", &executable, 0) == 0,
            unsafe fstatat(folder.number, "ns/mnt", &mounts, 0) == 0, let path = link("exe")
        else { return nil }
        return Snapshot(executable: FileIdentity(executable), path: path, mounts: FileIdentity(mounts))
    }

    /// Which process it is; `nil` when it ended.
    package var identity: Identity? {
        guard let status = Descriptor.open("stat", in: folder.number)?.contents(limit: 65_536),
            // proc_pid_stat(5): the second field is a name in brackets, in which anything may stand; the 22nd is the start.
            let end = status.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = status[end...].dropFirst(2).split(separator: 0x20)
        guard fields.count > 19, let started = UInt64(String(decoding: fields[19], as: UTF8.self)) else { return nil }
        return Identity(pid: pid, started: started)
    }

    /// Whether it lives and the kernel does not show this user what it runs (`prctl(2)`, `PR_SET_DUMPABLE`).
    package var hidesItself: Bool {
        var status = stat()
        return unsafe fstatat(folder.number, "exe", &status, 0) != 0 && (errno == EACCES || errno == EPERM)
    }

    /// Whether a debugger, or anything else that can change what it does, is attached; also when that cannot be told.
    package var isTraced: Bool {
        guard let status = Descriptor.open("status", in: folder.number)?.contents(limit: 65_536) else { return true }
        let line = status.split(separator: 0x0a).first { $0.starts(with: "TracerPid:".utf8) }
        guard let value = line?.dropFirst("TracerPid:".utf8.count) else { return true }
        return !value.allSatisfy { $0 == 0x30 || $0 == 0x09 || $0 == 0x20 }
    }

    /// What it runs, open for reading: the file itself, also where its path leads elsewhere by now.
    func openExecutable() -> Descriptor? { Descriptor.open("exe", in: folder.number) }

    /// The root of what it sees.
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
