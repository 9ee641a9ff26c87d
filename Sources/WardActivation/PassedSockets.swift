import Foundation

/// The sockets that systemd opened for this process.
///
/// [sd_listen_fds(3)](https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html): the first descriptor is 3.
package struct PassedSockets: Sendable {
    /// Why the sockets cannot be used, as a part of a sentence.
    package struct Refusal: Error, Hashable, Sendable {
        /// The reason.
        package let reason: String
    }

    private static let first: CInt = 3
    private static let maximumCount = 16

    /// The descriptors of stream sockets that listen, at least one.
    package let descriptors: [CInt]

    /// Reads `LISTEN_PID` and `LISTEN_FDS`; `nil` if they are not for this process.
    ///
    /// Programs that this process starts get neither the variables nor the sockets.
    ///
    /// - Parameter given: The variables; `nil` for those of the process.
    /// - Throws: ``Refusal`` if a descriptor is not a stream socket that listens.
    package init?(environment given: [String: String]? = nil) throws(Refusal) {
        let environment = given ?? ProcessInfo.processInfo.environment
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == getpid() else { return nil }
        defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsafe unsetenv(name) } }
        guard let count = environment["LISTEN_FDS"].flatMap({ CInt($0) }), (1...CInt(Self.maximumCount)).contains(count)
        else { throw Refusal(reason: "the number of sockets is 0 or too high") }
        descriptors = Array(Self.first..<(Self.first + count))
        for descriptor in descriptors {
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw Refusal(reason: "a descriptor is not open") }
            guard Self.isListening(descriptor) else {
                throw Refusal(reason: "a descriptor is not a stream socket that listens")
            }
        }
    }

    private static func isListening(_ descriptor: CInt) -> Bool {
        func option(_ name: CInt) -> CInt? {
            var value: CInt = 0
            var length = socklen_t(MemoryLayout<CInt>.size)
            return unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
        }
        return option(SO_ACCEPTCONN) == 1 && option(SO_TYPE) == CInt(SOCK_STREAM.rawValue)
    }
}
