/// A store that refused or could not do what it was asked.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        private enum Base: String {
            case usernameTaken, credentialExists, accountNotFound, conflict, notStorable
            case damaged, unavailable
        }

        private let base: Base

        /// Another account has a name with the same mapped form.
        public static var usernameTaken: Self { .init(base: .usernameTaken) }
        /// The credential id is registered already, to this account or another.
        public static var credentialExists: Self { .init(base: .credentialExists) }
        /// A record names an account that is not there, perhaps because it was deleted meanwhile.
        public static var accountNotFound: Self { .init(base: .accountNotFound) }
        /// Another record has this identifier; with random identifiers the randomness is broken.
        public static var conflict: Self { .init(base: .conflict) }
        /// A value cannot be kept exactly as it is: text with U+0000 in it.
        public static var notStorable: Self { .init(base: .notStorable) }
        /// What is stored cannot be read back; somebody has to look after it.
        public static var damaged: Self { .init(base: .damaged) }
        /// The store cannot answer now: closed, full, unreachable, or wrongly used.
        public static var unavailable: Self { .init(base: .unavailable) }

        /// A stable word for logs.
        public var name: String { base.rawValue }

        /// Whether the store works and said no; the transaction it happened in can go on.
        ///
        /// After any other failure the transaction can only be rolled back: let the error leave the closure.
        public var isRefusal: Bool {
            switch base {
            case .usernameTaken, .credentialExists, .accountNotFound, .conflict, .notStorable: true
            case .damaged, .unavailable: false
            }
        }
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened, without values from records: fit for a log.
    public let detail: String
    /// One line for a log.
    public var description: String { detail.isEmpty ? code.name : "\(code.name): \(detail)" }

    /// Reports a failure; `detail` must not contain anything from a record.
    public init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// Errors are equal when their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
