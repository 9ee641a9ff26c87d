/// A host and a port to listen on.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address; `0.0.0.0` and `::` mean all of the machine's.
    public let host: String
    /// The port; 0 lets the system choose one.
    public let port: Int

    /// This machine alone, port 8080.
    public static let standard = ListenAddress(host: "127.0.0.1", port: 8080)

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`, with IPv6 addresses in brackets: `127.0.0.1:8080`, `[::1]:8080`.
    ///
    /// - Parameter text: What somebody wrote.
    /// - Throws: ``ServerConfigurationError`` saying what is expected.
    public init(_ text: String) throws(ServerConfigurationError) {
        let refusal = ServerConfigurationError(
            "the address to listen on is HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080, not \"\(text)\""
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

    /// As it was written.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
