internal import WardText

/// The client data that a relying party expects, so that it can compare bytes without parsing.
///
/// The limited verification algorithm: clients write the members in a fixed form, so a relying party that knows type,
/// challenge and origin can compare bytes. Equal bytes are valid. Other bytes can still be valid (a client with another
/// serialization); ``CollectedClientData`` then parses them.
///
/// WebAuthn Level 3, [§5.8.1.2](https://www.w3.org/TR/webauthn-3/#clientdatajson-verification).
package struct ClientDataTemplate: Sendable {
    private let beforeChallenge: [UInt8]
    private let afterChallenge: [UInt8]

    private static let framed = Array(",\"crossOrigin\":false".utf8)

    /// Creates a template for a type and an origin.
    package init(type: String, origin: String) {
        beforeChallenge = Array("{\"type\":".utf8) + JSONValue.string(type).serialized + Array(",\"challenge\":\"".utf8)
        afterChallenge = Array("\",\"origin\":".utf8) + JSONValue.string(origin).serialized
    }

    /// Whether `bytes` is this client data with `challenge`, not in a frame of another origin.
    ///
    /// - Parameters:
    ///   - bytes: The bytes as received.
    ///   - challenge: The challenge's raw bytes.
    /// - Returns: `true` only if type, challenge, origin and `crossOrigin: false` are exactly where a client of Level 3
    ///   writes them, and nothing follows. The standard's algorithm would ignore further members; here they go to the
    ///   full parser.
    package func matches(_ bytes: Span<UInt8>, challenge: [UInt8]) -> Bool {
        // 43 characters for 32 bytes: the form without padding.
        let encoded = Base64URL.encodedBytes(challenge)
        var offset = 0
        guard Self.compare(beforeChallenge, bytes, &offset), Self.compare(encoded, bytes, &offset),
            Self.compare(afterChallenge, bytes, &offset), Self.compare(Self.framed, bytes, &offset),
            bytes.count - offset == 1
        else { return false }
        return bytes[offset] == UInt8(ascii: "}")
    }

    private static func compare(_ expected: [UInt8], _ bytes: Span<UInt8>, _ offset: inout Int) -> Bool {
        guard bytes.count - offset >= expected.count else { return false }
        let found = bytes.extracting(offset..<(offset + expected.count))
        offset += expected.count
        return isEqualInConstantTime(expected.span, found)
    }
}
