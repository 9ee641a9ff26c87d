internal import WardCBOR

extension InspectedField {
    /// A CBOR value as a tree.
    static func cbor(_ label: String, _ value: CBORValue) -> InspectedField {
        switch value {
        case .unsigned(let number): return InspectedField(label, "\(number)")
        case .negative(let number):
            return InspectedField(label, number == .max ? "-18446744073709551616" : "-\(number + 1)")
        case .bytes(let bytes): return .bytes(label, bytes)
        case .text(let text): return InspectedField(label, "\"\(printable(text))\"")
        case .array(let elements):
            return InspectedField(
                label,
                "array of \(elements.count)",
                elements.enumerated().map { cbor("[\($0)]", $1) }
            )
        case .map(let pairs):
            return InspectedField(label, "map of \(pairs.count)", pairs.map { cbor(key($0.key), $0.value) })
        default: return InspectedField(label, "\(value)")
        }
    }

    private static func key(_ value: CBORValue) -> String {
        switch value {
        case .text(let text): printable(text)
        case .unsigned(let number): "\(number)"
        case .negative(let number): number == .max ? "-18446744073709551616" : "-\(number + 1)"
        default: "\(value)"
        }
    }
}

extension InspectedField {
    /// Any canonical CBOR, or the position where it is no longer canonical.
    static func cbor(_ label: String, _ bytes: [UInt8]) -> InspectedField {
        do {
            return cbor(label, try CBORValue.decode(bytes, rules: .webAuthn))
        } catch {
            return .bytes(label, bytes, note: "no canonical CBOR: \(error)")
        }
    }
}
