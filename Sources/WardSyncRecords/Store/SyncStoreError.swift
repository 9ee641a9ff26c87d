internal import WardText

/// Why a store refused or failed.
package struct SyncStoreError: CodedError {
    package struct Code: ErrorCode {
        package let name: String

        /// The vault does not exist.
        package static let vaultNotFound = Self(name: "vault_not_found")
        /// The vault exists, and somebody else brought it.
        package static let vaultExists = Self(name: "vault_exists")
        /// The invitation was used, has expired, or never existed.
        package static let invitationNotValid = Self(name: "invitation_not_valid")
        /// The account has the maximum number of vaults.
        package static let tooManyVaults = Self(name: "too_many_vaults")
        /// Other entries arrived after the upload was checked.
        package static let headMoved = Self(name: "head_moved")
        /// The key is not one that opens sessions now.
        package static let keyNotAllowed = Self(name: "key_not_allowed")
        /// A record with this name exists.
        package static let conflict = Self(name: "conflict")
        /// Stored data is malformed; the operator must look at it.
        package static let damaged = Self(name: "damaged")
        /// The store cannot work at the moment: closed, full, unreachable, or used wrongly.
        package static let unavailable = Self(name: "unavailable")
        /// The store has too much to write, or another program has locked it.
        package static let busy = Self(name: "busy")

        /// Whether the store works and only refused this call.
        package var isRefusal: Bool { ![.damaged, .unavailable, .busy].contains(self) }
    }

    package let code: Code
    /// What happened, for a log, without values of records.
    package let detail: String

    package init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }
}
