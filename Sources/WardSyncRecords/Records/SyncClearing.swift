/// A vault of which blobs may be cleared, and how far it was long ago.
public struct SyncClearing: Hashable, Sendable {
    /// The vault.
    public var vault: SyncVault
    /// The number of the last entry that newer revisions may have to allow something; 0 if there is none.
    public var superseded: Int64
    /// The same for removals.
    public var removed: Int64
    /// The number of the last observation: see ``SyncStore/observe(at:)``.
    public var observation: Int64

    /// A vault of which blobs may be cleared.
    public init(vault: SyncVault, superseded: Int64, removed: Int64, observation: Int64) {
        self.vault = vault
        self.superseded = superseded
        self.removed = removed
        self.observation = observation
    }
}

/// The lengths of an entry and its blob.
public struct SyncLength: Hashable, Sendable {
    /// The number of the entry in the order of arrival.
    public var number: Int64
    /// The length of the signed entry, in bytes.
    public var entry: Int64
    /// `nil` if the server has no blob of it.
    public var blob: Int64?

    /// The lengths of one entry.
    public init(number: Int64, entry: Int64, blob: Int64?) {
        self.number = number
        self.entry = entry
        self.blob = blob
    }
}
