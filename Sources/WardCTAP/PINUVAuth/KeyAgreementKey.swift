internal import WardCBOR

/// A P-256 public key for a key agreement.
///
/// When the key is used, it is checked that the point is on the curve. CTAP 2.3, section 6.5.6: a COSE_Key with algorithm -25.
public struct KeyAgreementKey: Hashable, Sendable {
    /// The x coordinate: 32 bytes.
    public let x: [UInt8]
    /// The y coordinate: 32 bytes.
    public let y: [UInt8]

    /// Takes two coordinates of 32 bytes, or returns `nil`.
    public init?(x: [UInt8], y: [UInt8]) {
        guard x.count == 32, y.count == 32 else { return nil }
        self.x = x
        self.y = y
    }

    init(unchecked coordinate: [UInt8]) {
        x = coordinate
        y = coordinate
    }

    private enum Label {
        static let keyType: CBORValue = 1
        static let algorithm: CBORValue = 3
        static let curve: CBORValue = -1
        static let x: CBORValue = -2
        static let y: CBORValue = -3
    }

    init(_ value: CBORValue) throws(CTAPStatus) {
        func number(_ value: CBORValue) throws(CTAPStatus) -> Int64 {
            guard let number = value.integerValue else { throw .cborUnexpectedType }
            return number
        }
        func string(_ value: CBORValue) throws(CTAPStatus) -> [UInt8] { try value.asBytes() }
        var reader = try MessageReader(value)
        let keyType = try reader.required(Label.keyType, number)
        // Some old clients leave out the algorithm or write another one, so it is ignored.
        _ = try reader.value(Label.algorithm, number)
        let curve = try reader.required(Label.curve, number)
        let x = try reader.required(Label.x, string)
        let y = try reader.required(Label.y, string)
        guard keyType == 2, curve == 1, let key = KeyAgreementKey(x: x, y: y) else { throw .invalidParameter }
        self = key
    }

    var value: CBORValue {
        [Label.keyType: 2, Label.algorithm: -25, Label.curve: 1, Label.x: .bytes(x), Label.y: .bytes(y)]
    }
}
