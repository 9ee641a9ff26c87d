/// An entry in a circle.
///
/// All but the past is decided when the entry is taken, from its past, and never again.
final class CircleNode: Sendable {
    let entry: CircleEntry
    /// The number of the entry's device.
    let author: Int
    let targets: Set<DeviceID>
    let isRemoval: Bool
    /// The entries that it builds on, without itself.
    let past: Bits
    /// Whether the author was allowed to write it.
    let stands: Bool
    /// The operations that admitted its author, if it stands and the author is not one of the first devices.
    let admissions: [Int]
    /// The entry itself, the admissions, the admissions of their authors, and so on; empty if it does not stand.
    let basis: Bits
    /// The removals in dispute that it closes.
    let closes: [Int]
    /// The devices that were given its vault key.
    let recipients: Set<DeviceID>
    /// The recovery keys that it puts out of force.
    let replaces: Set<CircleKey>
    /// The members before it; empty if it does not stand.
    let members: Set<DeviceID>
    /// Whether a recovery key that was in force signed it.
    let isSignedByRecovery: Bool
    /// Whether two entries of its device that it knows do not know each other.
    let knowsFork: Bool
    /// The limit that keeps it from standing.
    let limit: CircleLimitError?

    init(
        entry: CircleEntry,
        author: Int,
        past: Bits,
        stands: Bool,
        admissions: [Int],
        basis: Bits,
        closes: [Int],
        recipients: Set<DeviceID>,
        replaces: Set<CircleKey>,
        members: Set<DeviceID>,
        isSignedByRecovery: Bool,
        knowsFork: Bool,
        limit: CircleLimitError?
    ) {
        self.entry = entry
        self.author = author
        targets = entry.operation.targets
        isRemoval = entry.operation.isRemoval
        self.past = past
        self.stands = stands
        self.admissions = admissions
        self.basis = basis
        self.closes = closes
        self.recipients = recipients
        self.replaces = replaces
        self.members = members
        self.isSignedByRecovery = isSignedByRecovery
        self.knowsFork = knowsFork
        self.limit = limit
    }
}

/// A removal, and an operation that it does not know.
struct CirclePair: Hashable {
    let one: Int
    let other: Int
}

/// Who may speak about a removal and an operation: it depends on the two alone.
struct CircleHearing {
    /// A device that is heard, and for which side it can speak.
    struct Witness {
        let device: DeviceID
        let speaksForOne: Bool
        let speaksForOther: Bool
    }

    let witnesses: [Witness]
}

/// A removal that hits an operation which it does not know, or something that the operation rests on.
struct CircleReach {
    let removal: Int
    let operation: Int
    /// What it hits: the operation, or admissions that the operation rests on.
    let hit: Bits
    /// Which of the two was there first, as far as anything shows it.
    let first: CircleDispute.Side?
    /// It wins whatever the witnesses say.
    let always: Bool
}

/// What became of an operation.
enum CircleLabel {
    case counts
    case isVoid
    /// Nothing decides it.
    case isContested
}

/// The circle after a set of entries.
struct CircleEvaluation {
    var state = CircleState()
    /// The removals in dispute.
    var contested: [Int] = []
    /// The operations that admitted each device.
    var admissions: [DeviceID: [Int]] = [:]
}
