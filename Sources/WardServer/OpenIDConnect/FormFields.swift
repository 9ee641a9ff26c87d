import Hummingbird
import NIOCore
import WardText

/// The parameters of a request, from its query or its body in the form `application/x-www-form-urlencoded`.
///
/// A parameter without a value counts as absent, and none may be there twice: RFC 6749,
/// [section 3.1](https://www.rfc-editor.org/rfc/rfc6749#section-3.1).
struct FormFields: Sendable {
    /// The text that was read.
    let text: String
    /// Whether a name is there twice, or something is not encoded as it must be.
    let isMalformed: Bool
    private let values: [String: String]

    /// Reads the text between `?` and `#`, or a body.
    init(_ text: String) {
        var (values, isMalformed): ([String: String], Bool) = ([:], false)
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(parts[0]), let value = Self.decode(parts.count == 2 ? parts[1] : "") else {
                isMalformed = true
                continue
            }
            if values[name] != nil { isMalformed = true }
            values[name] = value
        }
        self.text = text
        self.values = values
        self.isMalformed = isMalformed
    }

    /// Reads a query.
    init(_ request: Request) {
        self.init(request.uri.query ?? "")
    }

    /// The value, or `nil` if it is absent or empty.
    subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// The words of a value that spaces separate.
    func words(_ name: String) -> [String] { self[name]?.split(separator: " ").map(String.init) ?? [] }

    /// The text without one of its parameters.
    func text(without name: String) -> String {
        text.split(separator: "&").filter { $0 != name && !$0.hasPrefix("\(name)=") }.joined(separator: "&")
    }

    /// Bytes as they stand in a query.
    static func encode(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                encoded += "%" + Hex.encode([byte], uppercase: true)
            }
        }
    }

    /// The text of percent-encoded bytes, or `nil` if they are not UTF-8 or not encoded as they must be.
    static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Hex.value), let low = rest.popFirst().flatMap(Hex.value) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension Request {
    /// Reads the whole body of a form.
    ///
    /// - Returns: The parameters, or `nil` if it is not a form.
    /// - Throws: ``APIError`` with `body_too_large`.
    func formBody() async throws -> FormFields? {
        let type = headers[.contentType]?.split(separator: ";", maxSplits: 1).first
        guard type?.trimmingSpace().lowercased() == "application/x-www-form-urlencoded" else { return nil }
        return String(validating: try await wholeBody(), as: UTF8.self).map { FormFields($0) }
    }
}
