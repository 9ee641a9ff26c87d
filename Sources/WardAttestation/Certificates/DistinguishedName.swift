/// A name in a certificate: attributes such as country and organization, in their order.
///
/// RFC 5280, section 4.1.2.4.
public struct DistinguishedName: Hashable, Sendable, CustomStringConvertible {
    /// One attribute and its value.
    public struct Attribute: Hashable, Sendable {
        /// The attribute's identifier.
        public let identifier: OID
        /// The attribute's value.
        ///
        /// Bytes that are not valid in their string type are shown as `�`.
        public let value: String
        /// The universal tag of the string type: 12 UTF8String, 19 PrintableString, 20 TeletexString, 22 IA5String, 30
        /// BMPString.
        public let notation: UInt8
    }

    /// The attributes in their order.
    public let attributes: [Attribute]

    /// Whether the name is empty.
    public var isEmpty: Bool { attributes.isEmpty }
    /// The first country.
    public var country: String? { self[.country] }
    /// The first organisation.
    public var organization: String? { self[.organization] }
    /// The first organisational unit.
    public var organizationalUnit: String? { self[.organizationalUnit] }
    /// The first common name.
    public var commonName: String? { self[.commonName] }

    /// The first value of an attribute.
    public subscript(identifier: OID) -> String? { attributes.first { $0.identifier == identifier }?.value }

    /// The name as `CN=…, O=…`, in the order of the attributes.
    ///
    /// Characters that could break a line of a log are shown as `?`.
    public var description: String {
        attributes.map { attribute in
            let name = Self.names.first { $0.0 == attribute.identifier }?.1 ?? "\(attribute.identifier)"
            return "\(name)=\(attribute.value.printable)"
        }.joined(separator: ", ")
    }

    private static let names: [(OID, String)] = [
        (.commonName, "CN"), (.country, "C"), (.organization, "O"), (.organizationalUnit, "OU"),
        (OID(2, 5, 4, 5), "serialNumber"), (OID(2, 5, 4, 7), "L"), (OID(2, 5, 4, 8), "ST"),
        (OID(2, 5, 4, 12), "title"), (OID(1, 2, 840, 113549, 1, 9, 1), "emailAddress"),
        (.tpmManufacturer, "tpmManufacturer"), (.tpmModel, "tpmModel"), (.tpmVersion, "tpmVersion"),
    ]

    /// Reads a name that was already checked; unreadable parts are left out.
    init(_ range: Range<Int>, of input: Span<UInt8>) {
        var reader = DERReader(range, of: input)
        attributes = (try? Self.read(input, with: &reader)) ?? []
    }

    init(attributes: [Attribute]) { self.attributes = attributes }

    /// `Name ::= SEQUENCE OF SET OF SEQUENCE { type, value }`.
    static func read(_ input: Span<UInt8>, with reader: inout DERReader) throws(CertificateError) -> [Attribute] {
        var attributes: [Attribute] = []
        let outermost = try reader.enter(.sequence, input)
        while !reader.isAtEnd {
            let outer = try reader.enter(.set, input)
            while !reader.isAtEnd {
                let inner = try reader.enter(.sequence, input)
                let identifier = try reader.readObjectIdentifier(input)
                let value = try reader.read(input)
                try reader.leave(inner)
                guard attributes.count < 64 else {
                    throw CertificateError(.tooLarge, "a name has more than 64 attributes")
                }
                attributes.append(
                    Attribute(
                        identifier: OID(identifier, of: input),
                        value: text(value, of: input),
                        notation: UInt8(truncatingIfNeeded: value.tag.rawValue)
                    )
                )
            }
            try reader.leave(outer)
        }
        try reader.leave(outermost)
        return attributes
    }

    private static func text(_ value: DERElement, of input: Span<UInt8>) -> String {
        let bytes = input.copy(value.contents)
        switch value.tag.rawValue {
        case 20:
            // TeletexString: in practice always Latin-1.
            var text = ""
            for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
            return text
        case 30:
            let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return String(decoding: units, as: UTF16.self)
        default: return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Whether two names are the same: RFC 5280, section 7.1, for the string types in use.
    ///
    /// The string type, ASCII case and the number of spaces do not count, because some authorities write their own name
    /// differently in certificates that they sign. The signature decides in any case.
    func matches(_ other: DistinguishedName) -> Bool {
        guard attributes.count == other.attributes.count else { return false }
        return zip(attributes, other.attributes).allSatisfy { one, other in
            one.identifier == other.identifier && one.folded == other.folded
        }
    }
}

extension DistinguishedName.Attribute {
    fileprivate var folded: String {
        value.split(separator: " ").joined(separator: " ").lowercased()
    }
}

extension OID {
    static let commonName = OID(2, 5, 4, 3)
    static let country = OID(2, 5, 4, 6)
    static let organization = OID(2, 5, 4, 10)
    static let organizationalUnit = OID(2, 5, 4, 11)
    static let tpmManufacturer = OID(2, 23, 133, 2, 1)
    static let tpmModel = OID(2, 23, 133, 2, 2)
    static let tpmVersion = OID(2, 23, 133, 2, 3)
}

extension String {
    /// Input from outside, made printable for one line of a log.
    var printable: String {
        var text = ""
        for scalar in unicodeScalars.prefix(120) {
            let isControl = scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value)
            let isFormat = scalar.properties.generalCategory == .format || scalar.properties.isBidiControl
            text.unicodeScalars.append(
                isControl || isFormat || scalar.value == 0x2028 || scalar.value == 0x2029 ? "?" : scalar
            )
        }
        return text
    }
}
