/// A removal, and an operation that it does not know and whose device it removes.
package struct CircleDispute: Hashable, Sendable {
    package enum Side: Hashable, Sendable { case one, other }

    /// The witnesses that had the removal in the past of an entry without the other operation.
    package var witnessesOfOne: Set<DeviceID>
    package var witnessesOfOther: Set<DeviceID>
    /// Whether a recovery key that was in force signed the operation too.
    package var recoverySignedOne: Bool
    package var recoverySignedOther: Bool
}

/// What is known about the author of an entry, in the entry's past.
package struct CircleStanding: Hashable, Sendable {
    package var isMember: Bool
    /// The device wrote a removal that is in dispute, or rests on an admission that is.
    package var isDisputed: Bool
    /// The device signed two entries that do not know each other, or wrote an unknown operation.
    package var isStopped: Bool
    /// There is a removal in dispute.
    package var isFrozen: Bool
}

/// The rules of a circle of devices, one function for each.
///
/// `Documentation/formats/sync.md` has them in words. They are separate functions so that a test can replace one of them and show
/// what happens without it. The product uses ``StandardCircleRules``.
package protocol CircleRules: Sendable {
    init()
    /// Whether an entry begins the circle: only one entry can.
    func begins(_ entry: CircleEntry, _ circle: [UInt8]) -> Bool
    /// Whether an approval is one of this entry.
    func approves(_ approval: CircleApproval, _ entry: CircleEntry) -> Bool
    /// Whether the owner has signed: with every owner key in force.
    func isOwner(_ keys: Set<CircleKey>, _ owners: Set<CircleKey>) -> Bool
    /// Whether a new owner key is new, and has signed too.
    func isNewOwner(_ key: CircleKey, _ owners: Set<CircleKey>, signers: Set<CircleKey>) -> Bool
    /// Whether an epoch or a generation follows the largest in the past.
    func follows(_ number: UInt64, _ largest: UInt64) -> Bool
    /// Whether the earliest version of readers may become this one.
    func raises(_ version: UInt64, _ earliest: UInt64) -> Bool
    /// Whether a device may be admitted.
    func isNew(isMember: Bool, wasRemoved: Bool, isDisputed: Bool) -> Bool
    /// Whether a device may change the circle.
    func mayChange(_ standing: CircleStanding, answers: Bool) -> Bool
    /// Whether an operation may count whose author rests on these admissions; `true` for each that is not taken away.
    func rests(on admissions: [Bool]) -> Bool
    /// Whether a device that was admitted in the common past may be a witness.
    func isHeard(isMemberOfCommonPast: Bool, isMemberForOneSide: Bool) -> Bool
    /// Whether a witness speaks for an operation; a party wrote one of the two, or admitted the operation's author.
    func isWitness(isParty: Bool) -> Bool
    /// The operation that was there first; `nil` if nothing shows it.
    func first(_ dispute: CircleDispute) -> CircleDispute.Side?
    /// Whether a removal that counts takes away an operation of the removed device.
    func takesAway(isRemoval: Bool, first: CircleDispute.Side?) -> Bool
    /// Whether the keys of a removal count although another removal reaches it.
    var keysOutliveTheirAuthor: Bool { get }
    /// Whether new recovery keys take away a recovery with an earlier one that did not know them.
    var newRecoveryKeysReplaceOldOnes: Bool { get }
    /// Whether an answer closes the disputes in its past.
    var answersCloseDisputes: Bool { get }
    /// Whether removals may leave nobody.
    var mayBeEmpty: Bool { get }
    /// Whether an entry of a removed device counts; `true` for each removal that knew the entry.
    func counts(knownTo removals: [Bool]) -> Bool
    /// Whether a key may seal; these are the devices outside the circle that have the key.
    func isClean(outsiders: Set<DeviceID>) -> Bool
    /// Whether an unknown operation stops a device.
    func stops(_ device: DeviceID, unknownOperationOf author: DeviceID) -> Bool
    /// Whether a header is used rather than another one.
    func isPreferred(_ header: CircleHeader, to other: CircleHeader) -> Bool
}

/// A header of a vault, as the log names it.
package struct CircleHeader: Hashable, Sendable {
    /// The hash of the entry that brought it.
    package var entry: [UInt8]
    package var generation: UInt64
    /// Whether the entry knew the vault key in force.
    package var knowsKey: Bool
}

extension CircleRules {
    package func begins(_ entry: CircleEntry, _ circle: [UInt8]) -> Bool { entry.hash == circle }

    package func approves(_ approval: CircleApproval, _ entry: CircleEntry) -> Bool {
        approval.content == entry.content
    }

    package func isOwner(_ keys: Set<CircleKey>, _ owners: Set<CircleKey>) -> Bool {
        !owners.isEmpty && owners.isSubset(of: keys)
    }

    package func isNewOwner(_ key: CircleKey, _ owners: Set<CircleKey>, signers: Set<CircleKey>) -> Bool {
        !owners.contains(key) && signers.contains(key)
    }

    package func follows(_ number: UInt64, _ largest: UInt64) -> Bool { largest < .max && number == largest + 1 }

    package func raises(_ version: UInt64, _ earliest: UInt64) -> Bool { version > earliest }

    package func isNew(isMember: Bool, wasRemoved: Bool, isDisputed: Bool) -> Bool {
        !isMember && !wasRemoved && !isDisputed
    }

    package func mayChange(_ standing: CircleStanding, answers: Bool) -> Bool {
        standing.isMember && !standing.isDisputed && !standing.isStopped && (answers || !standing.isFrozen)
    }

    package func rests(on admissions: [Bool]) -> Bool { admissions.isEmpty || admissions.contains(true) }

    package func isHeard(isMemberOfCommonPast: Bool, isMemberForOneSide: Bool) -> Bool {
        isMemberForOneSide
    }

    package func isWitness(isParty: Bool) -> Bool { !isParty }

    package func first(_ dispute: CircleDispute) -> CircleDispute.Side? {
        let one = dispute.witnessesOfOne.subtracting(dispute.witnessesOfOther)
        let other = dispute.witnessesOfOther.subtracting(dispute.witnessesOfOne)
        switch (one.isEmpty, other.isEmpty) {
        case (false, true): return .one
        case (true, false): return .other
        case (true, true), (false, false): break
        }
        switch (dispute.recoverySignedOne, dispute.recoverySignedOther) {
        case (true, false): return .one
        case (false, true): return .other
        case (true, true), (false, false): return nil
        }
    }

    package func takesAway(isRemoval: Bool, first: CircleDispute.Side?) -> Bool { !isRemoval || first != .other }

    package var keysOutliveTheirAuthor: Bool { false }

    package var newRecoveryKeysReplaceOldOnes: Bool { true }

    package var answersCloseDisputes: Bool { true }

    package var mayBeEmpty: Bool { false }

    package func counts(knownTo removals: [Bool]) -> Bool { removals.allSatisfy { $0 } }

    package func isClean(outsiders: Set<DeviceID>) -> Bool { outsiders.isEmpty }

    package func stops(_ device: DeviceID, unknownOperationOf author: DeviceID) -> Bool { device == author }

    package func isPreferred(_ header: CircleHeader, to other: CircleHeader) -> Bool {
        if header.knowsKey != other.knowsKey { return header.knowsKey }
        if header.generation != other.generation { return header.generation > other.generation }
        return other.entry.lexicographicallyPrecedes(header.entry)
    }
}

/// The rules that the product uses.
package struct StandardCircleRules: CircleRules {
    package init() {}
}
