/// Any JSON value, for the open parts of the standard: extension inputs and outputs, small request bodies.
///
/// Members keep their order, so unknown ones are written as they were read.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number that fits 64 bits.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// A string with its escapes resolved.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Members in order, each name once.
    case object([Member])

    /// One member of an object.
    public struct Member: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// Its value.
        public var value: JSONValue

        /// Creates a member.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Reads a whole text of at most 16 levels and 4,096 values.
    ///
    /// - Parameter json: UTF-8 text; only white space may follow the value.
    /// - Throws: ``JSONError`` for text that is not JSON, has a duplicate member or exceeds a limit.
    public init(_ json: [UInt8]) throws(JSONError) {
        try self.init(json, limits: .message)
    }

    /// Reads a whole text within other limits.
    package init(_ json: [UInt8], limits: JSONLimits) throws(JSONError) {
        let input = json.span
        var reader = JSONReader(limits: limits)
        self = try JSONValue(reading: &reader, input)
        try reader.finish(input)
    }

    package init(reading reader: inout JSONReader, _ input: Span<UInt8>) throws(JSONError) {
        switch try reader.peek(input) {
        case .object:
            var names: Set<MemberName> = []
            var read: [Member] = []
            var members = try reader.readObject(input)
            while let text = try reader.nextName(&members, input) {
                let name = try reader.string(text, input)
                guard names.insert(MemberName(text: name)).inserted else {
                    throw JSONError(.duplicateMember, at: text.range.lowerBound)
                }
                read.append(Member(name, try JSONValue(reading: &reader, input)))
            }
            self = .object(read)
        case .array:
            var read: [JSONValue] = []
            var elements = try reader.readArray(input)
            while try reader.nextElement(&elements, input) { read.append(try JSONValue(reading: &reader, input)) }
            self = .array(read)
        case .string: self = .string(try reader.readString(input))
        case .bool: self = .bool(try reader.readBool(input))
        case .null:
            _ = try reader.readNullIfPresent(input)
            self = .null
        case .number:
            let range = try reader.readNumber(input)
            var digits = ""
            for index in range { digits.unicodeScalars.append(Unicode.Scalar(input[index])) }
            if let integer = Int64(digits) {
                self = .integer(integer)
            } else if let number = Double(digits), number.isFinite {
                self = .number(number)
            } else {
                throw JSONError(.invalidNumber, at: range.lowerBound)
            }
        }
    }

    /// An object's member, or `nil` if it is absent or this is not an object.
    ///
    /// Names are compared code unit by code unit (RFC 8259, section 8.3).
    public subscript(name: String) -> JSONValue? { objectValue?[name] }

    /// The string, if this is one.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The truth value, if this is one.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The whole number, if this is one.
    public var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The elements, if this is an array.
    public var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members, if this is an object.
    public var objectValue: [Member]? { if case .object(let value) = self { value } else { nil } }
    /// The bytes of a canonical base64url string, if this is one.
    public var base64URLValue: [UInt8]? { stringValue.flatMap(Base64URL.decode) }
}

/// A name that is compared byte for byte.
///
/// Texts that differ by a character's composition are equal as strings of Swift.
private struct MemberName: Hashable {
    let text: String

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.text.utf8.elementsEqual(rhs.text.utf8) }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension [JSONValue.Member] {
    /// The value of the member with this name, compared code unit by code unit.
    package subscript(name: String) -> JSONValue? { first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object with its members in the written order.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
}
