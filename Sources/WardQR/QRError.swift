/// Why no text came out of a picture, with what to do about it.
///
/// Errors are equal when their codes are.
public struct QRError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What stands in the way; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        private enum Base: String {
            case damaged, exhausted
            case fileTooLarge = "file_too_large"
            case noCode = "no_code"
            case notText = "not_text"
            case tooManyPixels = "too_many_pixels"
            case unknownFormat = "unknown_format"
        }
        private let base: Base

        /// More than 32 MiB.
        public static var fileTooLarge: Self { .init(base: .fileTooLarge) }
        /// Neither PNG nor JPEG, WebP or GIF.
        public static var unknownFormat: Self { .init(base: .unknownFormat) }
        /// More than 67,108,864 pixels, or none.
        public static var tooManyPixels: Self { .init(base: .tooManyPixels) }
        /// The picture breaks off or contradicts itself.
        public static var damaged: Self { .init(base: .damaged) }
        /// No QR code was found.
        public static var noCode: Self { .init(base: .noCode) }
        /// A QR code holds bytes that are no text.
        public static var notText: Self { .init(base: .notText) }
        /// There is not enough memory for the picture.
        public static var exhausted: Self { .init(base: .exhausted) }

        /// A stable word for logs.
        public var name: String { base.rawValue }
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

    /// Errors are equal when their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
