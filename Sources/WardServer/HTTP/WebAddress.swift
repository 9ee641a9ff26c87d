import WardWebAuthn

/// Addresses with `https`, or with `http` on this machine.
enum WebAddress {
    /// The longest address, in bytes.
    static let maximumLength = 2_048

    /// What is wrong with the spelling of an address with any scheme, as the end of a sentence, or `nil` if nothing is.
    static func spellingProblem(_ text: String) -> String? {
        guard text.utf8.count <= maximumLength, text.utf8.allSatisfy(isPlain) else {
            return "it must be at most \(maximumLength) printable ASCII characters without spaces and \\"
        }
        return text.contains("#") ? "it must not have a fragment" : nil
    }

    /// What is wrong with an address, as the end of a sentence, or `nil` if nothing is.
    static func problem(_ text: String) -> String? {
        if let problem = spellingProblem(text) { return problem }
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let scheme = parts.first, let rest = parts.last, scheme == "https" || scheme == "http"
        else { return "it must begin with https://" }
        guard rest.hasPrefix("//") else { return "a host must follow \(scheme)://" }
        let authority = rest.dropFirst(2).prefix { !"/?".contains($0) }
        guard !authority.contains("@") else { return "it must not have a user name" }
        guard scheme == "http" else {
            do { _ = try WebOrigin("https://\(authority)") } catch { return error.description }
            return nil
        }
        guard loopbackParts(text) != nil || (try? WebOrigin("http://\(authority)")) != nil else {
            return "http:// is only for 127.0.0.1, [::1] and localhost; use https://"
        }
        return nil
    }

    /// The host, and what follows the port, of an address with `http` and a loopback address; `nil` for any other.
    static func loopbackParts(_ text: String) -> (host: String, rest: Substring)? {
        for host in ["127.0.0.1", "[::1]"] {
            guard text.hasPrefix("http://\(host)") else { continue }
            let rest = text.dropFirst("http://\(host)".count)
            if rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?") { return (host, rest) }
            guard rest.hasPrefix(":") else { return nil }
            let port = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            let end = rest.dropFirst(1 + port.count)
            guard let number = UInt16(port), number > 0, end.isEmpty || end.hasPrefix("/") || end.hasPrefix("?") else {
                return nil
            }
            return (host, end)
        }
        return nil
    }

    /// Printable ASCII without spaces, quotation marks and angle brackets, and without `\`, which browsers read as `/`.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && !"\\\"<>^`{|}".utf8.contains(byte)
    }
}
