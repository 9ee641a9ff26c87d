/// A value of an item with a label.
///
/// The person added it, or it belongs to the item's kind.
public struct Field: Hashable, Sendable {
    /// The type of a value, for display and exchange.
    ///
    /// Unknown types are kept.
    public struct ValueType: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The word for the type in the file.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates a value from any word.
        public init(stringLiteral value: String) { rawValue = value }
        /// The word itself.
        public var description: String { rawValue }

        /// Text that may be visible.
        public static let text: Self = "string"
        /// Text that is hidden by default.
        public static let concealed: Self = "concealed-string"
        /// An e-mail address.
        public static let email: Self = "email"
        /// A number.
        public static let number: Self = "number"
        /// `true` or `false`.
        public static let boolean: Self = "boolean"
        /// A day: `2026-11-21`.
        public static let date: Self = "date"
        /// A month: `2026-11`.
        public static let yearMonth: Self = "year-month"
        /// A country, as a code of two letters (ISO 3166-1).
        public static let countryCode: Self = "country-code"
        /// A subdivision code (ISO 3166-2).
        public static let subdivisionCode: Self = "subdivision-code"
        /// The security of a wireless network.
        public static let networkSecurity: Self = "wifi-network-security-type"
    }

    /// The value.
    public enum Value: Hashable, Sendable {
        /// Text.
        case text(SecretText)
        /// Bytes, such as a private key.
        case bytes(SecretBytes)

        /// The text, or `nil` for bytes.
        public var text: String? { if case .text(let value) = self { value.revealed } else { nil } }
        /// The bytes, or `nil` for text.
        public var bytes: [UInt8]? { if case .bytes(let value) = self { value.revealed } else { nil } }
    }

    /// The name of the value in the item's kind; empty for a field that the person added.
    public var name: FieldName
    /// The label.
    public var label: String
    /// The type of the value.
    public var type: ValueType
    /// The value.
    public var value: Value
    var unknown = UnknownFields()

    /// Whether the value is hidden by default.
    public var isConcealed: Bool {
        if case .bytes = value { return true }
        return type == .concealed
    }

    /// Creates a field.
    public init(_ name: FieldName = "", label: String = "", type: ValueType = .text, value: Value) {
        self.name = name
        self.label = label
        self.type = type
        self.value = value
    }

    /// Creates a field that the person adds.
    public init(label: String, text: String, isConcealed: Bool = false) {
        self.init(label: label, type: isConcealed ? .concealed : .text, value: .text(SecretText(text)))
    }

    /// Creates a field of the item's kind.
    public init(_ name: FieldName, _ text: String, type: ValueType = .text) {
        self.init(name, type: type, value: .text(SecretText(text)))
    }
}

/// The name of a field in an item's kind.
///
/// The names are those of the Credential Exchange Format 1.0 if it has one, so that nothing is lost between managers.
public struct FieldName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The word for the name in the file.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a value from any word.
    public init(stringLiteral value: String) { rawValue = value }
    /// The word itself.
    public var description: String { rawValue }

    // A card.

    /// A card's number.
    public static let number: Self = "number"
    /// The name on a card or document.
    public static let fullName: Self = "fullName"
    /// A card's brand.
    public static let cardType: Self = "cardType"
    /// The digits on a card's back.
    public static let verificationNumber: Self = "verificationNumber"
    /// A card's PIN.
    public static let pin: Self = "pin"
    /// The last valid month or day.
    public static let expiryDate: Self = "expiryDate"
    /// The first valid month or day.
    public static let validFrom: Self = "validFrom"

    // A wireless network.

    /// A network's name.
    public static let ssid: Self = "ssid"
    /// The security of a network: `unsecured`, `wep`, `wpa-personal`, `wpa2-personal`, `wpa3-personal`.
    public static let networkSecurityType: Self = "networkSecurityType"
    /// A network's passphrase.
    public static let passphrase: Self = "passphrase"
    /// Whether a network is hidden.
    public static let hidden: Self = "hidden"

    // Keys.

    /// The type of a key: `ssh-ed25519`.
    public static let keyType: Self = "keyType"
    /// A private key in PKCS#8.
    public static let privateKey: Self = "privateKey"
    /// A key's comment.
    public static let keyComment: Self = "keyComment"
    /// The key of an API.
    public static let key: Self = "key"
    /// The URL of an API.
    public static let url: Self = "url"
    /// The user of a key.
    public static let username: Self = "username"

    // A person.

    /// Street and house.
    public static let streetAddress: Self = "streetAddress"
    /// The postal code.
    public static let postalCode: Self = "postalCode"
    /// The city.
    public static let city: Self = "city"
    /// The state or province.
    public static let territory: Self = "territory"
    /// The country.
    public static let country: Self = "country"
    /// The telephone number.
    public static let telephone: Self = "tel"
    /// The given name.
    public static let given: Self = "given"
    /// The family name.
    public static let surname: Self = "surname"
    /// The day of birth.
    public static let birthDate: Self = "birthDate"
    /// A document's number.
    public static let documentNumber: Self = "documentNumber"
    /// A passport's number.
    public static let passportNumber: Self = "passportNumber"
    /// A driver's licence number.
    public static let licenseNumber: Self = "licenseNumber"
}

/// A group of fields: all fields of a card, or a group that the person made.
public struct FieldSection: Hashable, Sendable {
    /// The meaning of the group: a kind, a word of the exchange format such as `passport`, or empty for the person's
    /// own group.
    public var kind: ItemKind
    /// The label of the group.
    public var label: String
    /// The fields in order.
    public var fields: [Field]
    var unknown = UnknownFields()

    /// Creates a group.
    public init(kind: ItemKind = "", label: String = "", fields: [Field]) {
        self.kind = kind
        self.label = label
        self.fields = fields
    }

    /// The first field with a name.
    public subscript(name: FieldName) -> Field? { fields.first { $0.name == name } }
}
