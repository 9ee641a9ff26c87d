internal import WardCBOR

/// The rules for one property of an item: how it is encoded, and how two sides are merged.
///
/// ``Item/properties`` has all properties.
struct ItemProperty: Sendable {
    /// Writes the property into the item's map.
    ///
    /// An empty value is left out.
    let write: @Sendable (Item, inout MapWriter) -> Void
    /// Reads the property from the item's map.
    let read: @Sendable (inout Item, inout MapReader) throws(VaultError) -> Void
    /// Sets the property of a merged item.
    ///
    /// At first the merged item is a copy of the later side.
    let merge: @Sendable (inout ItemMerge, inout Item, _ base: Item?, _ earlier: Item, _ later: Item) -> Void
}

/// A value whose encoding is one text.
protocol ItemTextValue: SendableMetatype {
    var itemText: String { get }
    init(itemText: String)
}

extension String: ItemTextValue {
    var itemText: String { self }
    init(itemText: String) { self = itemText }
}

extension SecretText: ItemTextValue {
    var itemText: String { revealed }
    init(itemText: String) { self.init(itemText) }
}

extension ItemKind: ItemTextValue {
    var itemText: String { rawValue }
    init(itemText: String) { self.init(rawValue: itemText) }
}

/// An element of a list in an item.
protocol ItemPart: SendableMetatype {
    var cbor: CBORValue { get }
    init(_ value: CBORValue) throws(VaultError)
}

extension Site: ItemPart {}
extension StoredPasskey: ItemPart {}
extension FieldSection: ItemPart {}
extension ItemConflict: ItemPart {}

extension ItemProperty {
    typealias Path<Value> = any WritableKeyPath<Item, Value> & Sendable

    /// A text.
    ///
    /// If both sides changed it, the later one is used, and the other becomes a conflict.
    static func text<Value: ItemTextValue>(
        _ key: Int64,
        _ path: Path<Value>,
        _ place: ItemConflict.Place
    ) -> Self {
        Self(
            write: { item, map in map.put(key, text: item[keyPath: path].itemText) },
            read: { (item, map) throws(VaultError) in
                item[keyPath: path] = Value(itemText: try map.text(key) ?? "")
            },
            merge: { merge, result, base, earlier, later in
                let texts = (
                    base?[keyPath: path].itemText, earlier[keyPath: path].itemText, later[keyPath: path].itemText
                )
                result[keyPath: path] = Value(itemText: merge.text(place, texts.0, texts.1, texts.2))
            }
        )
    }

    /// A boolean.
    ///
    /// If both sides changed it, the later one is used.
    static func flag(_ key: Int64, _ path: Path<Bool>) -> Self {
        Self(
            write: { item, map in map.put(key, flag: item[keyPath: path]) },
            read: { (item, map) throws(VaultError) in item[keyPath: path] = try map.bool(key) ?? false },
            merge: { _, result, base, earlier, later in
                result[keyPath: path] =
                    ThreeWay.pick(base?[keyPath: path], earlier[keyPath: path], later[keyPath: path]).value
            }
        )
    }

    /// A time that is always written, even if it is 0.
    static func time(
        _ key: Int64,
        _ path: Path<Int64>,
        _ join: @escaping @Sendable (Int64, Int64) -> Int64
    ) -> Self {
        Self(
            write: { item, map in map.put(key, integer: item[keyPath: path]) },
            read: { (item, map) throws(VaultError) in item[keyPath: path] = try map.integer(key) ?? 0 },
            merge: { _, result, _, earlier, later in
                result[keyPath: path] = join(earlier[keyPath: path], later[keyPath: path])
            }
        )
    }

    /// A list whose elements have keys.
    static func list<Part: ItemPart, Key: Hashable & SendableMetatype>(
        _ key: Int64,
        _ path: Path<[Part]>,
        _ rules: @escaping @autoclosure @Sendable () -> MergedList<Part, Key>.Rules
    ) -> Self {
        list(key, path) { _, base, earlier, later in MergedList.join(base, earlier, later, by: rules()) }
    }

