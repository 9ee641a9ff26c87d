internal import CGD
internal import CZBar

/// A picture in the form for the reader of QR codes: one byte of brightness per pixel, row by row.
struct GrayPicture {
    let width: Int
    let height: Int
    let pixels: [UInt8]

    /// Decodes a picture after its size was checked.
    ///
    /// Transparent pixels count as white.
    init(decoding bytes: [UInt8], _ header: ImageHeader) throws(QRError) {
        Self.silence()
        let decoded: GDImage? = unsafe bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return nil }
            // The decoders read from these bytes and do not store them.
            let data = unsafe UnsafeMutableRawPointer(mutating: start)
            let size = Int32(truncatingIfNeeded: buffer.count)
            let image: gdImagePtr? =
                switch header.format {
                case .png: unsafe gdImageCreateFromPngPtr(size, data)
                case .jpeg: unsafe gdImageCreateFromJpegPtr(size, data)
                case .webp: unsafe gdImageCreateFromWebpPtr(size, data)
                case .gif: unsafe gdImageCreateFromGifPtr(size, data)
                }
            guard let image = unsafe image else { return nil }
            return unsafe GDImage(image)
        }
        guard let decoded else {
            throw QRError(.damaged, "the picture is damaged or incomplete; save it again, if possible as PNG")
        }
        (width, height) = (decoded.width, decoded.height)
        // The decoded size counts, not the size in the file's header.
        guard width > 0, height > 0, width <= ImageHeader.maximumPixels / height else {
            throw QRError(.tooManyPixels, "the picture has too many pixels; cut out the part with the QR code")
        }
        pixels = decoded.brightness
    }

    /// By default the decoders write errors to standard error, so they are told not to.
    private static func silence() { _ = silenced }
    private static let silenced: Void = unsafe gdSetErrorMethod { _, _, _ in }

    /// The bytes of every QR code, in the order from top to bottom.
    func codes() throws(QRError) -> [[UInt8]] {
        guard let scanner = QRScanner() else {
            throw QRError(.exhausted, "there is not enough memory to read QR codes: close a program and try again")
        }
        return scanner.codes(in: self)
    }
}

/// A picture that libgd decoded.
///
/// It is freed with this value.
@safe private final class GDImage {
    private let image: gdImagePtr

    init(_ image: gdImagePtr) {
        unsafe self.image = unsafe image
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
}

/// The scanner of libzbar, for QR codes only.
///
/// It is freed with this value.
@safe private final class QRScanner {
    private let scanner: OpaquePointer

    init?() {
        guard let scanner = unsafe zbar_image_scanner_create() else { return nil }
        unsafe self.scanner = unsafe scanner
        unsafe zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
        unsafe zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1)
        // A QR code in white on black, as dark themes show it.
        unsafe zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_TEST_INVERTED, 1)
    }

    deinit {
        unsafe zbar_image_scanner_destroy(scanner)
    }

    func codes(in picture: GrayPicture) -> [[UInt8]] {
        guard let image = unsafe zbar_image_create() else { return [] }
        defer { unsafe zbar_image_destroy(image) }
        // The format "Y800": one byte of brightness per pixel.
        unsafe zbar_image_set_format(image, 0x3030_3859)
        unsafe zbar_image_set_size(image, UInt32(picture.width), UInt32(picture.height))
        var found: [(x: Int32, y: Int32, bytes: [UInt8])] = []
        unsafe picture.pixels.withUnsafeBytes { buffer in
            unsafe zbar_image_set_data(image, buffer.baseAddress, UInt(buffer.count), nil)
            guard unsafe zbar_scan_image(scanner, image) > 0 else { return }
            var symbol = unsafe zbar_image_first_symbol(image)
            while let current = unsafe symbol {
                if unsafe zbar_symbol_get_type(current) == ZBAR_QRCODE,
                    let data = unsafe zbar_symbol_get_data(current)
                {
                    let count = Int(unsafe zbar_symbol_get_data_length(current))
                    let bytes = unsafe UnsafeRawBufferPointer(start: data, count: count)
                    found.append((unsafe left(of: current), unsafe top(of: current), unsafe Array(bytes)))
                }
                unsafe symbol = unsafe zbar_symbol_next(current)
            }
        }
        // QR codes count as one row even if they are not exactly level.
        let level = Int32(clamping: max(1, picture.height / 20))
        return found.sorted { ($0.y / level, $0.x) < ($1.y / level, $1.x) }.map(\.bytes)
    }

    private func left(of symbol: OpaquePointer) -> Int32 {
        let count = unsafe zbar_symbol_get_loc_size(symbol)
        return (0..<count).map { unsafe zbar_symbol_get_loc_x(symbol, $0) }.min() ?? 0
    }

    private func top(of symbol: OpaquePointer) -> Int32 {
        let count = unsafe zbar_symbol_get_loc_size(symbol)
        return (0..<count).map { unsafe zbar_symbol_get_loc_y(symbol, $0) }.min() ?? 0
    }
}
