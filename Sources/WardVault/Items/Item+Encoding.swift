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
        map.put(2, text: kind.rawValue)
        map.put(3, text: title)
        map.put(4, array: sites.map(\.cbor))
        map.put(5, text: username)
        map.put(6, password?.cbor)
        map.put(7, array: passkeys.map(\.cbor))
        map.put(8, array: codes.map(\.cbor) + unknownCodes)
        map.put(9, text: notes.revealed)
        map.put(10, array: sections.map(\.cbor))
        map.put(11, array: tags.map { .text($0) })
        map.put(12, flag: isFavorite)
        map.put(13, integer: createdAt)
        map.put(14, integer: modifiedAt)
        map.put(15, integer: deletedAt)
        if !extensions.isEmpty {
            map.put(16, .map(extensions.map { CBORPair(key: .text($0.key), value: .bytes($0.value)) }))
        }
        map.put(17, text: change.rawValue)
        map.put(18, array: conflicts.map(\.cbor))
        let bytes = map.value.encoded()
        guard bytes.count <= Self.maximumSize else {
            throw VaultError(.itemTooLarge, "an item has at most \(Self.maximumSize) bytes")
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
            throw VaultError(.unknownVersion, "the item has version \(version), this is for version \(Self.version)")
        }
        guard let id = ItemID(try map.required(map.bytes(1), 1)) else {
            throw VaultError(.malformedItem, "an item's name has \(ItemID.length) bytes")
        }
        self.id = id
        kind = ItemKind(rawValue: try map.text(2) ?? "")
        title = try map.text(3) ?? ""
        sites = try map.array(4).map { (value) throws(VaultError) in try Site(value) }
        username = try map.text(5) ?? ""
        password = try map.value(6).map { (value) throws(VaultError) in try Password(value) }
        passkeys = try map.array(7).map { (value) throws(VaultError) in try StoredPasskey(value) }
        codes = []
        for value in try map.array(8) {
            if let code = try OneTimePassword(value) { codes.append(code) } else { unknownCodes.append(value) }
        }
        notes = SecretText(try map.text(9) ?? "")
        sections = try map.array(10).map { (value) throws(VaultError) in try FieldSection(value) }
        tags = try map.array(11).map { (value) throws(VaultError) in
            guard let tag = value.textValue else { throw VaultError(.malformedItem, "a tag is not a text") }
            return tag
        }
        isFavorite = try map.bool(12) ?? false
        createdAt = try map.integer(13) ?? 0
        modifiedAt = try map.integer(14) ?? 0
        deletedAt = try map.integer(15)
        extensions = [:]
        for pair in map.value(16)?.mapValue ?? [] {
            guard let name = pair.key.textValue, let content = pair.value.bytesValue else {
                throw VaultError(.malformedItem, "an extension is not a text with bytes")
            }
            extensions[name] = content
        }
        change = Change(rawValue: try map.text(17) ?? "")
        conflicts = try map.array(18).map { (value) throws(VaultError) in try ItemConflict(value) }
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
