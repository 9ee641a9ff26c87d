/// The icon of a site, drawn again as a small PNG file.
///
/// So another program that shows it decodes only what libgd wrote, and nothing that the site wrote.
package enum SiteIcon {
    /// The maximum size of a site's file, in bytes: 1 MiB.
    package static let maximumFileSize = 1 << 20
    /// The largest width and height of the icon, in pixels.
    package static let edge = 64
    /// The maximum size of the PNG file, in bytes.
    package static let maximumSize = 16_384
    /// The maximum number of pixels of a site's picture: 4 Mi.
    private static let maximumPixels = 4 << 20

    /// Reads an icon.
    ///
    /// - Parameter bytes: A PNG, JPEG, WebP, GIF or ICO file.
    /// - Returns: A square PNG file of at most 64 pixels and 16 KiB; `nil` if the file is none of these, too large or damaged.
    package static func png(from bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count <= maximumFileSize, let picture = picture(bytes) else { return nil }
        // A photograph can be larger than the limit, but never with 32 pixels.
        for edge in [Self.edge, 48, 32] {
            guard let icon = picture.square(edge)?.png() else { return nil }
            if icon.count <= maximumSize { return icon }
        }
        return nil
    }

    private static func picture(_ bytes: [UInt8]) -> DecodedPicture? {
        if let icons = IconFile(bytes) { return icons.best.flatMap { decode($0) } }
        return decode(bytes[...])
    }

    private static func decode(_ bytes: ArraySlice<UInt8>) -> DecodedPicture? {
        let bytes = Array(bytes)
        if let bitmap = IconBitmap(bytes) { return bitmap.picture() }
        guard let header = try? ImageHeader(bytes), header.width <= maximumPixels / header.height,
            let picture = try? DecodedPicture(bytes, header.format), picture.width > 0, picture.height > 0,
            picture.width <= maximumPixels / picture.height
        else { return nil }
        return picture
    }
}

/// A file with icons of several sizes, `favicon.ico`.
///
/// A directory names pictures: PNG files, or bitmaps without the header of a file.
private struct IconFile {
    /// The picture with the size that is nearest to the wanted one.
    let best: ArraySlice<UInt8>?

    /// Reads the directory; `nil` if the file is not such a file.
    init?(_ bytes: [UInt8]) {
        let reader = LittleEndian(bytes)
        guard reader.number(0, 4) == 0x0001_0000, let count = reader.number(4, 2), count > 0 else { return nil }
        var found: (edge: Int, depth: Int, picture: ArraySlice<UInt8>)?
        for index in 0..<min(count, 32) {
            let entry = 6 + 16 * index
            guard let width = reader.number(entry, 1), let depth = reader.number(entry + 6, 2),
                let size = reader.number(entry + 8, 4), let offset = reader.number(entry + 12, 4), size > 0,
                offset <= bytes.count, size <= bytes.count - offset
            else { continue }
            // The number 0 stands for 256.
            let edge = width == 0 ? 256 : width
            if let found, !Self.isBetter((edge, depth), than: (found.edge, found.depth)) { continue }
            found = (edge, depth, bytes[offset..<offset + size])
        }
        best = found?.picture
    }

    /// The smallest picture that is large enough is best; otherwise the largest one, with the most colours.
    private static func isBetter(_ new: (edge: Int, depth: Int), than old: (edge: Int, depth: Int)) -> Bool {
        if new.edge == old.edge { return new.depth > old.depth }
        let (isNewEnough, isOldEnough) = (new.edge >= SiteIcon.edge, old.edge >= SiteIcon.edge)
        if isNewEnough != isOldEnough { return isNewEnough }
        return isNewEnough ? new.edge < old.edge : new.edge > old.edge
    }
}

/// A bitmap in an icon file: a header of 40 bytes, the colours, the pixels from the last row to the first, and a mask.
private struct IconBitmap {
    private let reader: LittleEndian
    private let width: Int
    private let height: Int
    private let depth: Int
    private let colors: Int

    /// Reads the header; `nil` if it is not the header of such a bitmap.
    init?(_ bytes: [UInt8]) {
        reader = LittleEndian(bytes)
        guard reader.number(0, 4) == 40, let width = reader.number(4, 4), let double = reader.number(8, 4),
            let depth = reader.number(14, 2), reader.number(16, 4) == 0, let used = reader.number(32, 4),
            (1...256).contains(width), (1...256).contains(double / 2), [1, 4, 8, 24, 32].contains(depth), used <= 256
        else { return nil }
        (self.width, height, self.depth) = (width, double / 2, depth)
        colors = depth > 8 ? 0 : used == 0 ? 1 << depth : used
    }

    /// Draws the bitmap; `nil` if bytes are missing.
    func picture() -> DecodedPicture? {
        guard let picture = DecodedPicture(width: width, height: height) else { return nil }
        let pixels = 40 + 4 * colors
        // Rows end at a multiple of four bytes.
        let (row, maskRow) = ((width * depth + 31) / 32 * 4, (width + 31) / 32 * 4)
        let mask = pixels + row * height
        // Old programs leave the alpha of 32 bits at 0 and use the mask alone.
        let hasAlpha = depth == 32 && (0..<width * height).contains { reader.number(pixels + 4 * $0 + 3, 1) ?? 0 > 0 }
        for y in 0..<height {
            let line = height - 1 - y
            for x in 0..<width {
                guard let (red, green, blue, alpha) = pixel(x, at: pixels + row * line) else { return nil }
                let maskByte = reader.number(mask + maskRow * line + x / 8, 1) ?? 0
                let isMasked = maskByte >> (7 - x % 8) & 1 == 1
                picture.set(
                    x,
                    y,
                    red: red,
                    green: green,
                    blue: blue,
                    alpha: hasAlpha ? alpha : isMasked ? 0 : 255
                )
            }
        }
        return picture
    }

    private func pixel(_ x: Int, at row: Int) -> (UInt8, UInt8, UInt8, UInt8)? {
        switch depth {
        case 24, 32:
            let place = row + x * depth / 8
            guard let color = reader.number(place, 3), let alpha = depth == 32 ? reader.number(place + 3, 1) : 255
            else { return nil }
            return Self.parts(color, alpha)
        default:
            let bit = x * depth
            guard let byte = reader.number(row + bit / 8, 1) else { return nil }
            let index = byte >> (8 - depth - bit % 8) & (1 << depth - 1)
            guard index < colors, let color = reader.number(40 + 4 * index, 3) else { return nil }
            return Self.parts(color, 255)
        }
    }

    /// Blue comes first, so it is the lowest byte.
    private static func parts(_ color: Int, _ alpha: Int) -> (UInt8, UInt8, UInt8, UInt8) {
        (
            UInt8(truncatingIfNeeded: color >> 16), UInt8(truncatingIfNeeded: color >> 8),
            UInt8(truncatingIfNeeded: color), UInt8(truncatingIfNeeded: alpha)
        )
    }
}

/// Reads numbers at positions that may be outside the data.
private struct LittleEndian {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// A number of one to four bytes; `nil` if the data ends before.
    func number(_ offset: Int, _ count: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        return (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
    }
}
