internal import WardText

/// The client's statement about a ceremony: its type, its challenge and the caller's origin.
///
/// WebAuthn Level 3, [§5.8.1](https://www.w3.org/TR/webauthn-3/#dictdef-collectedclientdata).
public struct CollectedClientData: Hashable, Sendable {
    /// `webauthn.create` or `webauthn.get`.
    public let type: String
    /// The challenge in base64url, as the client wrote it.
    public let challenge: String
    /// The caller's origin, as the client wrote it.
    public let origin: String
    /// Whether the page was in a frame of another origin; `nil` for clients of Level 1.
    public let crossOrigin: Bool?
    /// The top-level origin, if the page was in a frame of another origin.
    public let topOrigin: String?

    /// Creates the client data of one ceremony.
    public init(type: String, challenge: String, origin: String, crossOrigin: Bool?, topOrigin: String? = nil) {
        self.type = type
        self.challenge = challenge
        self.origin = origin
        self.crossOrigin = crossOrigin
        self.topOrigin = topOrigin
    }

    /// Reads client data.
    ///
    /// A byte order mark is skipped, unknown members are allowed, duplicate ones are not.
    ///
    /// - Parameter bytes: The bytes that are hashed; at most 64 KiB.
    /// - Throws: ``WebAuthnError`` with `malformedClientData`.
    public init(parsing bytes: [UInt8]) throws(WebAuthnError) {
        do {
            self = try Self.read(bytes.span)
        } catch {
            throw WebAuthnError(.malformedClientData, "\(error)")
        }
    }

    private static let members = MemberNames(["type", "challenge", "origin", "crossOrigin", "topOrigin"])

    private static func read(_ input: Span<UInt8>) throws(JSONError) -> CollectedClientData {
        guard input.count <= 65_536 else { throw JSONError(.tooManyItems, at: 0) }
        // L3 #sctn-registering-a-new-credential, step 5: "UTF-8 decode" strips a byte order mark.
        let hasMark = input.count >= 3 && input[0] == 0xef && input[1] == 0xbb && input[2] == 0xbf
        var reader = JSONReader(at: hasMark ? 3 : 0)
        var type: String?
        var challenge: String?
        var origin: String?
        var crossOrigin: Bool?
        var topOrigin: String?
        var seen = SeenMembers()
        var members = try reader.readObject(input)
        while let name = try reader.nextName(&members, input) {
            switch try seen.record(name, Self.members, &reader, input) {
            case 0: type = try reader.readString(input)
            case 1: challenge = try reader.readString(input)
            case 2: origin = try reader.readString(input)
            case 3: crossOrigin = try reader.readBool(input)
            case 4: topOrigin = try reader.readString(input)
            default: _ = try reader.skip(input)
            }
        }
        try reader.finish(input)
        guard let type, let challenge, let origin else { throw JSONError(.wrongType, at: 0) }
        return .init(type: type, challenge: challenge, origin: origin, crossOrigin: crossOrigin, topOrigin: topOrigin)
    }

    /// The bytes that a client hashes: the standard's serialization, with the members in fixed order.
    ///
    /// WebAuthn Level 3, [§5.8.1.1](https://www.w3.org/TR/webauthn-3/#clientdatajson-serialization).
    public var serialized: [UInt8] {
        var output = Array("{\"type\":".utf8)
        Self.write(type, to: &output)
        output.append(contentsOf: ",\"challenge\":".utf8)
        Self.write(challenge, to: &output)
        output.append(contentsOf: ",\"origin\":".utf8)
        Self.write(origin, to: &output)
        output.append(contentsOf: (crossOrigin == true ? ",\"crossOrigin\":true" : ",\"crossOrigin\":false").utf8)
        if let topOrigin {
            output.append(contentsOf: ",\"topOrigin\":".utf8)
            Self.write(topOrigin, to: &output)
        }
        output.append(UInt8(ascii: "}"))
        return output
    }

    /// CCDToString: escapes only quotes, backslashes and characters below a space.
    private static func write(_ string: String, to output: inout [UInt8]) {
        output.append(contentsOf: JSONValue.string(string).serialized)
    }
}
