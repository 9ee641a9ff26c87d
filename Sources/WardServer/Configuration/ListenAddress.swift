/// The host and port that the service listens on.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A host name or an address; `0.0.0.0` and `::` listen on all addresses of the machine.
    public let host: String
    /// The port; with 0 the system chooses one.
    public let port: Int

    /// Only this machine (`127.0.0.1`), port 8080.
    public static let standard = ListenAddress(host: "127.0.0.1", port: 8080)

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`, with IPv6 addresses in brackets: `127.0.0.1:8080`, `[::1]:8080`.
    ///
    /// - Parameter text: The setting's text.
    /// - Throws: ``ServerConfigurationError`` that says which form is expected.
    public init(_ text: String) throws(ServerConfigurationError) {
        let refusal = ServerConfigurationError(
            "the address to listen on must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080, not \"\(text)\""
        )
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
    }

    /// The address in the form `HOST:PORT`.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
