extension ItemKind {
    /// The fields that belong to a kind, with their types; none for logins and notes.
    ///
    /// The names and types are those of the Credential Exchange Format 1.0, so that other managers find the values in their places.
    package var fields: [(name: FieldName, type: Field.ValueType)] {
        switch self {
        case .card:
            [
                (.number, .concealed), (.fullName, .text), (.cardType, .text), (.verificationNumber, .concealed),
                (.pin, .concealed), (.expiryDate, .yearMonth), (.validFrom, .yearMonth),
            ]
        case .wifi:
            [
                (.ssid, .text), (.networkSecurityType, .networkSecurity), (.passphrase, .concealed),
                (.hidden, .boolean),
            ]
        case .sshKey:
            [
                (.keyType, .text), (.privateKey, .concealed), (.keyComment, .text), ("creationDate", .date),
                (.expiryDate, .date), ("keyGenerationSource", .text),
            ]
        case .apiKey:
            [
                (.key, .concealed), (.username, .text), (.keyType, .text), (.url, .text), (.validFrom, .date),
                (.expiryDate, .date),
            ]
        case .identity:
            [
                ("title", .text), (.given, .text), ("givenInformal", .text), ("given2", .text),
                ("surnamePrefix", .text), (.surname, .text), ("surname2", .text), ("credentials", .text),
                ("generation", .text), (.streetAddress, .text), (.postalCode, .text), (.city, .text),
                (.territory, .subdivisionCode), (.country, .countryCode), (.telephone, .text),
            ]
        default: []
        }
    }
}
