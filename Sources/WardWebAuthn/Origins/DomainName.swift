/// A valid domain name in lower-case ASCII form: dot-separated labels of letters, digits and inner hyphens.
///
/// International names are in their `xn--` form, as origins and RP IDs carry them. IP addresses are refused: WebAuthn takes
/// none ([§4, RP ID](https://www.w3.org/TR/webauthn-3/#rp-id)).
public struct DomainName: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let description: String

    /// Reads a name of at most 253 bytes with labels of 1 to 63.
    ///
    /// - Parameter text: Lower-case ASCII, without a trailing period and without a port.
    /// - Throws: ``OriginError`` with `malformedHost` or `addressNotAllowed`.
    public init(_ text: String) throws(OriginError) {
        if text.hasPrefix("[") { throw OriginError(.addressNotAllowed, "an IP address is no domain name") }
        guard (1...253).contains(text.utf8.count) else {
            throw OriginError(.malformedHost, "a domain name has 1 to 253 bytes")
        }
        let labels = text.utf8.split(separator: 0x2e, omittingEmptySubsequences: false)
        for label in labels {
            guard (1...63).contains(label.count) else {
                throw OriginError(.malformedHost, "a label of a domain name has 1 to 63 bytes")
            }
            guard label.allSatisfy({ $0.isASCIILetterOrDigit && !(0x41...0x5a).contains($0) || $0 == 0x2d }),
                label.first != 0x2d, label.last != 0x2d
            else {
                throw OriginError(
                    .malformedHost,
                    "a domain name is lower-case letters, digits and inner hyphens (international names as xn--…)"
                )
            }
        }
        // URL, "ends in a number": such a host is read as an IPv4 address.
        if let last = labels.last, last.allSatisfy({ (0x30...0x39).contains($0) }) || last.starts(with: "0x".utf8) {
            throw OriginError(.addressNotAllowed, "an IP address is no domain name")
        }
        description = text
    }

    /// `localhost` and the names below it, which browsers treat as secure and keep on the machine.
    public var isLocalhost: Bool { description == "localhost" || description.hasSuffix(".localhost") }

    /// Whether this name is `parent` or lies below it, label by label.
    public func isEqualToOrBelow(_ parent: DomainName) -> Bool {
        description == parent.description || description.hasSuffix("." + parent.description)
    }
}

extension UInt8 {
    var isASCIILetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self)
    }
}
