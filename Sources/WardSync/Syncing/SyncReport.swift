package import WardVault

/// What a sync with a folder or a server did.
package struct SyncReport: Sendable {
    /// The number of entries of other devices that were taken.
    package internal(set) var taken = 0
    /// The items that changed, appeared or went.
    package internal(set) var items: Set<ItemID> = []
    /// The number of entries of this device that were written into the folder, or brought to the server.
    package internal(set) var written = 0
    /// The number of entries that the server lacked and was sent, also those of others.
    package internal(set) var brought = 0
    /// Entries that others name and that are not there yet.
    package internal(set) var missing: Set<[UInt8]> = []
    /// Whether the header in force came without its data, with the operation that brings it.
    var lacksHeader = false
    /// Why entries were not taken, with at most ``mostRefusals`` that were refused.
    package internal(set) var troubles: [ExchangeReport.Trouble] = []
    /// How often further entries were refused; one that came twice counts twice.
    package internal(set) var moreRefused = 0
    /// Whether entries were there of devices that are not in the circle, in this sync or in an earlier one of the same session.
    package internal(set) var hasStrangers = false
    /// What could not be read or cleaned up in the folder.
    package internal(set) var folderTroubles: [FolderTrouble] = []
    /// Whether the passphrase was changed on another device.
    package internal(set) var hasNewHeader = false
    /// The number of entries that the server had lost, and that this device brought back.
    package internal(set) var broughtBack = 0
    /// Whether everything was read again, because the server did not have the order that it had before.
    package internal(set) var hasBegunAnew = false
    /// The entry that proves that the server showed two orders of entries; `nil` if nothing proves it.
    package var twoOrders: OrderWitness?
    /// What the server did not take although this device could go on.
    package internal(set) var serverTroubles: [ServerError] = []

    /// How much of the vault's room on the server is used; `nil` for a folder.
    package internal(set) var room: ServerRoom?

    /// Why the server does not take the next entry of this device.
    var blocked: ServerError?

    package init() {}

    /// For tests.
    init(taken: Int) { self.taken = taken }

    /// Whether entries of other devices did not come, or came without their data or changed.
    package var lacksEntries: Bool {
        !missing.isEmpty
            || troubles.contains { trouble in
                switch trouble {
                case .withheld, .headerIsMissing, .otherData, .refused: true
                case .damagedHeader, .lacksHeaderKey, .needsSecretKey, .hasOwnEntries, .removedHere: false
                }
            }
    }

    /// Whether the server showed two orders of entries.
    package var hasTwoOrders: Bool { twoOrders != nil }

    /// Counts what a sync did that ended just before this one.
    package mutating func add(_ earlier: SyncReport) {
        taken += earlier.taken
        items.formUnion(earlier.items)
        written += earlier.written
        brought += earlier.brought
        broughtBack += earlier.broughtBack
        hasNewHeader = hasNewHeader || earlier.hasNewHeader
    }

    /// Anybody can deliver any number of entries that are refused, so no more of them are kept.
    static let mostRefusals = 1_000

    /// Notes why entries were not taken, each once.
    mutating func note(_ new: [ExchangeReport.Trouble]) {
        // What came without its blob before was offered again, and may have become old enough.
        troubles.removeAll { if case .withheld = $0 { true } else { false } }
        var known = Set(troubles)
        var refusals = troubles.count { $0.refused != nil }
        for trouble in new where !known.contains(trouble) {
            if trouble.refused != nil {
                guard refusals < Self.mostRefusals else {
                    moreRefused += 1
                    continue
                }
                refusals += 1
            }
            known.insert(trouble)
            troubles.append(trouble)
        }
    }

    /// Forgets what another try decides anew.
    mutating func beginAgain() { (missing, serverTroubles, blocked, lacksHeader) = ([], [], nil, false) }
}
