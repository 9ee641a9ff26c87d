import WardText

/// Where a request stands in a trace: [W3C Trace Context](https://www.w3.org/TR/trace-context/).
package struct TraceContext: Hashable, Sendable {
    /// The trace, 32 hexadecimal digits.
    package let traceID: String
    /// The work that the next one belongs to, 16 hexadecimal digits.
    package let parentID: String
    /// Whether the caller records the trace, and other flags: 2 hexadecimal digits.
    package let flags: String

    private init(traceID: String, parentID: String, flags: String) {
        self.traceID = traceID
        self.parentID = parentID
        self.flags = flags
    }

    /// Reads the field `traceparent`, or returns `nil` for anything that is not one.
    ///
    /// Section 3.2: a later version may have more parts, and its first four count.
    package init?(traceparent text: String) {
        guard text.utf8.count >= Self.length else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 4,
            [parts[0].utf8.count, parts[1].utf8.count, parts[2].utf8.count, parts[3].utf8.count]
                == [2, 32, 16, 2]
        else { return nil }
        guard parts[0] != "ff", parts[0] != "00" || text.utf8.count == Self.length,
            parts.prefix(4).allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
        else { return nil }
        self.init(traceID: parts[1], parentID: parts[2], flags: parts[3])
    }

    /// The length of the field's version 00.
    private static var length: Int { 55 }

    /// Upper case is not allowed.
    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    /// The context of work that belongs to this one, with an ID of its own.
    package func child() -> TraceContext {
        let id = UInt64.random(in: 1 ... .max)
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: id >> (56 - 8 * $0)) }
        return TraceContext(traceID: traceID, parentID: Hex.encode(bytes), flags: flags)
    }

    /// The field's text in version 00.
    package var text: String { "00-\(traceID)-\(parentID)-\(flags)" }
}
