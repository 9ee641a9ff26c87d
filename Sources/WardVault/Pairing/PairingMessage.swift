internal import WardCBOR

/// The form of a request and of a reply: `["ward", 1, kind, bytes, bytes]`.
///
/// `Documentation/formats/sync.md`, "Pairing by file".
struct PairingMessage {
    /// What a message is.
    enum Kind: String {
        case request = "pairing-request"
        case reply = "pairing-reply"

        /// The longest message, in bytes.
        var limit: Int {
            switch self {
            case .request: PairingRequest.maximumLength
            case .reply: PairingReply.maximumLength
            }
        }

        /// What is thrown for bytes that are no such message.
        var damaged: VaultError {
            switch self {
            case .request:
                VaultError(.damaged, "The request of the new device is damaged. Write it again on the new device")
            case .reply:
                VaultError(
                    .damaged,
                    "The reply for this device is damaged, or for another request. Admit this device again on the other one"
                )
            }
        }
    }

    /// The two byte strings.
    let parts: ([UInt8], [UInt8])

    private static let version: UInt64 = 1
    /// Deep enough to recognise a later version, whatever it has.
    private static let rules = CBORRules(maximumDepth: 8, maximumLength: PairingReply.maximumLength)

    /// Takes the parts.
    init(_ first: [UInt8], _ second: [UInt8]) { parts = (first, second) }

    /// Reads a whole message.
    ///
    /// - Throws: ``VaultError`` with `damaged`, or with `unknownVersion` for a later version.
    init(_ encoded: [UInt8], as kind: Kind) throws(VaultError) {
        guard encoded.count <= kind.limit,
            let values = try? CBORValue.decode(encoded, rules: Self.rules).arrayValue, values.count >= 3,
            values[0] == "ward", case .unsigned(let version) = values[1], values[2] == .text(kind.rawValue)
        else { throw kind.damaged }
        guard version == Self.version else {
            throw VaultError(.unknownVersion, "The other device has a later version of Ward: update Ward")
        }
        guard values.count == 5, let first = values[3].bytesValue, let second = values[4].bytesValue else {
            throw kind.damaged
        }
        parts = (first, second)
    }

    /// The message in canonical form.
    func encoded(as kind: Kind) -> [UInt8] {
        let value: CBORValue = [
            "ward", .unsigned(Self.version), .text(kind.rawValue), .bytes(parts.0), .bytes(parts.1),
        ]
        return value.encoded()
    }
}
