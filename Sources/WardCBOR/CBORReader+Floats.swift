extension CBORReader {
    /// Reads a float, if the rules allow floats: the shortest of the three widths that holds the value, and only one
    /// NaN.
    ///
    /// RFC 8949, section 4.2.2.
    public mutating func readFloat(_ input: Span<UInt8>) throws(CBORError) -> Double {
        let start = position
        guard start < input.count else { throw CBORError(.truncated, at: start) }
        let initial = input[start]
        guard 0xf9...0xfb ~= initial, rules.allowsFloats else { throw refusal(of: initial) }
        try countItem()
        let width = 2 << (Int(initial) - 0xf9)
        guard input.count - start > width else { throw CBORError(.truncated, at: start) }
        var bits: UInt64 = 0
        for index in (start + 1)...(start + width) { bits = bits << 8 | UInt64(input[index]) }
        let value: Double =
            switch width {
            case 2: Double(Float16(bitPattern: UInt16(truncatingIfNeeded: bits)))
            case 4: Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
            default: Double(bitPattern: bits)
            }
        let shortest = CBORFloat(value)
        guard shortest.width == width, shortest.bits == bits else { throw CBORError(.notShortest, at: start) }
        position = start + 1 + width
        return value
    }
}

/// A float in the shortest form that holds its value.
struct CBORFloat {
    /// Two, four or eight bytes.
    let width: Int
    let bits: UInt64

    init(_ value: Double) {
        if value.isNaN {
            (width, bits) = (2, 0x7e00)
        } else if let half = Float16(exactly: value) {
            (width, bits) = (2, UInt64(half.bitPattern))
        } else if let single = Float(exactly: value) {
            (width, bits) = (4, UInt64(single.bitPattern))
        } else {
            (width, bits) = (8, value.bitPattern)
        }
    }
}
