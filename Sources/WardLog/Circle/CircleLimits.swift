/// How large a circle of devices can be.
///
/// The cost of evaluating a circle is a polynomial in these numbers. All but ``entriesOfDevice`` depend on an entry and its past
/// alone, so every device finds the same entries too large. `Documentation/formats/sync.md`, "Limits".
package enum CircleLimits {
    /// Members after an admission, members that begin a circle, and devices that one operation removes.
    package static let members = 32
    /// Members after a recovery: a circle that a thief filled can still be recovered.
    package static let membersAfterRecovery = 64
    /// Recovery keys of one operation.
    package static let recoveryKeys = 8
    /// Operations that stand and are not void, in the past of the next one.
    package static let operations = 256
    /// Operations beyond ``operations`` that only remove, make a new key, or recover.
    package static let reservedOperations = 32
    /// Entries that one entry names.
    package static let names = 64
    /// Signatures of owner keys and recovery keys on one entry.
    package static let approvals = 256
    /// Entries of one device, unless an entry of another device names them.
    package static let entriesOfDevice = 512
}

/// A limit that an entry exceeds.
package struct CircleLimitError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was counted.
    package enum Step: String, Sendable {
        case members
        case removedDevices = "removed devices"
        case recoveryKeys = "recovery keys"
        case operations
        case names = "named entries"
        case approvals = "signatures"
        case entriesOfDevice = "entries of a device"
    }

    package let step: Step
    package let found: Int
    package let allowed: Int

    package var description: String { "\(found) \(step.rawValue), at most \(allowed) are allowed" }

    static func check(_ step: Step, _ found: Int, _ allowed: Int) throws(CircleLimitError) {
        guard found <= allowed else { throw CircleLimitError(step: step, found: found, allowed: allowed) }
    }
}

/// How much work a circle has done, so that tests can bound it without a clock.
package struct CircleWork: Hashable, Sendable {
    /// Sets of entries for which the circle was computed.
    package var evaluations = 0
    /// Evaluations inside each other, at most.
    package var deepest = 0
    /// Questions whether a removal reaches an operation.
    package var reaches = 0
    /// Questions to a witness about two operations.
    package var statements = 0
    /// Decisions about an operation that one of them takes away.
    package var decisions = 0
    /// About how many steps all of it took, with what stays in memory about two operations: some nanoseconds each.
    package var steps = 0
    var depth = 0

    /// What eight bytes of memory count as steps.
    static let stepsOfWord = 25

    package var total: Int { evaluations + reaches + statements + decisions }
}

extension CircleEntry {
    /// Checks what the entry alone shows.
    func checkLimits() throws(CircleLimitError) {
        try CircleLimitError.check(.names, names.count, CircleLimits.names)
        try CircleLimitError.check(.approvals, approvals.count, CircleLimits.approvals)
        try CircleLimitError.check(.removedDevices, operation.targets.count, CircleLimits.members)
        switch operation {
        case .begin(let members, let recovery, _):
            try CircleLimitError.check(.members, members.count, CircleLimits.members)
            try CircleLimitError.check(.recoveryKeys, recovery.count, CircleLimits.recoveryKeys)
        case .recovery(let recovery, _):
            try CircleLimitError.check(.recoveryKeys, recovery.count, CircleLimits.recoveryKeys)
        case .admit, .recover, .remove, .rekey, .header, .rules, .place, .other, .unknown: break
        }
    }

    /// Checks what the entry's past shows: an operation beyond these limits does not stand, but other entries may name it.
    func checkLimits(after before: CircleState) throws(CircleLimitError) {
        let (allowed, isReserved) =
            switch operation {
            case .other, .unknown, .begin: (Int.max, false)
            case .recover: (CircleLimits.membersAfterRecovery, true)
            case .admit: (CircleLimits.members, false)
            case .remove, .rekey: (Int.max, true)
            case .recovery, .header, .rules, .place: (Int.max, false)
            }
        try CircleLimitError.check(.members, before.members.count + 1, allowed)
        guard operation != .other, operation != .unknown else { return }
        let operations = CircleLimits.operations + (isReserved ? CircleLimits.reservedOperations : 0)
        try CircleLimitError.check(.operations, before.operations + 1, operations)
    }
}
