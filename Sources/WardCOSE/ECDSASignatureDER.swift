/// The form of ECDSA signatures in WebAuthn: a DER sequence of two integers.
///
/// Ward parses it itself, because parsing must be strict: each signature has one encoding, so none can be changed into
/// another valid one. The verification checks whether r and s are below the order of the curve.
///
/// L3 #sctn-signature-attestation-types; RFC 3279, section 2.2.3; X.690, section 10.
enum ECDSASignatureDER {
    /// Both integers with the length of a coordinate, or `nil` if the bytes are not exactly one signature in DER.
    static func rawRepresentation(_ der: Span<UInt8>, coordinateLength: Int) -> [UInt8]? {
        var offset = 0
        guard let length = readHead(0x30, der, at: &offset), length == der.count - offset,
            let r = readPositive(der, at: &offset, maximumLength: coordinateLength),
            let s = readPositive(der, at: &offset, maximumLength: coordinateLength),
            offset == der.count
        else { return nil }
        return [UInt8](capacity: 2 * coordinateLength) { output in
            for _ in r.count..<coordinateLength { output.append(0) }
            for index in r { output.append(der[index]) }
            for _ in s.count..<coordinateLength { output.append(0) }
            for index in s { output.append(der[index]) }
        }
    }

    /// Reads a tag and a length in its shortest form; two length bytes are enough for every curve.
    private static func readHead(_ tag: UInt8, _ der: Span<UInt8>, at offset: inout Int) -> Int? {
        guard der.count - offset >= 2, der[offset] == tag else { return nil }
        let length = der[offset + 1]
        offset += 2
        guard length >= 0x80 else { return Int(length) }
        guard length == 0x81, der.count > offset, der[offset] >= 0x80 else { return nil }
        offset += 1
        return Int(der[offset - 1])
    }

    /// Reads a positive, minimal integer that is not too long, and returns the position of its bytes without the sign
    /// byte.
    private static func readPositive(_ der: Span<UInt8>, at offset: inout Int, maximumLength: Int) -> Range<Int>? {
        guard let length = readHead(0x02, der, at: &offset), length > 0, length <= der.count - offset else {
            return nil
        }
        var start = offset
        offset += length
        guard der[start] < 0x80 else { return nil }
        if der[start] == 0 {
            guard length > 1, der[start + 1] >= 0x80 else { return nil }
            start += 1
        }
        guard offset - start <= maximumLength else { return nil }
        return start..<offset
    }
}
