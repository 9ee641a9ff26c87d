import HTTPTypes
import Hummingbird
import Logging

/// The name of one request in the answer (`X-Request-ID`) and in every line of the log.
struct RequestIdentifier {
    let text: String

    /// Takes over the name that a request brings, if it is short and has letters, digits, `-`, `_` and `.` only; otherwise
    /// draws one.
    ///
    /// Proxies send their own, so that one name stands in both logs. Strangers can send one too, such as the name of another
    /// request: see ``note(in:)``.
    init(_ request: Request) {
        let given = request.headers[.requestID] ?? ""
        let isClean = (1...64).contains(given.utf8.count) && given.utf8.allSatisfy(Self.isAllowed)
        text = isClean ? given : String(UInt64.random(in: .min ... .max) | 1 << 63, radix: 16)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Puts the name into every line that the context's logger writes.
    ///
    /// The framework's own name stays beside it: no request can choose that.
    func note(in context: inout WardRequestContext) {
        context.logger[metadataKey: "request.id"] = .string(text)
    }
}

extension HTTPField.Name {
    /// `X-Request-ID`; the fallback is never used.
    static let requestID = Self("X-Request-ID") ?? .server
}
