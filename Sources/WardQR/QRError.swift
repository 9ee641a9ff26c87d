public import WardText

/// Why no text came out of a picture, with what to do about it.
///
/// Errors are equal if their codes are.
public struct QRError: CodedError {
    /// What stands in the way; minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable name for logs.
        public let name: String

        /// More than 32 MiB.
        public static let fileTooLarge = Self(name: "file_too_large")
        /// Neither PNG nor JPEG, WebP or GIF.
        public static let unknownFormat = Self(name: "unknown_format")
        /// More than 67,108,864 pixels, or none.
        public static let tooManyPixels = Self(name: "too_many_pixels")
        /// The picture breaks off or contradicts itself.
        public static let damaged = Self(name: "damaged")
        /// No QR code was found.
        public static let noCode = Self(name: "no_code")
        /// A QR code holds bytes that are not text.
        public static let notText = Self(name: "not_text")
        /// There is not enough memory for the picture.
        public static let exhausted = Self(name: "exhausted")
    }

    /// What stands in the way.
    public let code: Code
    /// What was found, and what to do.
    public let detail: String
    /// One line for a person.
    public var description: String { detail }

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
