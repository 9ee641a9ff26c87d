internal import WardText

/// Splits a link into its parts.
///
/// The text need not be a valid link.
enum LinkText {
    /// The maximum length of a link.
    ///
    /// No QR code contains more.
    static let maximumLength = 8192

    /// The text after `scheme://`, or `nil` if the text does not begin with the scheme.
    ///
    /// Case does not matter.
    static func removing(scheme: String, from text: String) -> Substring? {
        let prefix = scheme + "://"
        guard text.prefix(prefix.count).lowercased() == prefix else { return nil }
        return text.dropFirst(prefix.count)
    }

    /// The decoded parameters of a query, with names in lower case.
    ///
    /// If a name has two values, the first one is used.
    static func parameters(_ query: Substring) -> [String: String] {
        var found: [String: String] = [:]
        let withoutFragment = query.prefix { $0 != "#" }
        for piece in withoutFragment.split(separator: "&") {
            let halves = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = halves.first, !name.isEmpty else { continue }
            let key = decode(name).lowercased()
            if found[key] == nil { found[key] = halves.count > 1 ? decode(halves[1]) : "" }
        }
        return found
    }

    /// Decodes percent-encoding.
    ///
    /// Other text stays as it is.
    static func decode(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = Hex.value(bytes[index + 1]),
                let low = Hex.value(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        // If the decoded bytes are not text, the original text is used.
        return String(validating: decoded, as: UTF8.self) ?? String(text)
    }

    /// Percent-encodes all characters except letters, digits and `-._~` (RFC 3986, section 2.3).
    static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e:
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                encoded += "%" + Hex.encode([byte], uppercase: true)
            }
        }
        return encoded
    }
}

extension String {
    /// The text without white space at either end.
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
