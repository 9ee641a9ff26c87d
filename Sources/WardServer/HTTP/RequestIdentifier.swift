import HTTPTypes
import Hummingbird
import Logging

/// The ID of a request.
///
/// The answer has it in `X-Request-ID`, and every line of the log about the request has it.
struct RequestIdentifier {
    let text: String

    /// Uses the ID in the request if it is short and has only letters, digits, `-`, `_` and `.`.
    ///
    /// Otherwise it creates a random one.
    ///
    /// Proxies send their own ID, so that both logs have the same one. A stranger can also send one, such as the ID of another
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

    /// Adds the ID to every line that the context's logger writes.
    ///
    /// The framework's own ID is written too. A request cannot choose that one.
    func note(in context: inout WardRequestContext) {
        context.logger[metadataKey: "request.id"] = .string(text)
    }
}

extension HTTPField.Name {
    /// `X-Request-ID`.
    ///
    /// The name is valid, so the fallback is never used.
    static let requestID = Self("X-Request-ID") ?? .server
}
