import CGD

/// Pictures put together with libgd: what a screenshot tool or a phone would save.
@safe final class Canvas {
    enum Format: CaseIterable { case png, jpeg, webp, gif }

    private let image: gdImagePtr

    init(width: Int32, height: Int32, background: (red: Int32, green: Int32, blue: Int32) = (255, 255, 255)) {
        unsafe image = gdImageCreateTrueColor(width, height)
        let color = unsafe gdImageColorAllocate(image, background.red, background.green, background.blue)
        unsafe gdImageFilledRectangle(image, 0, 0, width - 1, height - 1, color)
    }

    deinit { unsafe gdImageDestroy(image) }

    /// Puts a PNG picture at a place.
    func paste(_ png: [UInt8], x: Int32, y: Int32) {
        unsafe png.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress,
                let other = unsafe gdImageCreateFromPngPtr(Int32(bytes.count), UnsafeMutableRawPointer(mutating: start))
            else { return }
            unsafe gdImageCopy(image, other, x, y, 0, 0, other.pointee.sx, other.pointee.sy)
            unsafe gdImageDestroy(other)
        }
    }

    /// Turns white to black and black to white.
    func invert() { unsafe gdImageNegate(image) }

    /// Makes the background transparent, so that black alone is left.
    func clearBackground() {
        unsafe gdImageAlphaBlending(image, 0)
        unsafe gdImageSaveAlpha(image, 1)
        for y in 0..<(unsafe image.pointee.sy) {
            for x in 0..<(unsafe image.pointee.sx) {
                let isLight = unsafe gdImageGetTrueColorPixel(image, x, y) & 0xff > 127
                unsafe gdImageSetPixel(image, x, y, isLight ? 0x7f00_0000 : 0)
            }
        }
    }

    func bytes(_ format: Format) -> [UInt8] {
        var count: Int32 = 0
        let start: UnsafeMutableRawPointer? =
            switch format {
            case .png: unsafe gdImagePngPtr(image, &count)
            case .jpeg: unsafe gdImageJpegPtr(image, &count, 85)
            case .webp: unsafe gdImageWebpPtr(image, &count)
            case .gif: unsafe gdImageGifPtr(image, &count)
            }
        guard let start = unsafe start else { return [] }
        defer { unsafe gdFree(start) }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
    }
}
