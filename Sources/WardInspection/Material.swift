internal import WardText

/// The input of an inspection in any text form: JSON, base64url, base64, hexadecimal, PEM, or a QR code's text.
public struct Material: Hashable, Sendable {
    /// A text form.
    public enum Form: String, Hashable, Sendable {
        /// A JSON object.
        case json
        /// Base64url or base64, padded or not.
        case base64
        /// Pairs of hexadecimal digits, with or without colons and spaces.
        case hexadecimal
        /// PEM; the first block is used.
        case pem
        /// The text of a cross-device QR code, `FIDO:/` and digits.
        case qrCode = "qr-code"
        /// Plain bytes.
        case raw
    }

    /// The text form of the input.
    public let form: Form
    /// The bytes.
    ///
    /// For JSON they are its text.
    public let bytes: [UInt8]

    /// Reads at most 1 MiB and detects the form.
    ///
    /// - Parameter input: A file's content, or an argument's text.
    /// - Throws: ``InspectionError`` if the form is unknown.
    public init(_ input: [UInt8]) throws(InspectionError) {
        guard input.count <= 1 << 20 else { throw InspectionError("the input is larger than 1 MiB") }
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
        let trimmed = Array(input.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        guard let first = trimmed.first else { throw InspectionError("the input is empty") }
        guard trimmed.allSatisfy({ isSpace($0) || (0x21...0x7e).contains($0) }) || first == UInt8(ascii: "{") else {
            (form, bytes) = (.raw, input)
            return
        }
        let text = String(decoding: trimmed, as: UTF8.self)
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            (form, bytes) = (.json, trimmed)
        } else if text.hasPrefix("-----BEGIN ") {
            guard let decoded = Self.pem(text) else { throw InspectionError("the PEM block is malformed") }
            (form, bytes) = (.pem, decoded)
        } else if text.uppercased().hasPrefix("FIDO:/") {
            guard let decoded = Self.digits(text.dropFirst(6)) else {
                throw InspectionError("the digits after FIDO:/ are malformed")
            }
            (form, bytes) = (.qrCode, decoded)
        } else if let decoded = Self.hexadecimal(text) {
            (form, bytes) = (.hexadecimal, decoded)
        } else if let decoded = Self.base64(text) {
            (form, bytes) = (.base64, decoded)
        } else {
            throw InspectionError("this is neither JSON nor base64url, hexadecimal, PEM or a FIDO:/ code")
        }
    }

    /// Hexadecimal digits in pairs; colons, spaces and a leading `0x` are ignored.
    static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = (text.hasPrefix("0x") ? text.dropFirst(2) : text[...]).filter { $0 != ":" && !$0.isWhitespace }
        return digits.isEmpty ? nil : Hex.decode(digits)
    }

    /// Base64 in either alphabet, with or without padding, also across lines.
    static func base64(_ text: String) -> [UInt8]? {
        Base64.decode(lenient: text).flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func pem(_ text: String) -> [UInt8]? {
        let lines = text.split(whereSeparator: \.isNewline).map(String.init)
        guard let begin = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN ") }),
            let end = lines[begin...].firstIndex(where: { $0.hasPrefix("-----END ") })
        else { return nil }
        return base64(lines[(begin + 1)..<end].joined())
    }

    /// CTAP 2.3, section 11.5.1: seven bytes are written as seventeen digits, little-endian; shorter tails as fewer.
    private static func digits(_ text: Substring) -> [UInt8]? {
        let lengths = [17: 7, 15: 6, 13: 5, 10: 4, 8: 3, 5: 2, 3: 1]
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let group = rest.prefix(17)
            guard let count = lengths[group.count], group.allSatisfy({ (0x30...0x39).contains($0) }),
                var value = UInt64(String(decoding: group, as: UTF8.self))
            else { return nil }
            for _ in 0..<count {
                bytes.append(UInt8(truncatingIfNeeded: value))
                value >>= 8
            }
            guard value == 0 else { return nil }
            rest = rest.dropFirst(17)
        }
        return bytes.isEmpty ? nil : bytes
    }
}

/// Why an input cannot be inspected, in one sentence.
public struct InspectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    package init(_ description: String) { self.description = description }
}
