internal import WardCBOR
package import WardLog

/// One side of a merge: an item, and for each value the revision that it came from.
struct MergeSide {
    /// The revision that a value came from.
    struct Origin: Hashable, Comparable {
        var time: HybridTime
        var device: DeviceID

        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.time, lhs.device) < (rhs.time, rhs.device) }
    }

    /// It is `nil` before the first revision, and if the base counts as empty.
    var item: Item?
    /// The revision of all values that ``origins`` does not contain.
    var origin: Origin
    var origins: [ItemConflict.Place: Origin] = [:]

    /// The state of an item before its first revision.
    static let empty = MergeSide(item: nil, origin: Origin(time: HybridTime(value: 0), device: DeviceID(publicKey: [])))

    func origin(of place: ItemConflict.Place) -> Origin { origins[place] ?? origin }
}

extension MergeSide {
    /// What a revision says.
    init(_ item: Item, _ revision: LoggedRevision) {
        self.init(item: item, origin: Origin(time: revision.time, device: revision.device))
    }
}

/// Merges the changes of two devices to one item, value by value.
///
/// If only one side changed a value, the change is used. If both changed it, the later value is shown and the other one becomes
/// a conflict. If one side removed a value, it is removed, unless the other side changed it. No value that a person entered is
/// lost.
///
/// `Documentation/formats/vault.md`, "Several revisions at once".
package struct ItemMerge {
    let base: Item?
    let earlier: MergeSide
    let later: MergeSide
    private var conflicts: [ItemConflict] = []
    private var origins: [ItemConflict.Place: MergeSide.Origin]

    init(_ base: MergeSide, _ earlier: MergeSide, _ later: MergeSide) {
        self.base = base.item
        self.earlier = earlier
        self.later = later
        origins = later.origins
    }

    /// The current state of an item in a log.
    ///
    /// The contents of its revisions are given.
    ///
    /// - Parameters:
    ///   - id: The item.
    ///   - graph: The log.
    ///   - content: The item of the revision with an entry's hash; `nil` counts as no item.
    /// - Returns: `nil` when there is no such item, or it was removed.
    package static func state(of id: ItemID, in graph: LogGraph, _ content: ([UInt8]) -> Item?) -> Item? {
        withoutActuallyEscaping(content) { content in
            let merge = RevisionMerge<MergeSide, Never>(
                empty: .empty,
                read: { MergeSide(item: content($0.hash), origin: MergeSide.Origin(time: $0.time, device: $0.device)) },
                join: join
            )
            return graph.state(of: id.logged, merge)?.item
        }
    }

    /// Merges two sides with a common base.
    static func join(_ base: MergeSide, _ earlier: MergeSide, _ later: MergeSide) -> MergeSide {
        guard let a = earlier.item else { return later }
        guard let b = later.item else { return earlier }
        var merge = ItemMerge(base, earlier, later)
        return merge.run(a, b)
    }

    private mutating func run(_ a: Item, _ b: Item) -> MergeSide {
        var r = b
        for property in Item.properties { property.merge(&self, &r, base, a, b) }
        r.unknown = UnknownFields.join(base?.unknown, a.unknown, b.unknown)
        // The conflicts that the merge found are added to the conflicts that the sides already had.
        let known = Set(r.conflicts.map(\.identity))
        r.conflicts += conflicts.filter { !known.contains($0.identity) }
        r.conflicts.sort()
        return MergeSide(item: r, origin: later.origin, origins: origins)
    }

    // MARK: Single values

    /// Merges a text.
    ///
    /// If both sides changed it, the later one is used, and the other becomes a conflict.
    mutating func text(_ place: ItemConflict.Place, _ o: String?, _ a: String, _ b: String) -> String {
        value(place, o.map { SecretText($0) }, SecretText(a), SecretText(b)) { $0.isEmpty ? nil : .text($0.revealed) }
            .revealed
    }

    private mutating func value<T: Equatable>(
        _ place: ItemConflict.Place,
        _ o: T?,
        _ a: T,
        _ b: T,
        _ encode: (T) -> CBORValue?
    ) -> T {
        let picked = ThreeWay.pick(o, a, b)
        if picked.isEarlier { origins[place] = earlier.origin(of: place) }
        if picked.isConflict, let content = encode(a) { note(place, content) }
        return picked.value
    }

    private mutating func note(_ place: ItemConflict.Place, _ content: CBORValue) {
        let origin = earlier.origin(of: place)
        conflicts.append(
            ItemConflict(place: place, content: content, device: origin.device, time: origin.time.seconds)
        )
    }

    /// Merges a password.
    ///
    /// The histories are united. If both sides changed the password, the earlier change also goes to the history.
    mutating func password(_ o: Password?, _ a: Password?, _ b: Password?) -> Password? {
        guard let a, let b else {
            // One side removed the password and the other changed it: the change is used. A longer history is a change too, because a
            // merge can have put passwords of other devices there.
            guard let present = a ?? b,
                present.value != o?.value || !Set(present.history).isSubset(of: o?.history ?? [])
            else { return nil }
            if a != nil { origins[.password] = earlier.origin(of: .password) }
            return present
        }
        let picked = ThreeWay.pick(o?.value, a.value, b.value)
        if picked.isEarlier { origins[.password] = earlier.origin(of: .password) }
        let chosen = picked.isEarlier ? a : b
        var history = Set(a.history).union(b.history)
        if picked.isConflict, !a.value.isEmpty {
            note(.password, .text(a.value.revealed))
            if !history.contains(where: { $0.value == a.value }) {
                history.insert(Password.Previous(value: a.value, replacedAt: b.changedAt))
            }
        }
        // A date in the future must not make an older password win.
        let limit = max(earlier.origin, later.origin).time.seconds + HybridTime.tolerance
        let sorted = history.sorted { one, other in
            let (mine, theirs) = (
                one.replacedAt > limit ? .min : one.replacedAt, other.replacedAt > limit ? .min : other.replacedAt
            )
            return mine == theirs ? one.value.revealed > other.value.revealed : mine > theirs
        }
        return chosen.with(
            history: a.history == b.history && !picked.isConflict ? b.history : sorted,
            unknown: UnknownFields.join(o?.unknown, a.unknown, b.unknown)
        )
    }

    /// If one side moved the item to the trash and the other changed or used it, or one side took it out, it is not in the trash.
    ///
    /// Whether the item is there is compared, not since when: otherwise two moves to the trash would count as a change beside a
    /// restore.
    static func trash(_ o: Item?, _ a: Item, _ b: Item) -> Int64? {
        if let one = a.deletedAt, let other = b.deletedAt { return max(one, other) }
        // One side is out of the trash. Only if it changed nothing, the move of the other side counts.
        guard let o, !o.isInTrash else { return nil }
        if a.isInTrash { return b.isSame(as: o) ? a.deletedAt : nil }
        if b.isInTrash { return a.isSame(as: o) ? b.deletedAt : nil }
        return nil
    }

    static func registers<Value: Equatable>(
        _ o: [String: Value],
        _ a: [String: Value],
        _ b: [String: Value]
    ) -> [String: Value] {
        var result: [String: Value] = [:]
        for name in Set(a.keys).union(b.keys) {
            result[name] = ThreeWay.pick(optional: o[name], a[name], b[name])
        }
        return result
    }

    static var siteRules: MergedList<Site, Site.Target>.Rules {
        .init(
            key: { $0.target },
            isUnchanged: { $0 == $1 },
            join: { o, a, b in
                var result = b
                result.match = ThreeWay.pick(o?.match, a.match, b.match).value
                result.unknown = UnknownFields.join(o?.unknown, a.unknown, b.unknown)
                return result
            }
        )
    }
}