    /// A list with its own rule for merging.
    static func list<Part: ItemPart>(
        _ key: Int64,
        _ path: Path<[Part]>,
        join: @escaping @Sendable (inout ItemMerge, _ base: [Part], _ earlier: [Part], _ later: [Part]) -> [Part]
    ) -> Self {
        Self(
            write: { item, map in map.put(key, array: item[keyPath: path].map(\.cbor)) },
            read: { (item, map) throws(VaultError) in
                item[keyPath: path] = try map.array(key).map { (value) throws(VaultError) in try Part(value) }
            },
            merge: { merge, result, base, earlier, later in
                let (old, mine, theirs) = (base?[keyPath: path] ?? [], earlier[keyPath: path], later[keyPath: path])
                result[keyPath: path] = join(&merge, old, mine, theirs)
            }
        )
    }
}

/// The properties with an encoding of their own.
extension ItemProperty {
    static let password = Self(
        write: { item, map in map.put(6, item.password?.cbor) },
        read: { (item, map) throws(VaultError) in
            item.password = try map.value(6).map { (value) throws(VaultError) in try Password(value) }
        },
        merge: { merge, result, base, earlier, later in
            result.password = merge.password(base?.password, earlier.password, later.password)
        }
    )

    /// The codes.
    ///
    /// Those of unknown kinds are kept.
    static let codes = Self(
        write: { item, map in map.put(8, array: item.codes.map(\.cbor) + item.unknownCodes) },
        read: { (item, map) throws(VaultError) in
            for value in try map.array(8) {
                if let code = try OneTimePassword(value) {
                    item.codes.append(code)
                } else {
                    item.unknownCodes.append(value)
                }
            }
        },
        merge: { _, result, base, earlier, later in
            result.codes = MergedList.join(base?.codes ?? [], earlier.codes, later.codes, by: CodeMerge.rules)
            result.unknownCodes = MergedList.join(
                base?.unknownCodes ?? [],
                earlier.unknownCodes,
                later.unknownCodes,
                by: .whole
            )
        }
    )

    static let tags = Self(
        write: { item, map in map.put(11, array: item.tags.map { .text($0) }) },
        read: { (item, map) throws(VaultError) in
            item.tags = try map.array(11).map { (value) throws(VaultError) in
                guard let tag = value.textValue else { throw VaultError(.malformedItem, "a tag must be a text") }
                return tag
            }
        },
        merge: { _, result, base, earlier, later in
            result.tags = MergedList.join(base?.tags ?? [], earlier.tags, later.tags, by: .whole)
        }
    )

    static let trash = Self(
        write: { item, map in map.put(15, integer: item.deletedAt) },
        read: { (item, map) throws(VaultError) in item.deletedAt = try map.integer(15) },
        merge: { _, result, base, earlier, later in result.deletedAt = ItemMerge.trash(base, earlier, later) }
    )

    static let extensions = Self(
        write: { item, map in
            guard !item.extensions.isEmpty else { return }
            map.put(16, .map(item.extensions.map { CBORPair(key: .text($0.key), value: .bytes($0.value)) }))
        },
        read: { (item, map) throws(VaultError) in
            for pair in map.value(16)?.mapValue ?? [] {
                guard let name = pair.key.textValue, let content = pair.value.bytesValue else {
                    throw VaultError(
                        .malformedItem,
                        "the name of an extension must be text, and its value must be bytes"
                    )
                }
                item.extensions[name] = content
            }
        },
        merge: { _, result, base, earlier, later in
            result.extensions = ItemMerge.registers(base?.extensions ?? [:], earlier.extensions, later.extensions)
        }
    )

    static let change = Self(
        write: { item, map in map.put(17, text: item.change.rawValue) },
        read: { (item, map) throws(VaultError) in item.change = Item.Change(rawValue: try map.text(17) ?? "") },
        merge: { _, result, _, _, _ in result.change = .merged }
    )

    static let step = Self(
        write: { item, map in map.put(20, item.step?.cbor) },
        read: { (item, map) throws(VaultError) in
            item.step = try map.value(20).map { (value) throws(VaultError) in try ItemStep(value) }
        },
        merge: { _, result, _, _, _ in result.step = nil }
    )

    /// Of two fetches the later one counts.
    static let appearance = Self(
        write: { item, map in map.put(21, item.appearance?.cbor) },
        read: { (item, map) throws(VaultError) in
            // A later version may allow more. Names and icons can be fetched again, so the item stays readable.
            item.appearance = map.value(21).flatMap { try? SiteAppearance($0) }
        },
        merge: { _, result, base, earlier, later in
            result.appearance = SiteAppearance.merged(base?.appearance, earlier.appearance, later.appearance)
        }
    )
}
