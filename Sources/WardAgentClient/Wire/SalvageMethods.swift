/// Writes the readable items of a damaged vault into a new vault.
///
/// The damaged file stays unchanged.
package struct SalvageVault: AgentMethod {
    /// `vault.salvage`.
    package static let name = "vault.salvage"
    /// The authorization with the damaged vault's passphrase, unless there is a recovery key.
    package var authorization: Authorization
    /// The damaged vault's recovery key, instead of its passphrase.
    package var recoveryKey: String?
    /// The new vault's passphrase.
    ///
    /// `nil` means the passphrase of the damaged vault. Required with a recovery key.
    package var passphrase: String?
    /// Whether to accept a vault without a proof for the recovery key; `nil` means no.
    package var trustsUnproven: Bool?
    /// The folder to create for the new vault, an absolute path; `nil` only shows what can be saved.
    package var folder: String?

    /// Creates a request.
    package init(
        authorization: Authorization,
        recoveryKey: String? = nil,
        passphrase: String? = nil,
        trustsUnproven: Bool? = nil,
        folder: String? = nil
    ) {
        self.authorization = authorization
        self.recoveryKey = recoveryKey
        self.passphrase = passphrase
        self.trustsUnproven = trustsUnproven
        self.folder = folder
    }

    /// The saved and lost items.
    package struct Result: Codable, Sendable {
        /// An item of the damaged vault.
        package struct ItemState: Codable, Hashable, Sendable {
            /// The item ID.
            package var id: String
            /// The title; `nil` if it cannot be read.
            package var title: String?

            package init(id: String, title: String? = nil) {
                self.id = id
                self.title = title
            }
        }

        /// The number of items that were saved in their latest revision.
        package var complete: Int
        /// Items that were saved in an older revision, because the latest is unreadable.
        package var outdated: [ItemState]
        /// Items without a readable revision.
        package var lost: [ItemState]
        /// Saved items of which an attached file cannot be read; `nil` if there are none.
        package var withoutAttachments: [ItemState]?
        /// The number of log entries that are unreadable or missing.
        package var damagedEntries: Int
        /// The new vault's file; this and the next values are `nil` if nothing was written.
        package var vault: String?
        /// The path of the new vault's Secret Key.
        package var secretKey: String?
        /// The new vault's recovery key, shown only once.
        package var newRecoveryKey: String?

        package init(complete: Int, outdated: [ItemState], lost: [ItemState], damagedEntries: Int) {
            self.complete = complete
            self.outdated = outdated
            self.lost = lost
            self.damagedEntries = damagedEntries
        }
    }
}
