/// Reads the fields of one protocol-buffer message from untrusted bytes.
///
/// It supports only the types that a transfer of codes needs: varints and length-delimited fields. Other fields are skipped,
/// and groups are refused. Every length is checked against the remaining bytes. A message of n bytes has at most n fields, and
/// the reader does not recurse.
struct ProtobufReader {
    enum Value {
        case varint(UInt64)
        case bytes(ArraySlice<UInt8>)
        case other
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next field's number and value, or `nil` after the last.
    mutating func next() throws(OneTimePasswordError) -> (number: UInt64, value: Value)? {
        guard !rest.isEmpty else { return nil }
        let key = try varint()
        let number = key >> 3
        guard number > 0 else { throw Self.malformed }
        switch key & 7 {
        case 0: return (number, .varint(try varint()))
        case 1: return (number, try skip(8))
        case 2:
            let length = try varint()
            guard length <= UInt64(rest.count) else { throw Self.malformed }
            let bytes = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            return (number, .bytes(bytes))
        case 5: return (number, try skip(4))
        default: throw Self.malformed
        }
    }

    private mutating func skip(_ count: Int) throws(OneTimePasswordError) -> Value {
        guard rest.count >= count else { throw Self.malformed }
        rest = rest.dropFirst(count)
        return .other
    }

    private mutating func varint() throws(OneTimePasswordError) -> UInt64 {
        var value: UInt64 = 0
        for index in UInt64(0)..<10 {
            guard let byte = rest.popFirst() else { throw Self.malformed }
            // The tenth byte can have only the last bit of a number.
            guard index < 9 || byte <= 1 else { throw Self.malformed }
            value |= UInt64(byte & 0x7f) << (7 * index)
            if byte & 0x80 == 0 { return value }
        }
        throw Self.malformed
    }

    private static var malformed: OneTimePasswordError {
        OneTimePasswordError(.batch, "the transfer's data is damaged")
    }
}
