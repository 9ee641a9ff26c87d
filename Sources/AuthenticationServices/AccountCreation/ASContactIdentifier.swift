/// A kind of contact that can name a new account.
public enum ASContactIdentifierRequest: String, Codable, Hashable, Sendable {
    /// An e-mail address.
    case email
    /// A phone number.
    case phoneNumber
}

/// An e-mail address.
public struct ASEmailIdentifier: Hashable, Sendable {
    /// The address as the person typed it.
    ///
    /// The address is not verified.
    public var value: String
}

/// A phone number.
public struct ASPhoneNumberIdentifier: Hashable, Sendable {
    /// The number as the person typed it.
    ///
    /// The number is not verified.
    public var value: String
}

/// The contact that names a new account.
public enum ASContactIdentifier: Hashable, Sendable {
    /// An e-mail address.
    case email(ASEmailIdentifier)
    /// A phone number.
    case phoneNumber(ASPhoneNumberIdentifier)
}
