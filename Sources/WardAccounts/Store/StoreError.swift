/// A store that refused or could not do what it was asked.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        /// A stable name for logs.
        public let name: String

        /// Another account has a name with the same mapped form.
        public static let usernameTaken = Self(name: "username_taken")
        /// The credential id is registered already, to this account or another.
        public static let credentialExists = Self(name: "credential_exists")
        /// A record names an account that is not there, perhaps because it was deleted meanwhile.
        public static let accountNotFound = Self(name: "account_not_found")
        /// Another record has this identifier; with random identifiers the randomness is broken.
        public static let conflict = Self(name: "conflict")
        /// A value cannot be kept exactly as it is: text with U+0000 in it.
        public static let notStorable = Self(name: "not_storable")
        /// What is stored cannot be read back; somebody has to look after it.
        public static let damaged = Self(name: "damaged")
        /// The store cannot answer now: closed, full, unreachable, or wrongly used.
        public static let unavailable = Self(name: "unavailable")

        /// Whether the store works and said no; the transaction it happened in can go on.
        ///
        /// After any other failure the transaction can only be rolled back: let the error leave the closure.
        public var isRefusal: Bool {
            [.usernameTaken, .credentialExists, .accountNotFound, .conflict, .notStorable].contains(self)
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

    /// Errors are equal if their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
