/// QR codes in picture files, for example a screenshot of a page.
///
/// ```swift
/// let texts = try QRImage.texts(in: bytes)
/// ```
public enum QRImage {
    /// The maximum size of a file: 32 MiB.
    public static var maximumFileSize: Int { 33_554_432 }

    /// The texts of the QR codes in a picture, from top to bottom and from left to right, without duplicates.
    ///
    /// - Parameter bytes: A PNG, JPEG, WebP or GIF file of at most 32 MiB and 67,108,864 pixels.
    /// - Returns: At least one text. They come from a stranger: check them before use.
    /// - Throws: ``QRError`` saying what to do.
    public static func texts(in bytes: [UInt8]) throws(QRError) -> [String] {
        guard bytes.count <= maximumFileSize else {
            throw QRError(
                .fileTooLarge,
                "the file is larger than 32 MiB; cut out the part with the QR code and save it as PNG"
            )
        }
        let header = try ImageHeader(bytes)
        let picture = try GrayPicture(decoding: bytes, header)
        let found = try picture.codes()
        var texts: [String] = []
        for code in found {
            guard let text = String(validating: code, as: UTF8.self) else { continue }
            if !texts.contains(text) { texts.append(text) }
        }
        guard !texts.isEmpty else {
            throw found.isEmpty
                ? QRError(
                    .noCode,
                    "no QR code was found; use a picture that shows the whole code with its white border, sharp and upright"
                )
                : QRError(
                    .notText,
                    "the QR code has bytes that are not text; use the QR code that the site shows for sign-in codes"
                )
        }
        return texts
    }
}
