/// An e-mail address that messages can be sent to, such as `ada@example.com`.
///
/// The syntax is the one of HTML's [valid e-mail address](https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address),
/// within the lengths of RFC 5321: ASCII only, no quotes, no comments, no spaces and no control characters. So an address cannot
/// end a line of a message or of SMTP. The domain must have a dot. A domain with other letters has an ASCII form, which begins
/// with `xn--`; browsers write it into a field for addresses by themselves.
public struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    /// The largest number of bytes (RFC 5321, section 4.5.3.1.3, without the angle brackets).
    public static let maximumLength = 254
    /// The largest number of bytes before the `@` (RFC 5321, section 4.5.3.1.1).
    public static let maximumLocalLength = 64

    /// The address; its domain is in lower case.
    public let text: String
    /// A description: the same text as ``text``.
    public var description: String { text }

    /// The part after the `@`.
    public var domain: String { text.split(separator: "@").last.map(String.init) ?? "" }

    /// Reads an address.
    ///
    /// - Parameter text: The address; spaces around it are not part of it.
    /// - Throws: ``EmailAddressError`` if messages cannot be sent to it.
    public init(_ text: String) throws(EmailAddressError) {
        let scalars = text.unicodeScalars
        guard scalars.allSatisfy({ $0.value < 0x80 }) else { throw .notASCII }
        let trimmed = Array(text.utf8.drop { $0 == UInt8(ascii: " ") }.reversed().drop { $0 == UInt8(ascii: " ") })
        let bytes = Array(trimmed.reversed())
        guard bytes.count <= Self.maximumLength else { throw .tooLong }
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, let local = parts.first, let domain = parts.last else { throw .malformed }
        guard local.count <= Self.maximumLocalLength else { throw .tooLong }
        guard Self.isLocalPart(local), Self.isDomain(domain) else { throw .malformed }
        let lowercased = String(decoding: domain, as: UTF8.self).lowercased()
        self.text = "\(String(decoding: local, as: UTF8.self))@\(lowercased)"
    }

    /// RFC 5322's dot-atom.
    private static func isLocalPart(_ local: ArraySlice<UInt8>) -> Bool {
        let atoms = local.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return atoms.allSatisfy { atom in
            !atom.isEmpty && atom.allSatisfy { isLetterOrDigit($0) || Array("!#$%&'*+/=?^_`{|}~-".utf8).contains($0) }
        }
    }

    private static func isDomain(_ domain: ArraySlice<UInt8>) -> Bool {
        let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2 else { return false }
        let hyphen = UInt8(ascii: "-")
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                && label.allSatisfy { isLetterOrDigit($0) || $0 == hyphen }
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

/// Why a text is no address that messages can be sent to.
public enum EmailAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is longer than an address can be.
    case tooLong
    /// The text has other letters than ASCII has.
    case notASCII
    /// The text is not of the form `name@example.com`.
    case malformed

    /// One sentence, without the text.
    public var description: String {
        switch self {
        case .tooLong: "The e-mail address is too long: at most 254 characters, and 64 before the @."
        case .notASCII:
            "The e-mail address has letters other than a to z. Write its domain in the form that begins with xn--."
        case .malformed: "This is not an e-mail address such as name@example.com."
        }
    }
}
