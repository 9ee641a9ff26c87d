internal import WardCBOR

/// One value on two sides that have a common base.
enum ThreeWay {
    /// The result of the merge of a value.
    struct Picked<Value> {
        var value: Value
        /// Whether the value comes from the earlier side.
        var isEarlier = false
        /// Whether both sides changed the value, and differently.
        var isConflict = false
    }

    /// The value of the side that changed it.
    ///
    /// If both changed it, the value of the later side.
    static func pick<Value: Equatable>(_ base: Value?, _ earlier: Value, _ later: Value) -> Picked<Value> {
        if earlier == later || earlier == base { return Picked(value: later) }
        if later == base { return Picked(value: earlier, isEarlier: true) }
        return Picked(value: later, isConflict: true)
    }

    /// The same for a value that can be missing.
    ///
    /// A change wins over a removal.
    static func pick<Value: Equatable>(optional base: Value?, _ earlier: Value?, _ later: Value?) -> Value? {
        guard let earlier, let later else {
            let present = earlier ?? later
            return present == base ? nil : present
        }
        return pick(base, earlier, later).value
    }
}

/// Lists whose elements have keys.
///
/// New elements stay. If one side removed an element, it is removed, unless the other side changed it.
enum MergedList<Element, Key: Hashable> {
    struct Rules {
        var key: (Element) -> Key
        /// Whether an element counts as unchanged, so that a removal on the other side may remove it.
        var isUnchanged: (_ base: Element, _ now: Element) -> Bool
        var join: (_ base: Element?, _ earlier: Element, _ later: Element) -> Element
    }

    /// The order is that of the later side.
    ///
    /// Elements that only the earlier side has come at the end.
    static func join(_ base: [Element], _ earlier: [Element], _ later: [Element], by rules: Rules) -> [Element] {
        guard !(earlier.isEmpty && later.isEmpty) else { return [] }
        let before = index(base, rules)
        let mine = index(earlier, rules)
        let theirs = index(later, rules)
        var done: Set<Key> = []
        return (later + earlier).compactMap { element in
            let key = rules.key(element)
            guard done.insert(key).inserted else { return nil }
            let old = before[key]
            if let one = mine[key], let other = theirs[key] { return rules.join(old, one, other) }
            return old.map { rules.isUnchanged($0, element) } ?? false ? nil : element
        }
    }

    private static func index(_ list: [Element], _ rules: Rules) -> [Key: Element] {
        Dictionary(list.map { (rules.key($0), $0) }) { first, _ in first }
    }
}

extension MergedList.Rules where Element == Key {
    /// Elements that are their own keys.
    ///
    /// Each is only added or removed as a whole.
    static var whole: Self { Self(key: { $0 }, isUnchanged: { _, _ in true }, join: { $2 }) }
}

/// Elements of a list in which a key can occur several times.
struct Numbered<Element> {
    struct Key: Hashable {
        var place: ItemConflict.Label
        var occurrence: Int
    }

    var key: Key
    var value: Element

    static func list(_ elements: [Element], _ place: (Element) -> ItemConflict.Label) -> [Self] {
        var counts: [ItemConflict.Label: Int] = [:]
        return elements.map { element in
            let place = place(element)
            let occurrence = counts[place, default: 0]
            counts[place] = occurrence + 1
            return Self(key: Key(place: place, occurrence: occurrence), value: element)
        }
    }
}

extension UnknownFields {
    /// Fields of a later version.
    ///
    /// Each field is merged separately. If both sides changed one, the later change is used.
    static func join(_ base: UnknownFields?, _ earlier: UnknownFields, _ later: UnknownFields) -> UnknownFields {
        guard earlier != later else { return later }
        let rules = MergedList<CBORPair, CBORValue>.Rules(
            key: { $0.key },
            isUnchanged: { $0 == $1 },
            join: { o, a, b in ThreeWay.pick(o, a, b).value }
        )
        return UnknownFields(pairs: MergedList.join(base?.pairs ?? [], earlier.pairs, later.pairs, by: rules))
    }
}
