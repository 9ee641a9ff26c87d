import WardWebAuthn

/// Where a client receives people and codes.
///
/// Nothing is decoded or normalised: URIs are compared character by character
/// ([RFC 9700, section 4.1.3](https://www.rfc-editor.org/rfc/rfc9700#section-4.1.3)), except for the port of a loopback
/// address, which a native app chooses when it starts
/// ([RFC 8252, section 7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3)).
package enum RedirectURI {
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
        if let problem = WebAddress.spellingProblem(text) { throw refused(problem) }
        guard !text.contains("*") else { throw refused("there are no wildcards; register each URI") }
        guard let colon = text.firstIndex(of: ":") else { throw refused("it must begin with https://") }
        let scheme = text[..<colon]
        switch scheme {
        case "https", "http":
            if let problem = WebAddress.problem(text) { throw refused(problem) }
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
            guard let known = WebAddress.loopbackParts(registered),
                let given = WebAddress.loopbackParts(uri)
            else { return false }
            return known.host == given.host && known.rest.utf8.elementsEqual(given.rest.utf8)
        }
    }

    /// The origin of a URI, or the scheme of a native app's, for people.
    static func place(_ uri: String) -> String {
        let parts = uri.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[1].isEmpty else { return String(uri.prefix { $0 != ":" }) }
        return parts.prefix(3).joined(separator: "/").prefix { $0 != "?" }.description
    }

    /// The origin of the pages that receive people at a URI, as browsers write it; `nil` for the scheme of a native app.
    static func origin(_ uri: String) -> String? {
        let place = place(uri)
        if let loopback = WebAddress.loopbackParts(place) {
            return place == "http://\(loopback.host):80" ? "http://\(loopback.host)" : place
        }
        return (try? WebOrigin(place))?.description
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
