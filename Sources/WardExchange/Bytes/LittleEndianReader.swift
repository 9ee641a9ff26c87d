/// Reads little-endian numbers and byte strings from a file, within its bounds.
struct LittleEndianReader {
    private let bytes: ArraySlice<UInt8>
    /// The index of the next byte.
    private(set) var offset: Int
    /// The name of the part, for errors.
    private let name: String

    init(_ bytes: ArraySlice<UInt8>, _ name: String) {
        self.bytes = bytes
        self.name = name
        offset = bytes.startIndex
    }

    init(_ bytes: [UInt8], _ name: String) { self.init(bytes[...], name) }

    /// The number of bytes that are left.
    var left: Int { bytes.endIndex - offset }
    /// The bytes that are left.
    var rest: ArraySlice<UInt8> { bytes[offset...] }

    mutating func take(_ count: some BinaryInteger) throws(ImportError) -> ArraySlice<UInt8> {
        guard let count = Int(exactly: count), count >= 0 else {
            throw ImportError(.malformed, "\(name) has a part of an impossible size")
        }
        guard count <= left else { throw ImportError(.truncated, "\(name) is cut off") }
        defer { offset += count }
        return bytes[offset..<(offset + count)]
    }

    mutating func number<T: FixedWidthInteger>(_ type: T.Type) throws(ImportError) -> T {
        Self.number(try take(T.bitWidth / 8))
    }

    /// The number in all of the bytes.
    static func number<T: FixedWidthInteger>(_ bytes: some Collection<UInt8>) -> T {
        var value: T = 0
        for (index, byte) in bytes.prefix(T.bitWidth / 8).enumerated() {
            value |= T(truncatingIfNeeded: byte) << T(truncatingIfNeeded: 8 * index)
        }
        return value
    }
}

extension FixedWidthInteger {
    /// The bytes of the number, lowest first.
    var littleEndianBytes: [UInt8] {
        (0..<(Self.bitWidth / 8)).map { UInt8(truncatingIfNeeded: self >> Self(truncatingIfNeeded: 8 * $0)) }
    }
}
