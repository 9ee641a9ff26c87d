public import WardText

/// The known values for an inspection, besides the message itself.
///
/// A check without its value is skipped.
public struct InspectionRequest: Sendable {
    /// The RP ID.
    ///
    /// Without it nothing is verified.
    public var rpID: String?
    /// The allowed origins.
    ///
    /// If the list is empty, the origin is not checked.
    public var origins: [String] = []
    /// The allowed origins of pages around a frame.
    public var topOrigins: [String] = []
    /// The challenge that was sent.
    public var challenge: [UInt8]?
    /// The credential's public key in COSE form, for assertions.
    public var publicKey: [UInt8]?
    /// The signature counter of the record, for assertions.
    public var signCount: UInt32 = 0
    /// The backup eligibility of the record, for assertions.
    public var backupEligible: Bool?
    /// Whether user verification is required.
    public var requiresUserVerification = false
    /// Whether the passkey was created without a prompt (automatic upgrade).
    public var isConditional = false
    /// The FIDO AppID that was requested, for assertions.
    public var appID: String?
    /// Trust anchors, in DER.
    public var trustAnchors: [[UInt8]] = []
    /// A metadata BLOB of the FIDO Metadata Service, as text.
    public var metadata: [UInt8]?
    /// The time of verification, in seconds since 1970; default: now.
    public var at: Int64?

    /// Creates a request without known values.
    public init() {}

    /// Whether there is enough input to verify anything.
    public var canVerify: Bool { rpID != nil }
}

extension InspectionRequest {
    /// Reads a request from a JSON object: the names of the options, with hyphens or in camel case, over `defaults`.
    ///
    /// - Parameters:
    ///   - line: The object.
    ///   - defaults: The values of absent members.
    /// - Throws: ``InspectionError`` with the malformed member.
    public init(_ line: JSONValue, defaults: InspectionRequest) throws(InspectionError) {
        self = defaults
        guard let members = line.objectValue else { throw InspectionError("each line must be one JSON object") }
        for member in members {
            switch Self.dashed(member.name) {
            case "rp-id": rpID = try Self.string(member)
            case "origin", "origins": origins = try Self.strings(member)
            case "top-origin", "top-origins": topOrigins = try Self.strings(member)
            case "challenge": challenge = try Self.bytes(member)
            case "public-key": publicKey = try Self.bytes(member)
            case "sign-count":
                guard let count = member.value.integerValue.flatMap(UInt32.init(exactly:)) else {
                    throw InspectionError("\(member.name) must be a whole number from 0 to 4294967295")
                }
                signCount = count
            case "backup-eligible": backupEligible = try Self.bool(member)
            case "require-user-verification": requiresUserVerification = try Self.bool(member)
            case "conditional": isConditional = try Self.bool(member)
            case "app-id": appID = try Self.string(member)
            case "trust-anchor", "trust-anchors":
                var anchors: [[UInt8]] = []
                for text in try Self.strings(member) { anchors.append(try Material(Array(text.utf8)).bytes) }
                trustAnchors = anchors
            case "metadata": metadata = Array(try Self.string(member).utf8)
            case "at":
                guard let time = member.value.integerValue ?? member.value.stringValue.flatMap(Timestamp.seconds) else {
                    throw InspectionError("at must be seconds since 1970 or a time like 2026-01-31T12:00:00Z")
                }
                at = time
            case "response", "id": break
            default: throw InspectionError("there is no option \(InspectedField.printable(member.name))")
            }
        }
    }

    private static func dashed(_ name: String) -> String {
        var output = ""
        for character in name {
            if character.isUppercase {
                output += output.hasSuffix("-") || output.hasSuffix("i") && character == "D" ? "" : "-"
            }
            output += character.lowercased()
        }
        return output == "rp-id" || output == "rpid" ? "rp-id" : output
    }

    private static func string(_ member: JSONValue.Member) throws(InspectionError) -> String {
        guard let text = member.value.stringValue else { throw InspectionError("\(member.name) must be a string") }
        return text
    }

    private static func strings(_ member: JSONValue.Member) throws(InspectionError) -> [String] {
        if let text = member.value.stringValue { return [text] }
        let texts = member.value.arrayValue?.compactMap(\.stringValue) ?? []
        guard let count = member.value.arrayValue?.count, count == texts.count else {
            throw InspectionError("\(member.name) must be a string or an array of strings")
        }
        return texts
    }

    private static func bytes(_ member: JSONValue.Member) throws(InspectionError) -> [UInt8] {
        let text = try string(member)
        guard let bytes = Material.base64(text) ?? Material.hexadecimal(text) else {
            throw InspectionError("\(member.name) must be base64url")
        }
        return bytes
    }

    private static func bool(_ member: JSONValue.Member) throws(InspectionError) -> Bool {
        guard let flag = member.value.boolValue else { throw InspectionError("\(member.name) must be true or false") }
        return flag
    }
}
