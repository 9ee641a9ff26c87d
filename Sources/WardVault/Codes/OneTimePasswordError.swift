/// Why a link, a QR code's text or a set of parts is no secret for verification codes.
public struct OneTimePasswordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        private enum Base: String { case link, secret, digits, period, algorithm, kind, counter, batch }

        private let base: Base

        /// Neither a link of a known kind nor a secret in base32.
        public static var link: Self { .init(base: .link) }
        /// There is no secret, or it is not base32, or too long.
        public static var secret: Self { .init(base: .secret) }
        /// A number of digits that no code has.
        public static var digits: Self { .init(base: .digits) }
        /// A period that is not a number of seconds.
        public static var period: Self { .init(base: .period) }
        /// A hash function that nobody should use for this, or that does not exist.
        public static var algorithm: Self { .init(base: .algorithm) }
        /// Neither by the clock nor by counting.
        public static var kind: Self { .init(base: .kind) }
        /// A counter that is not a number from 0 up.
        public static var counter: Self { .init(base: .counter) }
        /// The data of a transfer between phones is not what it should be.
        public static var batch: Self { .init(base: .batch) }

        /// A stable word for logs and JSON.
        public var name: String { base.rawValue }
    }

    /// What is wrong.
    public let code: Code
    /// What was expected, without the secret.
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
