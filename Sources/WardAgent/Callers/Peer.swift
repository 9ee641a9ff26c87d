internal import Foundation
internal import NIOCore
internal import WardAgentClient

/// The process at the other end of a connection, as the kernel names it.
///
/// The kernel vouches for the user and for the process that connected, not for one that was handed the connection later. What
/// the process runs is looked at when it connects and again before each request: one that has become another program in between
/// is nobody.
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
    /// What it ran when it connected; empty when that cannot be told.
    package let executable: String
    /// The process itself; `nil` when it ended meanwhile, or when the kernel does not show it.
    package let process: PeerProcess?
    /// What it was when it connected.
    package let snapshot: PeerProcess.Snapshot?

    /// Asks the kernel.
    ///
    /// - Throws: `AgentError` with `notPermitted` when it does not answer, or names another user.
    init(_ channel: any Channel) async throws {
        guard let provider = channel as? any SocketOptionProvider else {
            throw AgentError(.notPermitted, "the connection does not say who is there")
        }
        let credentials: Credentials = try await provider.unsafeGetSocketOption(
            level: .socket,
            name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
        ).get()
        guard credentials.uid == getuid() else {
            throw AgentError(.notPermitted, "the agent of another user does not serve you")
        }
        let number: CInt? = try? await provider.unsafeGetSocketOption(
            level: .socket,
            name: NIOBSDSocket.Option(rawValue: Self.peerDescriptor)
        ).get()
        if let descriptor = number.flatMap({ Descriptor(taking: $0) }) {
            // It can be read from once the process ended: until then nobody else has its number.
            var event = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
            self.init(PeerProcess(credentials.pid) { unsafe poll(&event, 1, 0) == 0 }, pid: credentials.pid)
        } else {
            self.init(PeerProcess(credentials.pid), pid: credentials.pid)
        }
    }

    /// A process that is there already.
    package init(_ process: PeerProcess?, pid: Int32) {
        self.pid = pid
        self.process = process
        snapshot = process?.snapshot
        executable = snapshot?.path ?? ""
    }

    /// What it runs, if that is what it ran when it connected.
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
            throw AgentError(.appUnknown, "the program that connected runs something else by now: connect again")
        }
        return now
    }

    /// What it runs, or what it ran when it connected where it has closed itself to view since.
    ///
    /// Ward's own commands do so as soon as the agent has seen them, so that no other program reads their memory. A process
    /// that runs another program can be seen again.
    ///
    /// - Throws: `AgentError` with `appUnknown`.
    func verifiedOrHidden() throws(AgentError) -> PeerProcess.Snapshot {
        if let snapshot, let process, process.hidesItself, !process.isTraced { return snapshot }
        return try verified()
    }

    /// Who is there, for a prompt: the program's name and its number.
    package var description: String { executable.isEmpty ? "a program (\(pid))" : "\(executable) (\(pid))" }
}
