/// Writes canonical CBOR: every integer and length in its shortest form.
///
/// The caller must write the announced items: that many after ``writeArray(count:)``, twice as many after
/// ``writeMap(count:)``, with keys in CTAP2's order. ``write(value:)`` sorts by itself.
public struct CBORWriter: Sendable {
    /// The bytes so far.
    public var bytes: [UInt8] = []

    /// Creates an empty writer.
    public init() {}

    /// Writes a non-negative integer.
    public mutating func write(unsigned value: UInt64) { writeHead(major: 0, value) }

    /// Writes an integer.
    public mutating func write(integer value: Int64) {
        if value < 0 {
            writeHead(major: 1, UInt64(-1 - value))
        } else {
            writeHead(major: 0, UInt64(value))
        }
    }

    /// Writes the integer -1 - n.
    public mutating func write(negative n: UInt64) { writeHead(major: 1, n) }

    /// Writes a byte string.
    public mutating func write(bytes value: some Collection<UInt8>) {
        writeHead(major: 2, UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Writes a text string.
    public mutating func write(text value: String) {
        writeHead(major: 3, UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    /// Writes the head of an array; that many items must follow.
    public mutating func writeArray(count: Int) { writeHead(major: 4, UInt64(count)) }

    /// Writes the head of a map; that many pairs must follow, in order.
    public mutating func writeMap(count: Int) { writeHead(major: 5, UInt64(count)) }

    /// Writes false or true.
    public mutating func write(bool value: Bool) { bytes.append(value ? 0xf5 : 0xf4) }

    /// Writes null.
    public mutating func writeNull() { bytes.append(0xf6) }

    /// Writes a float in the shortest form that holds its value.
    public mutating func write(float value: Double) {
        let float = CBORFloat(value)
        bytes.append(float.width == 2 ? 0xf9 : float.width == 4 ? 0xfa : 0xfb)
        writeBigEndian(float.bits, width: float.width)
    }

    /// Writes a value.
    ///
    /// Maps are sorted; of pairs with the same key the last one is used.
    public mutating func write(value: CBORValue) {
        switch value {
        case .unsigned(let number): write(unsigned: number)
        case .negative(let number): write(negative: number)
        case .bytes(let string): write(bytes: string)
        case .text(let string): write(text: string)
        case .bool(let bool): write(bool: bool)
        case .null: writeNull()
        case .float(let number): write(float: number)
        case .array(let elements):
            writeArray(count: elements.count)
            for element in elements { write(value: element) }
        case .map(let pairs):
            write(pairs: pairs)
        }
    }

    /// Writes an item that is already encoded.
    public mutating func write(encoded item: some Collection<UInt8>) { bytes.append(contentsOf: item) }

    private mutating func write(pairs: [CBORPair]) {
        var encoded: [[UInt8]: CBORValue] = [:]
        for pair in pairs { encoded[pair.key.encoded()] = pair.value }
        writeMap(count: encoded.count)
        for (key, value) in encoded.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            write(encoded: key)
            write(value: value)
        }
    }

    private mutating func writeHead(major: UInt8, _ argument: UInt64) {
        let type = major << 5
        switch argument {
        case 0..<24:
            bytes.append(type | UInt8(truncatingIfNeeded: argument))
        case 24...0xff:
            bytes.append(type | 24)
            writeBigEndian(argument, width: 1)
        case 0x100...0xffff:
            bytes.append(type | 25)
            writeBigEndian(argument, width: 2)
        case 0x1_0000...0xffff_ffff:
            bytes.append(type | 26)
            writeBigEndian(argument, width: 4)
        default:
            bytes.append(type | 27)
            writeBigEndian(argument, width: 8)
        }
    }

    private mutating func writeBigEndian(_ value: UInt64, width: Int) {
        for shift in stride(from: 8 * (width - 1), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }
}
