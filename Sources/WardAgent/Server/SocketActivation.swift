internal import Foundation

/// The socket that systemd opened for the agent.
///
/// [sd_listen_fds(3)](https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html): the first descriptor is 3.
public struct SocketActivation: Sendable {
    /// The listening socket.
    public let descriptor: CInt

    /// Reads `LISTEN_PID` and `LISTEN_FDS`; `nil` when they are not meant for this process.
    public init?(environment given: [String: String]? = nil) {
        let environment = given ?? ProcessInfo.processInfo.environment
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == getpid(), environment["LISTEN_FDS"] == "1" else {
            return nil
        }
        descriptor = 3
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unsafe unsetenv("LISTEN_PID")
        unsafe unsetenv("LISTEN_FDS")
        unsafe unsetenv("LISTEN_FDNAMES")
    }
}
