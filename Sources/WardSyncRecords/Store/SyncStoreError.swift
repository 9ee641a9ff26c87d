public import WardText

/// Why a store refused or failed.
public struct SyncStoreError: CodedError {
    /// A reason.
    public struct Code: ErrorCode {
        /// The name of the reason, which never changes.
        public let name: String

        /// The vault does not exist.
        public static let vaultNotFound = Self(name: "vault_not_found")
        /// The vault exists, and somebody else brought it.
        public static let vaultExists = Self(name: "vault_exists")
        /// The invitation was used, has expired, or never existed.
        public static let invitationNotValid = Self(name: "invitation_not_valid")
        /// The account has the maximum number of vaults.
        public static let tooManyVaults = Self(name: "too_many_vaults")
        /// The vaults of the account have no room left.
        public static let accountFull = Self(name: "account_full")
        /// Other entries arrived after the upload was checked.
        public static let headMoved = Self(name: "head_moved")
        /// The key is not one that opens sessions now.
        public static let keyNotAllowed = Self(name: "key_not_allowed")
        /// A record with this name exists.
        public static let conflict = Self(name: "conflict")
        /// Stored data is malformed; the operator must look at it.
        public static let damaged = Self(name: "damaged")
        /// The store cannot work at the moment: closed, full, unreachable, or used wrongly.
        public static let unavailable = Self(name: "unavailable")
        /// The store has too much to write, or another program has locked it.
        public static let busy = Self(name: "busy")

        /// Whether the store works and only refused this call.
        public var isRefusal: Bool { ![.damaged, .unavailable, .busy].contains(self) }
    }

    /// The reason.
    public let code: Code
    /// What happened, for a log, without values of records.
    public let detail: String

    /// An error with a reason.
    public init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }
}
