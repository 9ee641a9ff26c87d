/// What a vault can have at most, for a device that reads it for the first time.
enum VaultLimits {
    /// The number of entries.
    static let entries = 1_000_000
    /// The length of all entries with their data.
    static let bytes = 1 << 30
}
