/// The circle of devices after a set of entries.
///
/// It depends on the set alone, never on the order in which the entries arrived.
package struct CircleState: Hashable, Sendable {
    /// A vault key by the number of its epoch and the entry that made it: two devices may make one of the same number.
    package struct Key: Hashable, Sendable {
        package var epoch: UInt64
        package var entry: [UInt8]
    }

    /// The devices in the circle.
    package var members: Set<DeviceID> = []
    /// The devices that are out, each with the removals that count.
    package var removed: [DeviceID: Set<[UInt8]>] = [:]
    /// Removals that nothing can decide: none of them counts until the person or a recovery key decides.
    package var contested: Set<[UInt8]> = []
    /// The devices that wrote a contested removal, or whose admission is contested.
    ///
    /// They cannot change the circle.
    package var disputed: Set<DeviceID> = []
    /// Removals of members that do not count, because their author was removed and no witness knew them before.
    ///
    /// A person should see them.
    package var dropped: Set<[UInt8]> = []
    /// Members that signed two entries that do not know each other, or wrote an unknown operation.
    ///
    /// They cannot change the circle, and should be removed.
    package var stopped: Set<DeviceID> = []
    /// The owner keys in force.
    ///
    /// The next operation needs the signatures of all of them.
    package var owners: Set<CircleKey> = []
    /// The recovery keys in force.
    package var recovery: Set<CircleKey> = []
    /// The vault key in force.
    package var key: Key?
    /// Whether only devices in the circle have the vault key.
    ///
    /// Nothing is sealed with a key that is not clean.
    package var isClean = false
    /// The members that were not given the vault key.
    package var lacking: Set<DeviceID> = []
    /// The header in force.
    package var header: CircleHeader?
    /// Changes of the header alone that count but are not in force, because a header beside them was preferred.
    ///
    /// Each may be a change of the passphrase.
    package var pendingHeaders: Set<[UInt8]> = []
    /// The earliest version of readers that the owner allows.
    package var minimumReader: UInt64 = 0
    /// The newest operations that say where the vault is: several if devices moved it at the same time.
    package var places: Set<[UInt8]> = []
    /// The largest epoch, and the largest generation of a header, of any operation that stands.
    package var largestEpoch: UInt64 = 0
    package var largestHeader: UInt64 = 0
    /// How many operations stand and are not void.
    package var operations = 0

    package init() {}

    /// Whether there is a question that only the person can answer.
    ///
    /// Nothing is admitted, and nothing is sealed, until then.
    package var isFrozen: Bool { !contested.isEmpty }

    /// The devices that may write, and whose entries count: the members and, until the question is answered, those in a dispute.
    package var writers: Set<DeviceID> { members.union(disputed) }

    /// Whether a device is one of ``writers``.
    package func mayWrite(_ device: DeviceID) -> Bool { members.contains(device) || disputed.contains(device) }
}
