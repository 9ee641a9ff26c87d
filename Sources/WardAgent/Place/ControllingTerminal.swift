internal import Foundation

/// The controlling terminal of a program of the manager.
///
/// It is valid while its session exists.
///
/// After a terminal is closed, its number can be reused. So the agent remembers the session leader, usually a shell. When the
/// leader ends, the kernel takes the terminal from the session, and the agent no longer uses the terminal.
package final class ControllingTerminal: Sendable {
    /// The device, such as `/dev/pts/3`.
    package let path: String
    private let device: UInt64
    private let leader: PeerProcess

    /// Checks a terminal that a program reports.
    ///
    /// The result is `nil` unless it is a character device of this user in `/dev` and the program's controlling
    /// terminal.
    ///
    /// - Parameters:
    ///   - path: The path from the program.
    ///   - process: The program.
    package init?(_ path: String, of process: PeerProcess) {
        guard Self.isDevicePath(path), let device = Self.device(at: path), let session = process.session,
            session.terminal == device, let leader = PeerProcess(session.leader), leader.session == session
        else { return nil }
        self.path = path
        self.device = device
        self.leader = leader
    }

    /// Whether the terminal still belongs to the same session.
    package var isThere: Bool { leader.session?.terminal == device && Self.device(at: path) == device }

    /// Whether a path is `/dev/pts/` and a number, or begins with `/dev/tty` or `/dev/hvc`; only root can write these
    /// folders.
    static func isDevicePath(_ path: String) -> Bool {
        for prefix in ["/dev/pts/", "/dev/tty", "/dev/hvc"] where path.hasPrefix(prefix) {
            let rest = path.utf8.dropFirst(prefix.utf8.count)
            let isNumber = rest.allSatisfy { (0x30...0x39).contains($0) }
            let isName = prefix == "/dev/tty" && rest.allSatisfy { $0.isLetterOrDigit }
            return (1...16).contains(rest.count) && (isNumber || isName)
        }
        return false
    }

    /// The device number of a character device of this user.
    ///
    /// It does not follow links and does not take over the terminal.
    private static func device(at path: String) -> UInt64? {
        guard let status = Descriptor.open(path, flags: O_NOFOLLOW)?.status, status.st_mode & S_IFMT == S_IFCHR,
            status.st_uid == getuid()
        else { return nil }
        return UInt64(truncatingIfNeeded: status.st_rdev)
    }
}

extension PeerProcess {
    /// A session: its leader and the device of its terminal.
    struct Session: Hashable, Sendable {
        /// The process that leads the session.
        var leader: Int32
        /// The device of the controlling terminal, as `stat` has it; 0 for none.
        var terminal: UInt64
    }

    /// The session of a process, or `nil` if the process has ended or its session is not visible.
    var session: Session? {
        // proc_pid_stat(5): the name in parentheses can contain any character; after it come state, parent, group,
        // session, terminal.
        guard let bytes = Descriptor.open("stat", in: folderNumber)?.contents(limit: 4096),
            let end = bytes.lastIndex(of: 0x29)
        else { return nil }
        let fields = String(decoding: bytes[end...].dropFirst(), as: UTF8.self).split(separator: " ")
        guard fields.count > 4, let leader = Int32(fields[3]), let terminal = Int32(fields[4]) else {
            return nil
        }
        // The kernel's device number equals that of stat below major 4096 and minor 2^20.
        return Session(leader: leader, terminal: UInt64(UInt32(bitPattern: terminal)))
    }
}

extension UInt8 {
    /// Whether it is an ASCII letter or digit.
    var isLetterOrDigit: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: false
        }
    }
}
