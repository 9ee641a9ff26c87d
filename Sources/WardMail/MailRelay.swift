/// The server that messages are given to.
package struct MailRelay: Hashable, Sendable {
    /// Whether TLS begins with the connection, and not with STARTTLS.
    package let hasImplicitTLS: Bool
    /// A name or an address, an IPv6 address without brackets.
    package let host: String
    /// The port.
    package let port: UInt16

    /// Reads `smtp://HOST:PORT` or `smtps://HOST:PORT`, or returns `nil` for anything else.
    ///
    /// The port can be left out: 587 and 465.
    ///
    /// - Parameter text: The setting's text.
    package init?(_ text: String) {
        let schemes = [("smtp://", false, UInt16(587)), ("smtps://", true, 465)]
        guard let (scheme, isTLS, standard) = schemes.first(where: { text.hasPrefix($0.0) }) else { return nil }
        var rest = text.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        hasImplicitTLS = isTLS
        let host: Substring
        let tail: Substring
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            host = rest[..<end].dropFirst()
            tail = rest[rest.index(after: end)...]
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
        } else {
            host = rest.prefix { $0 != ":" }
            tail = rest.dropFirst(host.count)
            guard host.utf8.allSatisfy({ Self.isHostByte($0) }) else { return nil }
        }
        guard !host.isEmpty, host.utf8.count <= 253 else { return nil }
        self.host = String(host)
        guard !tail.isEmpty else {
            port = standard
            return
        }
        guard tail.first == ":", let port = UInt16(tail.dropFirst()), port > 0, ":\(port)" == tail else { return nil }
        self.port = port
    }

    /// Whether the server is on this machine, by its name: `localhost`, `127.0.0.1` and its neighbours, or `::1`.
    package var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
    }

    /// The address in the form that libcurl reads, with the name that the client introduces itself with.
    func url(as client: String) -> String {
        let place = host.contains(":") ? "[\(host)]" : host
        return "\(hasImplicitTLS ? "smtps" : "smtp")://\(place):\(port)/\(client)"
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }
}
