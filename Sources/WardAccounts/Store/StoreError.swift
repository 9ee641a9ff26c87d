public import WardText

/// Why a store refused or failed.
public struct StoreError: CodedError {
    /// The kind of failure.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable name for logs.
        public let name: String

        /// Another account has a name with the same mapped form.
        public static let usernameTaken = Self(name: "username_taken")
        /// The credential ID is already registered, for this account or another.
        public static let credentialExists = Self(name: "credential_exists")
        /// The account of a record does not exist, for example because it has just been deleted.
        public static let accountNotFound = Self(name: "account_not_found")
        /// Another record has this ID.
        ///
        /// With random IDs this means that the source of randomness is broken.
        public static let conflict = Self(name: "conflict")
        /// A value cannot be stored exactly: text with U+0000.
        public static let notStorable = Self(name: "not_storable")
        /// Stored data is malformed; the administrator must look at it.
        public static let damaged = Self(name: "damaged")
        /// The store cannot work at the moment: closed, full, unreachable, or used wrongly.
        public static let unavailable = Self(name: "unavailable")

        /// The store has too much to write, or another program has locked it.
        ///
        /// The same call can succeed a moment later.
        public static let busy = Self(name: "busy")

        /// Whether the store works and only refused this call.
        ///
        /// Then the transaction can continue.
        ///
        /// After any other failure the transaction can only be rolled back: rethrow the error from the closure.
        public var isRefusal: Bool {
            [.usernameTaken, .credentialExists, .accountNotFound, .conflict, .notStorable].contains(self)
        }
    }

    /// The kind of failure.
    public let code: Code
    /// What happened, for a log, without values of records.
    public let detail: String

    /// Creates an error.
    ///
    /// `detail` must not contain values of records.
    public init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }
}
