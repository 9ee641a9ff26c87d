internal import WardLog

/// Data that must be kept and is not here.
///
/// A removal for good allows clearing an item's data. It may turn out later that the removal does not count, because its device was
/// removed beside it. Then the data is needed again, and another device may have it. So is an attached file, if a device that was away
/// had changed the item beside its removal.
struct LackingData {
    /// By what the entries count.
    var rules: CountingRules
    /// The hashes of all revisions and contents that are in the file without their data, by their items.
    var bare: [LogItemID: Set<[UInt8]>]
    /// Those whose data is needed.
    var entries: Set<[UInt8]>
}
