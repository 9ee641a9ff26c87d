package import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The host and port that the service listens on, the path of its Unix socket, or the sockets that systemd opens for it.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A host name or an address; `0.0.0.0` and `::` listen on all addresses of the machine; empty for a Unix socket and for systemd.
    public let host: String
    /// The port; with 0 the system chooses one.
    public let port: Int
    /// The path of a Unix socket, or `nil` for a host and a port.
    ///
    /// The owner and the group of the service may connect to the socket.
    public let unixPath: String?
    /// Whether systemd opens the sockets, as the unit `ward-server.socket` says.
    public let isFromSystemd: Bool

    /// The default: only this machine (`127.0.0.1`), port 8080.
    public static let standard = ListenAddress(host: "127.0.0.1", port: 8080)

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
        unixPath = nil
        isFromSystemd = false
    }

    /// The address of a socket that systemd opened, if the system tells it.
    init(passed address: SocketAddress?) {
        host = address?.ipAddress ?? ""
        port = address?.port ?? 0
        unixPath = address?.pathname
        isFromSystemd = address == nil
    }

    /// Reads `HOST:PORT`, with IPv6 addresses in brackets: `127.0.0.1:8080`, `[::1]:8080`; or `unix:` and the path of a
    /// socket, which is replaced if it exists; or `systemd` for the sockets that systemd opens.
    ///
    /// - Parameter text: The setting's text.
    /// - Throws: ``ServerConfigurationError`` that says which form is expected.
    public init(_ text: String) throws(ServerConfigurationError) {
        let refusal = ServerConfigurationError(
            "the address to listen on must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080, unix:PATH or systemd, not "
                + "\"\(text)\""
        )
        isFromSystemd = text == "systemd"
        if isFromSystemd {
            (host, port, unixPath) = ("", 0, nil)
            return
        }
        if text.hasPrefix("unix:") {
            let path = text.dropFirst("unix:".count)
            guard path.hasPrefix("/"), path.utf8.count < Self.unixPathRoom, !path.utf8.contains(0) else {
                throw ServerConfigurationError(
                    "the Unix socket must be an absolute path of at most \(Self.unixPathRoom - 1) bytes, not \"\(path)\""
                )
            }
            (host, port, unixPath) = ("", 0, String(path))
            return
        }
        guard let colon = text.lastIndex(of: ":") else { throw refusal }
        let digits = text[text.index(after: colon)...]
        guard let port = UInt16(digits), String(port) == digits else { throw refusal }
        var host = text[..<colon]
        if host.first == "[" {
            guard host.last == "]", host.count > 2 else { throw refusal }
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw refusal
        }
        guard !host.isEmpty, !host.contains(where: { $0.isWhitespace || "[]/?#@".contains($0) }) else { throw refusal }
        self.host = String(host)
        self.port = Int(port)
        unixPath = nil
    }

    /// The maximum length of a path in bytes, including the zero at the end.
    private static var unixPathRoom: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) }

    /// The address after the service began to listen, with the port that the system chose.
    ///
    /// The group of the service may then connect to a Unix socket: a proxy must be in this group.
    package func listening(on address: SocketAddress?) -> ListenAddress {
        guard let unixPath else { return ListenAddress(host: host, port: address?.port ?? port) }
        _ = unsafe chmod(unixPath, 0o660)
        return self
    }

    /// The address in the form `HOST:PORT` or `unix:PATH`, or `systemd`.
    public var description: String {
        if isFromSystemd { return "systemd" }
        if let unixPath { return "unix:\(unixPath)" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
