import WardWebAuthn

/// Where a client receives people and codes.
///
/// Nothing is decoded or normalised: URIs are compared character by character
/// ([RFC 9700, section 4.1.3](https://www.rfc-editor.org/rfc/rfc9700#section-4.1.3)), except for the port of a loopback
/// address, which a native app chooses when it starts
/// ([RFC 8252, section 7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3)).
package enum RedirectURI {
    /// The longest URI, in bytes.
    package static let maximumLength = 2_048

    /// Checks a URI that a client registers.
    ///
    /// - Parameters:
    ///   - text: The URI.
    ///   - isPublic: Whether the client is public: only such a client can be a native app.
    /// - Throws: ``ServerConfigurationError`` that says which form is expected.
    package static func check(_ text: String, isPublic: Bool) throws(ServerConfigurationError) {
        func refused(_ why: String) -> ServerConfigurationError {
            ServerConfigurationError("the redirect URI \"\(text)\" cannot be used: \(why)")
        }
        guard text.utf8.count <= maximumLength, text.utf8.allSatisfy(isPlain) else {
            throw refused("it must be at most \(maximumLength) printable ASCII characters without spaces and \\")
        }
        guard !text.contains("#") else { throw refused("it must not have a fragment") }
        guard !text.contains("*") else { throw refused("there are no wildcards; register each URI") }
        guard let colon = text.firstIndex(of: ":") else { throw refused("it must begin with https://") }
        let (scheme, rest) = (text[..<colon], text[text.index(after: colon)...])
        switch scheme {
        case "https", "http":
            guard rest.hasPrefix("//") else { throw refused("a host must follow \(scheme)://") }
            let authority = rest.dropFirst(2).prefix { !"/?".contains($0) }
            guard !authority.contains("@") else { throw refused("it must not have a user name") }
            guard scheme == "http" else {
                do { _ = try WebOrigin("https://\(authority)") } catch { throw refused(error.description) }
                return
            }
            guard isLoopback(text) || isLocalhost(authority) else {
                throw refused("http:// is only for 127.0.0.1, [::1] and localhost; use https://")
            }
        default:
            // RFC 8252, section 7.1: a domain that belongs to the app's maker, in reverse.
            guard isPublic, scheme.contains("."), scheme.utf8.allSatisfy(isSchemeByte), scheme.first?.isLetter == true
            else {
                throw refused(
                    "it must begin with https://; a native app, which has no secret, may also use a scheme such as "
                        + "com.example.app:/callback"
                )
            }
        }
    }

    /// Whether a URI of a request is one that the client registered.
    static func isRegistered(_ uri: String, in registered: [String]) -> Bool {
        registered.contains { registered in
            if registered.utf8.elementsEqual(uri.utf8) { return true }
            guard let known = loopbackParts(registered), let given = loopbackParts(uri) else { return false }
            return known.host == given.host && known.rest.utf8.elementsEqual(given.rest.utf8)
        }
    }

    /// The origin of a URI, or the scheme of a native app's, for people.
    static func place(_ uri: String) -> String {
        let parts = uri.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[1].isEmpty else { return String(uri.prefix { $0 != ":" }) }
        return parts.prefix(3).joined(separator: "/").prefix { $0 != "?" }.description
    }

    private static func isLoopback(_ text: String) -> Bool { loopbackParts(text) != nil }

    private static func isLocalhost(_ authority: Substring) -> Bool {
        (try? WebOrigin("http://\(authority)")) != nil
    }

    /// The host, and what follows the port, of a URI with `http` and a loopback address; `nil` for any other.
    private static func loopbackParts(_ text: String) -> (host: String, rest: Substring)? {
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

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "+"):
            true
        default: false
        }
    }
}