// MARK: Sections

extension ItemMerge {
    /// Sections are matched by kind and label, and their fields by name and label.
    ///
    /// Each value is merged separately.
    mutating func sections(_ o: [FieldSection], _ a: [FieldSection], _ b: [FieldSection]) -> [FieldSection] {
        guard !(a.isEmpty && b.isEmpty) else { return [] }
        let (before, mine, theirs) = (Numbered.list(o, \.place), Numbered.list(a, \.place), Numbered.list(b, \.place))
        let base = Dictionary(uniqueKeysWithValues: before.map { ($0.key, $0.value) })
        let earlier = Dictionary(uniqueKeysWithValues: mine.map { ($0.key, $0.value) })
        let later = Dictionary(uniqueKeysWithValues: theirs.map { ($0.key, $0.value) })
        return (theirs + mine.filter { later[$0.key] == nil }).compactMap { entry in
            let (x, y, z) = (base[entry.key], earlier[entry.key], later[entry.key])
            let fields = fields(entry.key, x?.fields ?? [], y?.fields ?? [], z?.fields ?? [])
            guard y == nil || z == nil else {
                var section = z ?? entry.value
                section.fields = fields
                section.unknown = UnknownFields.join(x?.unknown, y?.unknown ?? .init(), z?.unknown ?? .init())
                return section
            }
            // One side removed the section or never had it. Fields that are new or changed on the other side stay.
            var section = entry.value
            section.fields = fields
            let isUnchanged = x != nil && fields.isEmpty && x?.unknown == section.unknown
            return isUnchanged ? nil : section
        }
    }

    private mutating func fields(
        _ section: Numbered<FieldSection>.Key,
        _ o: [Field],
        _ a: [Field],
        _ b: [Field]
    ) -> [Field] {
        let (before, mine, theirs) = (Numbered.list(o, \.place), Numbered.list(a, \.place), Numbered.list(b, \.place))
        let base = Dictionary(uniqueKeysWithValues: before.map { ($0.key, $0.value) })
        let earlier = Dictionary(uniqueKeysWithValues: mine.map { ($0.key, $0.value) })
        let later = Dictionary(uniqueKeysWithValues: theirs.map { ($0.key, $0.value) })
        return (theirs + mine.filter { later[$0.key] == nil }).compactMap { entry in
            let x = base[entry.key]
            guard let y = earlier[entry.key], let z = later[entry.key] else {
                return x == entry.value ? nil : entry.value
            }
            var field = z
            field.type = ThreeWay.pick(x?.type, y.type, z.type).value
            field.unknown = UnknownFields.join(x?.unknown, y.unknown, z.unknown)
            let place = ItemConflict.Place.field(
                section: section.place,
                section.occurrence,
                entry.key.place,
                entry.key.occurrence
            )
            field.value = value(place, x?.value, y.value, z.value) { $0.content }
            return field
        }
    }
}
