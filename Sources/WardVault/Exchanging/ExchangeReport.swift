/// What became of entries that other devices wrote.
package struct ExchangeReport: Hashable, Sendable {
    /// Why an entry, or all of them, were not taken.
    package enum Trouble: Hashable, Sendable {
        /// The entry breaks a rule of the log; whoever delivers it can try again with the right one.
        case refused(entry: [UInt8], reason: String)
        /// The entry came with other data than it names.
        case otherData(entry: [UInt8])
        /// The entry came without its data, and the data must still be kept.
        case withheld(entry: [UInt8])
        /// The entry replaces the header and came with a header that the vault's keys do not open, or whose settings are too weak.
        case damagedHeader(entry: [UInt8])
        /// The entry replaces the header and came with a header that was made with a vault key which this device was not given.
        case lacksHeaderKey(entry: [UInt8])
        /// The header was replaced together with the Secret Key: the person must bring the new one to this device.
        case needsSecretKey(entry: [UInt8])
        /// There are entries of this device beside those that it has: a copy of this device writes too. Nothing was taken.
        case hasOwnEntries
        /// This device was removed from the circle. Nothing that came after that was taken.
        case removedHere
        /// The log would name a header that nobody delivered. Nothing was taken.
        case headerIsMissing

        /// The entry that will never be taken as it came; `nil` for what is no refusal.
        ///
        /// Anybody can deliver such entries.
        package var refused: [UInt8]? {
            switch self {
            case .refused(let entry, _), .otherData(let entry): entry
            case .withheld, .damagedHeader, .lacksHeaderKey, .needsSecretKey, .hasOwnEntries, .removedHere,
                .headerIsMissing:
                nil
            }
        }
    }

    /// The number of entries that were taken, and of those that were there before.
    package internal(set) var taken = 0
    package internal(set) var known = 0
    /// The number of entries that were there before without the data that they came with now.
    package internal(set) var filled = 0
    /// The number of entries of this device itself, which was restored from a copy.
    package internal(set) var restored = 0
    /// The items that changed, appeared or went.
    package internal(set) var items: Set<ItemID> = []
    /// The hashes of entries that others name and that nobody delivered yet.
    package internal(set) var missing: Set<[UInt8]> = []
    /// The hashes of entries of devices that wrote more than a reader takes: they are taken once another device names them.
    package internal(set) var surplus: Set<[UInt8]> = []
    package internal(set) var troubles: [Trouble] = []
    /// Whether an entry was refused because its device is not in the circle: somebody else writes.
    package internal(set) var hasStrangers = false
    /// Whether the header in force would be one that came without its data, with the operation that brings it.
    package internal(set) var lacksHeader = false
    /// Whether the vault has a new header: the passphrase was changed on another device.
    package internal(set) var hasNewHeader = false
    /// Whether other devices are in the circle than before.
    package internal(set) var hasNewCircle = false

    /// The entries that will never be taken as they came.
    package var refused: Set<[UInt8]> { Set(troubles.lazy.compactMap(\.refused)) }
}
