internal import WardCBOR
public import WardLog

/// A value from one device, while another device changed the same value.
///
/// The item shows the value of the other device.
///
/// It stays until it is removed from ``Item/conflicts``.
public struct ItemConflict: Hashable, Sendable {
    /// A section or field: its name in the format and its label for people.
    struct Label: Hashable, Sendable {
        var name: String
        var label: String
    }

    /// The value of the item that the conflict is about.
    enum Place: Hashable, Sendable {
        case kind, title, username, password, notes
        /// A field of a section. If several have the same label, the index says which one.
        case field(section: Label, Int, Label, Int)
        /// A value of a later version of the format.
        case other(Int64)
    }

    var place: Place
    var content: CBORValue
    /// The device on which the value was entered.
    public let device: DeviceID
    /// The time when the revision with the value was made, in seconds since 1970.
    public let time: Int64
    var unknown: [CBORValue] = []

    init(place: Place, content: CBORValue, device: DeviceID, time: Int64) {
        self.place = place
        self.content = content
        self.device = device
        self.time = time
    }

    /// The name of the value in the format: `title`, `password`, or a field's name or label.
    public var name: String {
        switch place {
        case .kind: "kind"
        case .title: "title"
        case .username: "username"
        case .password: "password"
        case .notes: "notes"
        case .field(_, _, let field, _): field.label.isEmpty ? field.name : field.label
        case .other(let key): String(key)
        }
    }

    /// Whether the value may be a secret.
    ///
    /// Only title, user name and kind are not.
    public var isSecret: Bool {
        switch place {
        case .kind, .title, .username: false
        case .password, .notes, .field, .other: true
        }
    }

    /// The value; `nil` for bytes.
    public var text: SecretText? { content.textValue.map { SecretText($0) } }

    /// Two conflicts with the same place and value are the same, no matter which device made them.
    struct Identity: Hashable {
        var place: Place
        var content: CBORValue
    }

    var identity: Identity { Identity(place: place, content: content) }
}

extension ItemConflict: Comparable {
    /// Orders by time, then device, then content, so that all devices have one order.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        if lhs.time != rhs.time { return lhs.time < rhs.time }
        if lhs.device != rhs.device { return lhs.device < rhs.device }
        return lhs.cbor.encoded().lexicographicallyPrecedes(rhs.cbor.encoded())
    }
}

/// The form in the vault: the key of the value, the value, the device and the time. `Documentation/formats/vault.md`, "Items".
extension ItemConflict {
    var cbor: CBORValue {
        let value: CBORValue =
            switch place {
            case .kind, .title, .username, .password, .notes, .other: content
            case .field(let section, let number, let field, let occurrence):
                [
                    .text(section.name), .text(section.label), .integer(Int64(number)), .text(field.name),
                    .text(field.label), .integer(Int64(occurrence)), content,
                ]
            }
        return .array([.integer(place.key), value, .bytes(device.bytes), .integer(time)] + unknown)
    }

    init(_ value: CBORValue) throws(VaultError) {
        guard let parts = value.arrayValue, parts.count >= 4, let key = parts[0].integerValue,
            let device = parts[2].bytesValue.flatMap({ DeviceID($0) }), let time = parts[3].integerValue
        else { throw VaultError(.malformedItem, "a conflict is malformed") }
        if key == Place.fieldKey, let field = parts[1].arrayValue, field.count == 7,
            let section = field[0].textValue, let sectionLabel = field[1].textValue,
            let number = field[2].integerValue.flatMap({ Int(exactly: $0) }), let name = field[3].textValue,
            let label = field[4].textValue, let occurrence = field[5].integerValue.flatMap({ Int(exactly: $0) })
        {
            let section = Label(name: section, label: sectionLabel)
            place = .field(section: section, number, Label(name: name, label: label), occurrence)
            content = field[6]
        } else {
            place = Place(key)
            content = parts[1]
        }
        self.device = device
        self.time = time
        unknown = Array(parts.dropFirst(4))
    }
}

extension ItemConflict.Place {
    static let fieldKey: Int64 = 10

    /// The key of the value in the item's map.
    var key: Int64 {
        switch self {
        case .kind: 2
        case .title: 3
        case .username: 5
        case .password: 6
        case .notes: 9
        case .field: Self.fieldKey
        case .other(let key): key
        }
    }

    init(_ key: Int64) {
        self = [.kind, .title, .username, .password, .notes].first { $0.key == key } ?? .other(key)
    }
}

extension FieldSection {
    var place: ItemConflict.Label { .init(name: kind.rawValue, label: label) }
}

extension Field {
    var place: ItemConflict.Label { .init(name: name.rawValue, label: label) }
}

extension Field.Value {
    /// The part of a value that a conflict stores.
    ///
    /// It is `nil` for an empty value.
    var content: CBORValue? {
        switch self {
        case .text(let text): text.isEmpty ? nil : .text(text.revealed)
        case .bytes(let bytes): bytes.revealed.isEmpty ? nil : .bytes(bytes.revealed)
        }
    }
}
