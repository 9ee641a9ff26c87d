public import Crypto

internal import WardCBOR
public import WardText

/// A place in the audit log, signed with a key that is not in the database.
///
/// A person who can write the database can compute all hashes again, but cannot make the signature.
public struct AuditSeal: Hashable, Sendable {
    /// The statement that the signature confirms.
    public enum Purpose: String, Hashable, Sendable {
        /// At this time the log ended with this row.
        case head = "ward audit head 1"
        /// All rows up to this one were deleted because they were old.
        case checkpoint = "ward audit checkpoint 1"
    }

    /// The statement that the signature confirms.
    public var purpose: Purpose
    /// The place.
    public var point: AuditPoint
    /// The time of the signature, in seconds since 1970.
    public var time: Int64
    /// An Ed25519 signature (RFC 8032), 64 bytes.
    public var signature: [UInt8]

    /// Creates a record.
    ///
    /// Its signature is not verified.
    public init(_ purpose: Purpose, _ point: AuditPoint, at time: Int64, signature: [UInt8]) {
        self.purpose = purpose
        self.point = point
        self.time = time
        self.signature = signature
    }

    /// Signs a place.
    ///
    /// - Throws: The errors of swift-crypto.
    public init(
        _ purpose: Purpose,
        _ point: AuditPoint,
        at time: Int64,
        by key: Curve25519.Signing.PrivateKey
    ) throws {
        self.init(purpose, point, at: time, signature: [])
        signature = [UInt8](try key.signature(for: signed))
    }

    /// Whether the signature is valid.
    public func isValid(for key: Curve25519.Signing.PublicKey) -> Bool {
        key.isValidSignature(signature, for: signed)
    }

    private var signed: [UInt8] {
        var writer = CBORWriter()
        writer.writeArray(count: 4)
        writer.write(text: purpose.rawValue)
        writer.write(integer: point.number)
        writer.write(bytes: point.hash)
        writer.write(integer: time)
        return writer.bytes
    }
}

/// A head as one line of JSON, for files and logs.
extension AuditSeal {
    /// `{"number":…,"hash":"…","time":…,"signature":"…"}`, bytes as hexadecimal digits.
    public var json: JSONValue {
        [
            "number": .integer(point.number), "hash": .string(Hex.encode(point.hash)), "time": .integer(time),
            "signature": .string(Hex.encode(signature)),
        ]
    }

    /// Reads a head that ``json`` wrote, or returns `nil` if it is not one.
    public init?(head json: JSONValue) {
        guard let number = json["number"]?.integerValue, let time = json["time"]?.integerValue,
            let hash = json["hash"]?.stringValue.flatMap(Hex.decode), hash.count == AuditPoint.hashLength,
            let signature = json["signature"]?.stringValue.flatMap(Hex.decode)
        else { return nil }
        self.init(.head, AuditPoint(number: number, hash: hash), at: time, signature: signature)
    }
}
