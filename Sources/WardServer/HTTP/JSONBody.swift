import HTTPTypes
package import Hummingbird
import NIOCore

extension Request {
    /// Reads the whole body of a JSON call without parsing it.
    ///
    /// - Parameter limit: The maximum number of bytes; the service never reads more.
    /// - Returns: The bytes as received.
    /// - Throws: ``APIError`` with `unsupported_media_type` or `body_too_large`.
    package func jsonBody(upTo limit: Int = ConnectionLimits.standard.bodyBytes) async throws -> [UInt8] {
        guard Self.declaresJSON(headers[.contentType]) else {
            throw APIError(.unsupportedMediaType, "The Content-Type must be application/json.")
        }
        return try await wholeBody(upTo: limit)
    }

    /// Reads the whole body, of any type.
    ///
    /// - Throws: ``APIError`` with `body_too_large`.
    func wholeBody(upTo limit: Int = ConnectionLimits.standard.bodyBytes) async throws -> [UInt8] {
        if let declared = headers[.contentLength], let length = Int(declared), length > limit {
            throw Self.tooLarge(limit)
        }
        var bytes: [UInt8] = []
        for try await part in body {
            guard bytes.count + part.readableBytes <= limit else { throw Self.tooLarge(limit) }
            bytes.append(contentsOf: part.readableBytesView)
        }
        return bytes
    }

    /// Whether the type is `application/json`, with any parameters: JSON is always UTF-8 (RFC 8259, section 8.1).
    private static func declaresJSON(_ contentType: String?) -> Bool {
        guard let contentType, let type = contentType.split(separator: ";", maxSplits: 1).first else { return false }
        return type.trimmingSpace().lowercased() == "application/json"
    }

    private static func tooLarge(_ limit: Int) -> APIError {
        APIError(.bodyTooLarge, "The request's body can have at most \(limit) bytes.")
    }
}

extension StringProtocol {
    /// The text without leading and trailing spaces and tabs.
    func trimmingSpace() -> SubSequence {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return self[endIndex...]
        }
        return self[first...last]
    }
}
