/// The address of a sync server: `https://host`, perhaps with a port and a path.
///
/// `http` is accepted only for this machine and for onion services of Tor, which are encrypted on their own.
package struct ServerAddress: Hashable, Sendable {
    /// The server as a device signs it: the host, and the port if it is not 443.
    package let host: String
    /// The host without its port.
    let name: String
    /// Whether the address begins with `https`.
    let isHTTPS: Bool
    /// Whether the server is reached through Tor.
    package let isOnion: Bool
    /// The address in its one form, without a slash at its end.
    package let text: String

    /// The maximum length of an address, in bytes.
    private static let maximumLength = 512

    /// Reads what a person typed.
    ///
    /// - Returns: `nil` if it is no such address. A user name, a query and a fragment are refused, and so are names that are not in
    ///   ASCII.
    package init?(_ given: String) {
        let bytes = Array(given.utf8)
        guard bytes.count <= Self.maximumLength, bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        let lower = given.lowercased()
        guard let scheme = ["https", "http"].first(where: { lower.hasPrefix($0 + "://") }) else { return nil }
        let rest = given.dropFirst(scheme.count + 3)
        let authority = rest.prefix { $0 != "/" }
        guard let (name, port) = Self.parts(of: authority.lowercased()) else { return nil }
        var path = rest.dropFirst(authority.count)
        while path.last == "/" { path.removeLast() }
        guard Self.isPath(path) else { return nil }
        self.name = name
        isHTTPS = scheme == "https"
        isOnion = name.hasSuffix(".onion")
        guard isHTTPS || isOnion || Self.isThisMachine(name) else { return nil }
        let usual = isHTTPS ? 443 : 80
        host = (port ?? usual) == 443 ? name : "\(name):\(port ?? usual)"
        text = "\(scheme)://\(name)" + ((port ?? usual) == usual ? "" : ":\(port ?? usual)") + path
    }

    /// The host without its port, and the port.
    private static func parts(of authority: String) -> (name: String, port: Int?)? {
        var name = authority[...]
        var port: Int?
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            let digits = authority[authority.index(after: colon)...]
            guard let number = Int(digits), (1...65_535).contains(number), String(number) == digits else { return nil }
            port = number
            name = authority[..<colon]
        }
        guard isName(name) || isBracketed(name) else { return nil }
        return (String(name), port)
    }

    private static func isName(_ name: Substring) -> Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return name.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                            UInt8(ascii: "-"), UInt8(ascii: "_"):
                            true
                        default: false
                        }
                    }
            }
    }

    /// Whether this may be an IPv6 address; the system reads it.
    private static func isBracketed(_ name: Substring) -> Bool {
        guard name.first == "[", name.last == "]", (4...41).contains(name.utf8.count) else { return false }
        return name.dropFirst().dropLast().allSatisfy { ($0.isHexDigit && $0.isASCII) || $0 == ":" }
    }

    private static func isPath(_ path: Substring) -> Bool {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        return segments.allSatisfy { segment in
            !segment.isEmpty && segment != "." && segment != ".."
                && segment.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) }
        }
    }

    /// Whether the server runs on this machine.
    var isThisMachine: Bool { Self.isThisMachine(name) }

    private static func isThisMachine(_ name: String) -> Bool {
        if name == "localhost" || name == "[::1]" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
