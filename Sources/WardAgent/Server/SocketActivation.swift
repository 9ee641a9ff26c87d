internal import Foundation
public import WardAgentClient

/// The sockets that systemd opened for the agent.
///
/// [sd_listen_fds(3)](https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html): the first descriptor
/// is 3. One unit passes both sockets under one name, so the agent recognises them by their paths.
public struct SocketActivation: Sendable {
    private static let first: CInt = 3
    private static let maximumCount = 16

    /// The listening sockets by their paths.
    let sockets: [String: CInt]

    /// Reads `LISTEN_PID` and `LISTEN_FDS`; `nil` if they are not for this process.
    ///
    /// - Throws: `AgentError` with `failed` unless the descriptors are sockets that listen at different paths.
    public init?(environment given: [String: String]? = nil) throws(AgentError) {
        let environment = given ?? ProcessInfo.processInfo.environment
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == getpid() else { return nil }
        defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsafe unsetenv(name) } }
        guard let count = environment["LISTEN_FDS"].flatMap({ CInt($0) }), (1...CInt(Self.maximumCount)).contains(count)
        else { throw Self.refusal("the number of sockets is 0 or too high") }
        var sockets: [String: CInt] = [:]
        for descriptor in Self.first..<(Self.first + count) {
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
                throw Self.refusal("a descriptor is not open")
            }
            guard Self.isListening(descriptor), let path = UnixAddress.path(of: descriptor) else {
                throw Self.refusal("a descriptor is not a listening Unix socket with a path")
            }
            guard sockets.updateValue(descriptor, forKey: path) == nil else {
                throw Self.refusal("two sockets have the same path")
            }
        }
        self.sockets = sockets
    }

    private static func isListening(_ descriptor: CInt) -> Bool {
        func option(_ name: CInt) -> CInt? {
            var value: CInt = 0
            var length = socklen_t(MemoryLayout<CInt>.size)
            return unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
        }
        return option(SO_ACCEPTCONN) == 1 && option(SO_TYPE) == CInt(SOCK_STREAM.rawValue)
    }

    /// - Throws: `AgentError` with `failed` if a socket has none of these paths.
    func check(against paths: [String]) throws(AgentError) {
        guard let other = sockets.keys.sorted().first(where: { !paths.contains($0) }) else { return }
        throw Self.refusal("the path \(other) is not one of the agent's sockets, \(paths.joined(separator: " and "))")
    }

    private static func refusal(_ what: String) -> AgentError {
        AgentError(
            .failed,
            "systemd passes a wrong socket to the agent: \(what). Check the unit ward-agent.socket: systemctl --user cat "
                + "ward-agent.socket"
        )
    }
}
