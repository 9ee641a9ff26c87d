/// The client data a relying party expects, written out beforehand, so that what arrives is compared and not parsed.
///
/// The limited verification algorithm: clients write their members in one fixed form, so a relying party that knows type,
/// challenge and origin compares bytes. What does not match may still be right (a client with another serialization), which
/// the full parse of ``CollectedClientData`` decides; what matches is right.
///
/// WebAuthn Level 3, [§5.8.1.2](https://www.w3.org/TR/webauthn-3/#clientdatajson-verification).
package struct ClientDataTemplate: Sendable {
    private let beforeChallenge: [UInt8]
    private let afterChallenge: [UInt8]

    private static let framed = Array(",\"crossOrigin\":false".utf8)

    /// Expects `type` from `origin`.
    package init(type: String, origin: String) {
        beforeChallenge = Array("{\"type\":".utf8) + JSONValue.string(type).serialized + Array(",\"challenge\":\"".utf8)
        afterChallenge = Array("\",\"origin\":".utf8) + JSONValue.string(origin).serialized
    }

    /// Whether `bytes` is this client data with `challenge`, not framed by another origin.
    ///
    /// - Parameters:
    ///   - bytes: The bytes as received.
    ///   - challenge: The challenge's raw bytes.
    /// - Returns: `true` only when type, challenge, origin and `crossOrigin: false` stand where a client of Level 3 writes
    ///   them and nothing follows. The algorithm would allow further members unseen; those go to the full parse here.
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
        var difference: UInt8 = 0
        var index = offset
        for byte in expected {
            difference |= byte ^ bytes[index]
            index += 1
        }
        offset = index
        return difference == 0
    }
}
