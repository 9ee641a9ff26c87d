internal import CGD

/// A picture that libgd decoded.
///
/// It is freed with this value.
@safe final class DecodedPicture {
    private let image: gdImagePtr

    /// Decodes a picture after its size was checked.
    init(_ bytes: [UInt8], _ format: ImageHeader.Format) throws(QRError) {
        Self.silence()
        let decoded: gdImagePtr? = unsafe bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return nil }
            // The decoders read from these bytes and do not store them.
            let data = unsafe UnsafeMutableRawPointer(mutating: start)
            let size = Int32(truncatingIfNeeded: buffer.count)
            return switch format {
            case .png: unsafe gdImageCreateFromPngPtr(size, data)
            case .jpeg: unsafe gdImageCreateFromJpegPtr(size, data)
            case .webp: unsafe gdImageCreateFromWebpPtr(size, data)
            case .gif: unsafe gdImageCreateFromGifPtr(size, data)
            }
        }
        guard let decoded = unsafe decoded else {
            throw QRError(.damaged, "the picture is damaged or incomplete; save it again, if possible as PNG")
        }
        unsafe image = unsafe decoded
    }

    /// A transparent picture.
    ///
    /// - Returns: `nil` if there is no memory.
    init?(width: Int, height: Int) {
        guard (1...4096).contains(width), (1...4096).contains(height),
            let made = unsafe gdImageCreateTrueColor(Int32(width), Int32(height))
        else { return nil }
        unsafe image = unsafe made
        unsafe gdImageAlphaBlending(image, 0)
        unsafe gdImageSaveAlpha(image, 1)
        unsafe gdImageFilledRectangle(image, 0, 0, Int32(width), Int32(height), 0x7f00_0000)
    }

    deinit {
        unsafe gdImageDestroy(image)
    }

    var width: Int { Int(unsafe image.pointee.sx) }
    var height: Int { Int(unsafe image.pointee.sy) }

    /// The pixels row by row: red, green and blue are weighted like the eye does, over white.
    var brightness: [UInt8] {
        let (width, height) = (Int32(width), Int32(height))
        return [UInt8](capacity: Int(width) * Int(height)) { output in
            for y in 0..<height {
                for x in 0..<width {
                    let pixel = unsafe gdImageGetTrueColorPixel(image, x, y)
                    let gray = (299 * (pixel >> 16 & 0xff) + 587 * (pixel >> 8 & 0xff) + 114 * (pixel & 0xff)) / 1_000
                    // In libgd, transparency is a number from 0 (opaque) to 127 (invisible).
                    let clear = pixel >> 24 & 0x7f
                    output.append(UInt8(clamping: (gray * (127 - clear) + 255 * clear) / 127))
                }
            }
        }
    }

    /// Sets a pixel; `alpha` is from 0 (invisible) to 255 (opaque).
    func set(_ x: Int, _ y: Int, red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
        let color = Int32(127 - alpha / 2) << 24 | Int32(red) << 16 | Int32(green) << 8 | Int32(blue)
        unsafe gdImageSetPixel(image, Int32(clamping: x), Int32(clamping: y), color)
    }

    /// A square picture with this one in its middle, made smaller if it is too large.
    ///
    /// - Parameter edge: The largest width and height.
    /// - Returns: `nil` if there is no memory.
    func square(_ edge: Int) -> DecodedPicture? {
        let longest = max(width, height)
        let size = min(edge, longest)
        guard longest > 0, let square = DecodedPicture(width: size, height: size) else { return nil }
        let (shownWidth, shownHeight) = (max(1, width * size / longest), max(1, height * size / longest))
        unsafe gdImageCopyResampled(
            square.image,
            image,
            Int32((size - shownWidth) / 2),
            Int32((size - shownHeight) / 2),
            0,
            0,
            Int32(shownWidth),
            Int32(shownHeight),
            Int32(width),
            Int32(height)
        )
        return square
    }

    /// The picture as a PNG file.
    ///
    /// - Returns: `nil` if there is no memory.
    func png() -> [UInt8]? {
        var size: Int32 = 0
        guard let data = unsafe gdImagePngPtrEx(image, &size, 9) else { return nil }
        defer { unsafe gdFree(data) }
        return unsafe Array(UnsafeRawBufferPointer(start: data, count: Int(size)))
    }

    /// By default the decoders write errors to standard error, so they are told not to.
    private static func silence() { _ = silenced }
    private static let silenced: Void = unsafe gdSetErrorMethod { _, _, _ in }
}
