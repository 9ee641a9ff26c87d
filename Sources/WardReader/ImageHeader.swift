/// The format and the size of a picture, read from its first bytes before a decoder allocates memory for the pixels.
package struct ImageHeader: Hashable, Sendable {
    /// The supported picture formats.
    package enum Format: Hashable, Sendable { case png, jpeg, webp, gif }

    package let format: Format
    /// The width in pixels.
    package let width: Int
    /// The height in pixels.
    package let height: Int

    /// The maximum number of pixels: 64 Mi.
    ///
    /// They need 256 MiB of memory while they are read.
    package static var maximumPixels: Int { 67_108_864 }

    /// Reads the format and the size.
    ///
    /// - Parameter bytes: The whole file.
    /// - Throws: ``QRError`` with `unknownFormat`, `damaged` or `tooManyPixels`.
    package init(_ bytes: [UInt8]) throws(QRError) {
        let reader = Reader(bytes: bytes)
        let size: (width: Int, height: Int)?
        if reader.has([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], at: 0) {
            format = .png
            size = reader.png
        } else if reader.has([0xff, 0xd8, 0xff], at: 0) {
            format = .jpeg
            size = reader.jpeg
        } else if reader.has("RIFF", at: 0), reader.has("WEBP", at: 8) {
            format = .webp
            size = reader.webp
        } else if reader.has("GIF87a", at: 0) || reader.has("GIF89a", at: 0) {
            format = .gif
            size = reader.gif
        } else {
            throw QRError(
                .unknownFormat,
                "this is not a PNG, JPEG, WebP or GIF picture; take a screenshot of the QR code and save it as PNG"
            )
        }
        guard let size else {
            throw QRError(.damaged, "the picture file ends before the size of the picture; save it again")
        }
        // The check divides instead of multiplying, because the product of two 32-bit numbers can overflow 64 bits.
        guard size.width > 0, size.height > 0, size.width <= Self.maximumPixels / size.height else {
            throw QRError(
                .tooManyPixels,
                "the picture says it has \(size.width) x \(size.height) pixels, and at most \(Self.maximumPixels) are"
                    + " read; cut the QR code out"
            )
        }
        (width, height) = size
    }
}

/// Reads bytes at positions that may be outside the data.
private struct Reader {
    let bytes: [UInt8]

    func has(_ expected: [UInt8], at offset: Int) -> Bool {
        offset >= 0 && offset <= bytes.count - expected.count
            && bytes[offset..<(offset + expected.count)].elementsEqual(expected)
    }

    func has(_ expected: String, at offset: Int) -> Bool { has(Array(expected.utf8), at: offset) }

    func byte(_ offset: Int) -> Int? { bytes.indices.contains(offset) ? Int(bytes[offset]) : nil }

    func bigEndian(_ offset: Int, _ count: Int) -> Int? {
        var value = 0
        for index in 0..<count {
            guard let byte = byte(offset + index) else { return nil }
            value = value << 8 | byte
        }
        return value
    }

    func littleEndian(_ offset: Int, _ count: Int) -> Int? {
        var value = 0
        for index in (0..<count).reversed() {
            guard let byte = byte(offset + index) else { return nil }
            value = value << 8 | byte
        }
        return value
    }

    /// ISO/IEC 15948, section 11.2.2: IHDR comes first.
    var png: (width: Int, height: Int)? {
        guard has("IHDR", at: 12), let width = bigEndian(16, 4), let height = bigEndian(20, 4) else { return nil }
        return (width, height)
    }

    /// GIF89a, section 18: the logical screen, which contains every frame.
    var gif: (width: Int, height: Int)? {
        guard let width = littleEndian(6, 2), let height = littleEndian(8, 2) else { return nil }
        return (width, height)
    }

    /// RFC 9649: the first chunk is `VP8 `, `VP8L` or `VP8X`.
    var webp: (width: Int, height: Int)? {
        if has("VP8 ", at: 12) {
            guard has([0x9d, 0x01, 0x2a], at: 23), let width = littleEndian(26, 2), let height = littleEndian(28, 2)
            else { return nil }
            return (width & 0x3fff, height & 0x3fff)
        }
        if has("VP8L", at: 12) {
            guard byte(20) == 0x2f, let bits = littleEndian(21, 4) else { return nil }
            return ((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1)
        }
        guard has("VP8X", at: 12), let width = littleEndian(24, 3), let height = littleEndian(27, 3) else { return nil }
        return (width + 1, height + 1)
    }

    /// ITU T.81, annex B: segments up to the first start of frame.
    var jpeg: (width: Int, height: Int)? {
        var offset = 2
        while let mark = byte(offset), let marker = byte(offset + 1) {
            guard mark == 0xff else { return nil }
            switch marker {
            case 0xff: offset += 1
            case 0x01, 0xd0...0xd8: offset += 2
            case 0xd9, 0xda: return nil
            case 0xc0...0xc3, 0xc5...0xc7, 0xc9...0xcb, 0xcd...0xcf:
                guard let height = bigEndian(offset + 5, 2), let width = bigEndian(offset + 7, 2) else { return nil }
                return (width, height)
            default:
                guard let length = bigEndian(offset + 2, 2), length >= 2 else { return nil }
                offset += 2 + length
            }
        }
        return nil
    }
}
