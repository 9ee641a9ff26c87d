import NIOCore

extension ServerConfiguration {
    /// What is wrong with ``trustedProxies``, or `nil` if nothing is.
    ///
    /// The start and `ward-server check` say it.
    ///
    /// - Parameter address: The address that the service listens on; `nil` if an application of somebody else listens.
    /// - Returns: A code and a sentence.
    /// - Throws: ``ServerConfigurationError`` if the proxies cannot be read.
    package func proxyWarning(
        listeningOn address: ListenAddress?
    ) throws(ServerConfigurationError) -> (code: String, message: String)? {
        guard !trustedProxies.isEmpty else {
            return (
                "no_trusted_proxies",
                "no proxies are set (--trusted-proxies): nothing is limited by address. Name the proxies in front of the "
                    + "service, or none"
            )
        }
        guard let address, address.isLocal, try !TrustedProxies(trustedProxies).trusts(peer: address.localPeer) else {
            return nil
        }
        let peer = address.unixPath == nil ? address.host : "unix"
        return (
            "proxy_not_trusted",
            "all clients count as one: they come through a proxy on this machine, which is not trusted. Add it with "
                + "--trusted-proxies \(peer)"
        )
    }
}

extension ListenAddress {
    /// Whether only this machine can connect, so that people must come through a proxy.
    fileprivate var isLocal: Bool { unixPath != nil || host == "localhost" || localPeer?.isLoopback == true }

    /// The other end of a connection from this machine, or `nil` for a Unix socket.
    fileprivate var localPeer: SocketAddress? {
        try? SocketAddress(ipAddress: host == "localhost" ? "127.0.0.1" : host, port: 1)
    }
}

extension SocketAddress {
    /// Whether the address is one of the loopback interface.
    fileprivate var isLoopback: Bool {
        guard let bytes = ipAddress.flatMap({ IPAddress($0) })?.bytes else { return false }
        return bytes.count == 4 ? bytes.first == 127 : bytes == Array(repeating: 0, count: 15) + [1]
    }
}
