internal import WardVault

/// A kind of credential whose members are single values: a card, a network, a key, a person's data.
struct CXFCredential: Sendable {
    /// A member of the credential.
    struct Slot: Sendable {
        let name: FieldName
        let type: Field.ValueType
        /// Whether the member is a text itself, and not an object with a type and a value.
        let isPlain: Bool

        init(_ name: FieldName, _ type: Field.ValueType = .text, isPlain: Bool = false) {
            (self.name, self.type, self.isPlain) = (name, type, isPlain)
        }
    }

    /// The word in the member `type`.
    let type: String
    /// The kind of an item that has only this credential.
    let kind: ItemKind
    let slots: [Slot]

    /// The group of fields in an item: that of the kind, or one of its own for a document of a person.
    var section: ItemKind {
        switch type {
        case "identity-document", "passport", "drivers-license": ItemKind(rawValue: type)
        default: kind
        }
    }

    /// CXF 1.0, section 3.3.
    static let all: [CXFCredential] = [
        CXFCredential(type: "credit-card", kind: .card, slots: slots(of: .card)),
        CXFCredential(type: "wifi", kind: .wifi, slots: slots(of: .wifi)),
        // Its first three members are texts themselves.
        CXFCredential(
            type: "ssh-key",
            kind: .sshKey,
            slots: slots(of: .sshKey).enumerated().map { Slot($1.name, $1.type, isPlain: $0 < 3) }
        ),
        CXFCredential(type: "api-key", kind: .apiKey, slots: slots(of: .apiKey)),
        // A person's name and address are one group of fields here.
        CXFCredential(type: "person-name", kind: .identity, slots: Array(slots(of: .identity).prefix(9))),
        CXFCredential(type: "address", kind: .identity, slots: Array(slots(of: .identity).dropFirst(9))),
        CXFCredential(
            type: "passport",
            kind: .identity,
            slots: [
                Slot("issuingCountry", .countryCode), Slot("passportType"), Slot(.passportNumber),
                Slot("nationalIdentificationNumber"), Slot("nationality"), Slot(.fullName), Slot(.birthDate, .date),
                Slot("birthPlace"), Slot("sex"), Slot("issueDate", .date), Slot(.expiryDate, .date),
                Slot("issuingAuthority"),
            ]
        ),
        CXFCredential(
            type: "drivers-license",
            kind: .identity,
            slots: [
                Slot(.fullName), Slot(.birthDate, .date), Slot("issueDate", .date), Slot(.expiryDate, .date),
                Slot("issuingAuthority"), Slot(.territory, .subdivisionCode), Slot(.country, .countryCode),
                Slot(.licenseNumber), Slot("licenseClass"),
            ]
        ),
        CXFCredential(
            type: "identity-document",
            kind: .identity,
            slots: [
                Slot("issuingCountry", .countryCode), Slot(.documentNumber), Slot("identificationNumber"),
                Slot("nationality"), Slot(.fullName), Slot(.birthDate, .date), Slot("birthPlace"), Slot("sex"),
                Slot("issueDate", .date), Slot(.expiryDate, .date), Slot("issuingAuthority"),
            ]
        ),
    ]

    private static func slots(of kind: ItemKind) -> [Slot] { kind.fields.map { Slot($0.name, $0.type) } }

    /// The credential with a word, or `nil`.
    static func named(_ type: String) -> CXFCredential? { all.first { $0.type == type } }
}

/// The types of values, CXF 1.0, section 3.4.
enum CXFValue {
    /// Whether a text has the form that its type demands.
    ///
    /// Other managers refuse a whole file for one value that has not.
    static func isValid(_ text: String, as type: Field.ValueType) -> Bool {
        switch type {
        case .text, .concealed, .email: true
        case .number: Double(text)?.isFinite == true
        case .boolean: text == "true" || text == "false"
        case .date: isDate(text, lengths: [4, 2, 2])
        case .yearMonth: isDate(text, lengths: [4, 2])
        case .countryCode: isCode(text[...], 2...2) && text.utf8.allSatisfy { $0 >= 0x41 }
        case .subdivisionCode: isSubdivision(text)
        case .networkSecurity: securities.values.contains(text)
        default: false
        }
    }

    /// The beginning of the names of types that are in a file and not in this version of the format.
    private static let foreign = "cxf:"

    private static let known: Set<Field.ValueType> = [
        .text, .concealed, .email, .number, .boolean, .date, .yearMonth, .countryCode, .subdivisionCode,
        .networkSecurity,
    ]

    /// The type of a field of the person's own by its word in a file.
    static func type(named name: String) -> Field.ValueType {
        let type = Field.ValueType(rawValue: name)
        return name.isEmpty ? .text : known.contains(type) ? type : Field.ValueType(rawValue: foreign + name)
    }

    /// Whether a type came with a file and is not in this version of the format.
    static func isForeign(_ type: Field.ValueType) -> Bool { type.rawValue.hasPrefix(foreign) }

    /// The word for the type of a field: one that the value fits, or the one that came with it.
    static func name(ofTypeOf field: Field) -> Field.ValueType {
        if isForeign(field.type) {
            return Field.ValueType(rawValue: String(field.type.rawValue.dropFirst(foreign.count)))
        }
        guard let text = field.value.text, isValid(text, as: field.type) else {
            return field.isConcealed ? .concealed : .text
        }
        return field.type
    }

    private static func isDate(_ text: String, lengths: [Int]) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == lengths.count else { return false }
        guard
            zip(parts, lengths).allSatisfy({ $0.utf8.count == $1 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return false }
        let numbers = parts.compactMap { Int($0) }
        return (1...12).contains(numbers[1]) && (parts.count < 3 || (1...31).contains(numbers[2]))
    }

    private static func isCode(_ text: Substring, _ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x41...0x5a).contains($0) || (0x30...0x39).contains($0) }
    }

    private static func isSubdivision(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && isCode(parts[0], 2...2) && isCode(parts[1], 1...3)
    }

    /// The words of this format for the security of a network, by the names that people and other programs write.
    private static let securities = [
        "unsecured": "unsecured", "none": "unsecured", "open": "unsecured", "nopass": "unsecured", "wep": "wep",
        "wpa": "wpa-personal", "wpapersonal": "wpa-personal", "wpa2": "wpa2-personal",
        "wpa2personal": "wpa2-personal", "wpa2psk": "wpa2-personal", "wpa3": "wpa3-personal",
        "wpa3personal": "wpa3-personal", "wpa3sae": "wpa3-personal",
    ]

    /// The word of this format, or the text itself if it has none.
    static func security(_ text: String) -> String {
        securities[text.lowercased().filter { $0.isLetter || $0.isNumber }] ?? text
    }
}
