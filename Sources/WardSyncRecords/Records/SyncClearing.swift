/// A vault of which blobs may be cleared, and how far it was long ago.
package struct SyncClearing: Hashable, Sendable {
    package var vault: SyncVault
    /// The number of the last entry that newer revisions may have to allow something; 0 if there is none.
    package var superseded: Int64
    /// The same for removals.
    package var removed: Int64
    /// The number of the last observation: see ``SyncStore/observe(at:)``.
    package var observation: Int64

    package init(vault: SyncVault, superseded: Int64, removed: Int64, observation: Int64) {
        self.vault = vault
        self.superseded = superseded
        self.removed = removed
        self.observation = observation
    }
}

/// The lengths of an entry and its blob.
package struct SyncLength: Hashable, Sendable {
    package var number: Int64
    package var entry: Int64
    /// `nil` if the server has no blob of it.
    package var blob: Int64?

    package init(number: Int64, entry: Int64, blob: Int64?) {
        self.number = number
        self.entry = entry
        self.blob = blob
    }
}
