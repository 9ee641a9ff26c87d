/// What a new account may be named after.
public enum ASContactIdentifierRequest: String, Codable, Hashable, Sendable {
    /// An e-mail address.
    case email
    /// A phone number.
    case phoneNumber
}

/// An e-mail address.
public struct ASEmailIdentifier: Hashable, Sendable {
    /// The address, as the person gave it: nobody checked that it is theirs.
    public var value: String
}

/// A phone number.
public struct ASPhoneNumberIdentifier: Hashable, Sendable {
    /// The number, as the person gave it: nobody checked that it is theirs.
    public var value: String
}

/// What a new account is named after.
public enum ASContactIdentifier: Hashable, Sendable {
    /// An e-mail address.
    case email(ASEmailIdentifier)
    /// A phone number.
    case phoneNumber(ASPhoneNumberIdentifier)
}
