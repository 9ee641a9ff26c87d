/// Writes the readable items of a damaged vault into a new vault.
///
/// The damaged file stays unchanged.
package struct SalvageVault: AgentMethod {
    package static let name = "vault.salvage"
    /// The authorization with the damaged vault's passphrase, unless there is a recovery key.
    package var authorization: Authorization
    /// The damaged vault's recovery key, instead of its passphrase.
    package var recoveryKey: String?
    /// The new vault's passphrase.
    ///
    /// With `nil` it is the passphrase of the damaged vault. With a recovery key it is required.
    package var passphrase: String?
    /// Whether to open a vault that has no proof that it was made with the recovery key; `nil` means no.
    ///
    /// Without the proof, another person can have made the vault. Vaults of early versions have none.
    package var trustsUnproven: Bool?
    /// The absolute path of a folder to create for the new vault.
    ///
    /// With `nil` the request only shows what can be saved.
    package var folder: String?

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

        /// The number of items that were saved with their latest revision.
        package var complete: Int
        /// Items that were saved with an older revision, because the latest cannot be read.
        package var outdated: [ItemState]
        /// Items without a readable revision.
        package var lost: [ItemState]
        /// Saved items with an attached file that cannot be read; `nil` if there are none.
        package var withoutAttachments: [ItemState]?
        /// Saved items without values of other devices that they did not show, because they would be too large; `nil` if there are none.
        package var withoutConflicts: [ItemState]?
        /// The number of log entries that are unreadable or missing.
        package var damagedEntries: Int
        /// The path of the new vault's file.
        ///
        /// This value and the next ones are `nil` if nothing was written.
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
