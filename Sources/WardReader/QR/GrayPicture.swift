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
        let decoded = try DecodedPicture(bytes, header.format)
        (width, height) = (decoded.width, decoded.height)
        // The decoded size counts, not the size in the file's header.
        guard width > 0, height > 0, width <= ImageHeader.maximumPixels / height else {
            throw QRError(.tooManyPixels, "the picture has too many pixels; cut out the part with the QR code")
        }
        pixels = decoded.brightness
    }

    /// The bytes of every QR code, in the order from top to bottom.
    func codes() throws(QRError) -> [[UInt8]] {
        guard let scanner = QRScanner() else {
            throw QRError(.exhausted, "there is not enough memory to read QR codes: close a program and try again")
        }
        return scanner.codes(in: self)
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
