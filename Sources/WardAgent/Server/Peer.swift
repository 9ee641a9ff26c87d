internal import Foundation
internal import NIOCore
internal import WardAgentClient

/// The process at the other end of a connection, as the kernel names it.
///
/// The kernel vouches for the user and for the process that connected. The executable is what that process runs at this
/// moment, for the words of prompts and for logs; a program of the same user can run anything, so nothing is decided by it.
package struct Peer: Sendable, Hashable {
    /// `struct ucred` of `SO_PEERCRED`.
    private struct Credentials: Sendable {
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
    }

    /// The process.
    package let pid: Int32
    /// Its user.
    package let uid: UInt32
    /// What it runs; empty when that cannot be told.
    package let executable: String

    /// Asks the kernel.
    ///
    /// - Throws: ``AgentError`` with `notPermitted` when it does not answer, or names another user.
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
        pid = credentials.pid
        uid = credentials.uid
        executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(credentials.pid)/exe")) ?? ""
    }

    /// Who is there, for a prompt: the program's name and its number.
    package var description: String { executable.isEmpty ? "a program (\(pid))" : "\(executable) (\(pid))" }
}
