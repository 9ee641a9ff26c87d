/// Checks of an RSA key before it is given to a library.
enum RSANumbers {
    /// Smaller keys can be factored, now or soon; with larger ones a verification takes too long.
    static let modulusBits = 2048...8192

    /// Checks two ranges of the input with both numbers, big-endian.
    static func check(modulus: Range<Int>, exponent: Range<Int>, in input: Span<UInt8>) throws(COSEError) {
        guard let top = first(of: modulus, in: input), let bottom = last(of: modulus, in: input) else {
            throw COSEError(.invalidModulus, "empty")
        }
        guard top != 0 else { throw COSEError(.invalidModulus, "leading zeros") }
        let bits = modulus.count * 8 - top.leadingZeroBitCount
        guard bits >= modulusBits.lowerBound else { throw COSEError(.keyTooSmall, "\(bits) bits") }
        guard bits <= modulusBits.upperBound else { throw COSEError(.keyTooLarge, "\(bits) bits") }
        guard bottom & 1 == 1 else { throw COSEError(.invalidModulus, "even") }
        guard let top = first(of: exponent, in: input), let bottom = last(of: exponent, in: input) else {
            throw COSEError(.invalidExponent, "empty")
        }
        guard top != 0 else { throw COSEError(.invalidExponent, "leading zeros") }
        guard exponent.count <= 4 else { throw COSEError(.invalidExponent, "more than 32 bits") }
        guard bottom & 1 == 1 else { throw COSEError(.invalidExponent, "even") }
        guard exponent.count > 1 || bottom >= 3 else { throw COSEError(.invalidExponent, "below 3") }
    }

    private static func first(of range: Range<Int>, in input: Span<UInt8>) -> UInt8? {
        guard !range.isEmpty, range.lowerBound >= 0, range.upperBound <= input.count else { return nil }
        return input[range.lowerBound]
    }

    private static func last(of range: Range<Int>, in input: Span<UInt8>) -> UInt8? {
        guard !range.isEmpty, range.lowerBound >= 0, range.upperBound <= input.count else { return nil }
        return input[range.upperBound - 1]
    }
}

/// Checks of an Ed25519 public key without arithmetic.
///
/// Each verification checks whether the y coordinate belongs to a point, and fails otherwise.
enum Ed25519Point {
    /// The y coordinates of the eight points of small order, for which signatures exist that are valid for any message:
    /// 0, 1, -1, and two more of points of order 8.
    private static let smallOrder: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [0xec] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
        [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
            0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
        ],
        [
            0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
            0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
        ],
    ]

    /// Checks a range of 32 bytes of the input.
    static func check(_ range: Range<Int>, in input: Span<UInt8>) throws(COSEError) {
        guard range.count == 32, range.lowerBound >= 0, range.upperBound <= input.count else {
            throw COSEError(.wrongLength, "Ed25519 key of \(range.count) bytes")
        }
        for point in smallOrder where isEqual(range, in: input, to: point) { throw COSEError(.weakKey) }
        // RFC 8032, section 5.1.3: a coordinate of p = 2^255 - 19 or more is not decoded.
        guard input[range.lowerBound] >= 0xed, input[range.upperBound - 1] & 0x7f == 0x7f else { return }
        for index in range.dropFirst().dropLast() where input[index] != 0xff { return }
        throw COSEError(.pointNotOnCurve, "Ed25519 coordinate above the field")
    }

    /// Compares without the highest bit, the sign of x.
    private static func isEqual(_ range: Range<Int>, in input: Span<UInt8>, to point: [UInt8]) -> Bool {
        for (index, expected) in zip(range, point) {
            let byte = index == range.upperBound - 1 ? input[index] & 0x7f : input[index]
            guard byte == expected else { return false }
        }
        return true
    }
}
