internal import Foundation
internal import NIOCore
internal import WardAgentClient

/// The process at the other end of a connection, as the kernel reports it.
///
/// The kernel guarantees the user and the process that connected, but not a process that received the connection later. The
/// agent checks the program when it connects and again before each request. If the process runs another program by then, it is
/// refused.
package struct Peer: Sendable {
    /// `struct ucred` of `SO_PEERCRED`.
    private struct Credentials: Sendable {
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
    }

    /// `SO_PEERPIDFD`, since Linux 6.5: a descriptor of the very process that connected.
    private static let peerDescriptor = CInt(77)

    /// The process.
    package let pid: Int32
    /// The program that the process ran when it connected.
    ///
    /// It is empty if that is unknown.
    package let executable: String
    /// The process, or `nil` if it has ended or the kernel hides it.
    package let process: PeerProcess?
    /// The program and the properties of the process when it connected.
    package let snapshot: PeerProcess.Snapshot?

    /// Asks the kernel.
    ///
    /// - Throws: `AgentError` with `notPermitted` when it does not answer, or names another user.
    init(_ channel: any Channel) async throws {
        guard let provider = channel as? any SocketOptionProvider else {
            throw AgentError(
                .notPermitted,
                "the kernel does not say which process is at the other end of the connection"
            )
        }
        let credentials: Credentials = try await provider.unsafeGetSocketOption(
            level: .socket,
            name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
        ).get()
        guard credentials.uid == getuid() else {
            throw AgentError(.notPermitted, "this agent belongs to another user")
        }
        let number: CInt? = try? await provider.unsafeGetSocketOption(
            level: .socket,
            name: NIOBSDSocket.Option(rawValue: Self.peerDescriptor)
        ).get()
        if let descriptor = number.flatMap({ Descriptor(taking: $0) }) {
            // The descriptor is readable as soon as the process has ended. Until then no other process gets the same number.
            var event = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
            self.init(PeerProcess(credentials.pid) { unsafe poll(&event, 1, 0) == 0 }, pid: credentials.pid)
        } else {
            self.init(PeerProcess(credentials.pid), pid: credentials.pid)
        }
    }

    /// Creates a peer from a process that already runs.
    package init(_ process: PeerProcess?, pid: Int32) {
        self.pid = pid
        self.process = process
        snapshot = process?.snapshot
        executable = snapshot?.path ?? ""
    }

    /// The program of the process, if it is the same one as when it connected.
    ///
    /// - Throws: `AgentError` with `appUnknown`.
    func verified() throws(AgentError) -> PeerProcess.Snapshot {
        guard let now = process?.snapshot else {
            throw AgentError(
                .appUnknown,
                "the program that connected ended, or the kernel does not show what it runs: connect again"
            )
        }
        guard now == snapshot else {
            throw AgentError(.appUnknown, "the process that connected is now running another program: connect again")
        }
        return now
    }

    /// The program of the process now.
    ///
    /// If the process has hidden it since, the program at the time of the connection.
    ///
    /// Ward's own commands hide themselves as soon as the agent has checked them, so that no other program reads their memory.
    /// If a process then starts another program, it is visible again.
    ///
    /// - Throws: `AgentError` with `appUnknown`.
    func verifiedOrHidden() throws(AgentError) -> PeerProcess.Snapshot {
        if let snapshot, let process, process.hidesItself, !process.isTraced { return snapshot }
        return try verified()
    }

    /// A description of the process for a prompt: the program's name and the process number.
    package var description: String { executable.isEmpty ? "a program (\(pid))" : "\(executable) (\(pid))" }
}
