/// A valid domain name in lower-case ASCII: dot-separated labels of letters, digits and inner hyphens.
///
/// International names are in their `xn--` form, as in origins and RP IDs. IP addresses are refused, because WebAuthn
/// does not allow them ([§4, RP ID](https://www.w3.org/TR/webauthn-3/#rp-id)).
public struct DomainName: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let description: String

    /// Reads a name of at most 253 bytes with labels of 1 to 63.
    ///
    /// - Parameter text: Lower-case ASCII, without a trailing period and without a port.
    /// - Throws: ``OriginError`` with `malformedHost` or `addressNotAllowed`.
    public init(_ text: String) throws(OriginError) {
        if text.hasPrefix("[") { throw OriginError(.addressNotAllowed, "an IP address is not a domain name") }
        guard (1...253).contains(text.utf8.count) else {
            throw OriginError(.malformedHost, "a domain name must have 1 to 253 bytes")
        }
        let labels = text.utf8.split(separator: 0x2e, omittingEmptySubsequences: false)
        for label in labels {
            guard (1...63).contains(label.count) else {
                throw OriginError(.malformedHost, "each label of a domain name must have 1 to 63 bytes")
            }
            guard label.allSatisfy({ $0.isASCIILetterOrDigit && !(0x41...0x5a).contains($0) || $0 == 0x2d }),
                label.first != 0x2d, label.last != 0x2d
            else {
                throw OriginError(
                    .malformedHost,
                    "a domain name must consist of lower-case letters, digits and inner hyphens (international names as xn--…)"
                )
            }
        }
        // URL, "ends in a number": such a host is parsed as an IPv4 address.
        if let last = labels.last, last.allSatisfy({ (0x30...0x39).contains($0) }) || last.starts(with: "0x".utf8) {
            throw OriginError(.addressNotAllowed, "an IP address is not a domain name")
        }
        description = text
    }

    /// Whether this is `localhost` or a name below it, which browsers treat as secure and resolve to this machine.
    public var isLocalhost: Bool { description == "localhost" || description.hasSuffix(".localhost") }

    /// Whether this name is `parent` or is below it, compared label by label.
    public func isEqualToOrBelow(_ parent: DomainName) -> Bool {
        description == parent.description || description.hasSuffix("." + parent.description)
    }
}

extension UInt8 {
    var isASCIILetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self)
    }
}
