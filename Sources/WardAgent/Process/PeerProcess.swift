internal import Foundation
package import WardAgentClient

/// A process, seen through its `/proc` folder, which is opened once.
///
/// The open folder belongs to the process and not to its number. When the process ends, all reads from the folder fail, even if
/// another process gets the number.
package final class PeerProcess: Sendable {
    /// The process number.
    package let pid: Int32
    private let folder: Descriptor
    /// The open folder, from which other files can be opened.
    var folderNumber: CInt { folder.number }

    /// The properties of a process.
    ///
    /// They are valid while it runs the same program in the same mount namespace.
    package struct Snapshot: Hashable, Sendable {
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
        guard let folder = Descriptor.open("/proc/\(pid)", flags: O_DIRECTORY), isAlive() else { return nil }
        self.pid = pid
        self.folder = folder
    }

    /// The current properties of the process, or `nil` if it has ended or the kernel hides it from this user.
    package var snapshot: Snapshot? {
        var executable = stat()
        var mounts = stat()
        guard unsafe fstatat(folder.number, "exe", &executable, 0) == 0,
            unsafe fstatat(folder.number, "ns/mnt", &mounts, 0) == 0, let path = link("exe")
        else { return nil }
        return Snapshot(executable: FileIdentity(executable), path: path, mounts: FileIdentity(mounts))
    }

    /// The identity of the process, or `nil` if it has ended.
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

    /// The number of the process that started this one, or `nil` if this one has ended.
    package var parent: Int32? {
        guard let status = Descriptor.open("stat", in: folder.number)?.contents(limit: 65_536),
            let end = status.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        // proc_pid_stat(5): the fourth field.
        let fields = status[end...].dropFirst(2).split(separator: 0x20)
        return fields.count > 1 ? Int32(String(decoding: fields[1], as: UTF8.self)) : nil
    }

    /// Whether the process lives and the kernel hides its executable from this user (`prctl(2)`, `PR_SET_DUMPABLE`).
    package var hidesItself: Bool {
        var status = stat()
        return unsafe fstatat(folder.number, "exe", &status, 0) != 0 && (errno == EACCES || errno == EPERM)
    }

    /// Whether a debugger or another tracer is attached.
    ///
    /// The result is also true if this cannot be determined.
    package var isTraced: Bool {
        guard let status = Descriptor.open("status", in: folder.number)?.contents(limit: 65_536) else { return true }
        let line = status.split(separator: 0x0a).first { $0.starts(with: "TracerPid:".utf8) }
        guard let value = line?.dropFirst("TracerPid:".utf8.count) else { return true }
        return !value.allSatisfy { $0 == 0x30 || $0 == 0x09 || $0 == 0x20 }
    }

    /// Opens the executable for reading: the file that the process runs, even if its path now leads to another file.
    func openExecutable() -> Descriptor? { Descriptor.open("exe", in: folder.number) }

    /// Opens the root folder of the process's mount namespace.
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
