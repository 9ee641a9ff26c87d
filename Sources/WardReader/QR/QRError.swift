public import WardText

/// Why no text could be read from a picture, and what to do about it.
///
/// Errors are equal if their codes are.
public struct QRError: CodedError {
    /// The kind of problem.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable name for logs.
        public let name: String

        /// More than 32 MiB.
        public static let fileTooLarge = Self(name: "file_too_large")
        /// The file is not a PNG, JPEG, WebP or GIF picture.
        public static let unknownFormat = Self(name: "unknown_format")
        /// The picture has more than 67,108,864 pixels, or none.
        public static let tooManyPixels = Self(name: "too_many_pixels")
        /// The picture is incomplete or contradicts itself.
        public static let damaged = Self(name: "damaged")
        /// No QR code was found.
        public static let noCode = Self(name: "no_code")
        /// A QR code has bytes that are not text.
        public static let notText = Self(name: "not_text")
        /// There is not enough memory for the picture.
        public static let exhausted = Self(name: "exhausted")
    }

    /// The kind of problem.
    public let code: Code
    /// The problem, and what to do.
    public let detail: String
    /// The error on one line, for a person.
    public var description: String { detail }

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
