package import WardCBOR

/// The encoding of items in the vault: canonical CBOR, maps with small integer keys, without empty values.
///
/// `Documentation/formats/vault.md`, "Items".
extension Item {
    static let version: Int64 = 1

    /// The limits of an item.
    package static let rules = CBORRules(
        maximumDepth: 16,
        maximumItems: 1 << 18,
        maximumLength: maximumSize,
        allowsFloats: true
    )

    /// The canonical encoding.
    package func encoded() throws(VaultError) -> [UInt8] {
        var map = MapWriter(keeping: unknown)
        map.put(0, integer: Self.version)
        map.put(1, bytes: id.bytes)
        for property in Self.properties { property.write(self, &map) }
        let bytes = map.value.encoded()
        guard bytes.count <= Self.maximumSize else {
            throw VaultError(.itemTooLarge, "an item can have at most \(Self.maximumSize) bytes")
        }
        return bytes
    }

    /// Decodes an item; unknown fields are kept.
    ///
    /// - Throws: ``VaultError`` with `unknownVersion`, or `malformedItem` also if the encoding is not canonical.
    package init(encoded bytes: [UInt8]) throws(VaultError) {
        let value: CBORValue
        do {
            value = try CBORValue.decode(bytes, rules: Self.rules)
        } catch {
            throw VaultError(.malformedItem, "the item is not canonical CBOR: \(error)")
        }
        var map = try MapReader(value, "item")
        let version = try map.required(map.integer(0), 0)
        guard version == Self.version else {
            throw VaultError(
                .unknownVersion,
                "the item has version \(version), but this program reads version \(Self.version)"
            )
        }
        guard let id = ItemID(try map.required(map.bytes(1), 1)) else {
            throw VaultError(.malformedItem, "an item ID must have \(ItemID.length) bytes")
        }
        self.init(ItemKind(rawValue: ""), title: "", id: id)
        for property in Self.properties { try property.read(&self, &map) }
        unknown = map.unknown
    }
}

extension Site {
    var cbor: CBORValue {
        var map = MapWriter(keeping: unknown)
        switch target {
        case .web: map.put(1, text: "web")
        case .androidApp: map.put(1, text: "android")
        case .iosApp: map.put(1, text: "ios")
        case .other(let type, _): map.put(1, text: type)
        }
        map.put(2, text: text)
        if match != .domain { map.put(3, text: match.rawValue) }
        return map.value
    }

    init(_ value: CBORValue) throws(VaultError) {
        var map = try MapReader(value, "site")
        let type = try map.text(1) ?? ""
        let text = try map.text(2) ?? ""
        switch type {
        case "web": target = .web(text)
        case "android": target = .androidApp(text)
        case "ios": target = .iosApp(text)
        default: target = .other(type: type, text)
        }
        match = try map.text(3).map(Match.init(rawValue:)) ?? .domain
        unknown = map.unknown
    }
}

extension Password {
    var cbor: CBORValue {
        var map = MapWriter(keeping: unknown)
        map.put(1, text: value.revealed)
        map.put(2, integer: changedAt)
        map.put(
            3,
            array: history.map { previous in
                var entry = MapWriter(keeping: previous.unknown)
                entry.put(1, text: previous.value.revealed)
                entry.put(2, integer: previous.replacedAt)
                return entry.value
            }
        )
        return map.value
    }

    init(_ value: CBORValue) throws(VaultError) {
        var map = try MapReader(value, "password")
        let text = try map.text(1) ?? ""
        let changedAt = try map.integer(2) ?? 0
        let history = try map.array(3).map { (value) throws(VaultError) in
            var entry = try MapReader(value, "replaced password")
            var previous = Previous(value: SecretText(try entry.text(1) ?? ""), replacedAt: try entry.integer(2) ?? 0)
            previous.unknown = entry.unknown
            return previous
        }
        self.init(SecretText(text), changedAt: changedAt, history: history)
        unknown = map.unknown
    }
}

extension FieldSection {
    var cbor: CBORValue {
        var map = MapWriter(keeping: unknown)
        map.put(1, text: kind.rawValue)
        map.put(2, text: label)
        map.put(3, array: fields.map(\.cbor))
        return map.value
    }

    init(_ value: CBORValue) throws(VaultError) {
        var map = try MapReader(value, "section")
        kind = ItemKind(rawValue: try map.text(1) ?? "")
        label = try map.text(2) ?? ""
        fields = try map.array(3).map { (value) throws(VaultError) in try Field(value) }
        unknown = map.unknown
    }
}

extension Field {
    var cbor: CBORValue {
        var map = MapWriter(keeping: unknown)
        map.put(1, text: name.rawValue)
        map.put(2, text: label)
        map.put(3, text: type.rawValue)
        switch value {
        case .text(let text): map.put(4, text: text.revealed)
        case .bytes(let bytes): map.put(5, bytes: bytes.revealed)
        }
        return map.value
    }

    init(_ value: CBORValue) throws(VaultError) {
        var map = try MapReader(value, "field")
        name = FieldName(rawValue: try map.text(1) ?? "")
        label = try map.text(2) ?? ""
        type = ValueType(rawValue: try map.text(3) ?? "")
        let text = try map.text(4)
        if let bytes = try map.bytes(5) {
            guard text == nil else { throw VaultError(.malformedItem, "a field has both text and bytes") }
            self.value = .bytes(SecretBytes(bytes))
        } else {
            self.value = .text(SecretText(text ?? ""))
        }
        unknown = map.unknown
    }
}
