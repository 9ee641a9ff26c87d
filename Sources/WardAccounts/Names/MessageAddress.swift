/// Where a message of the service goes.
public enum MessageAddress: Hashable, Sendable {
    /// An e-mail address.
    case email(EmailAddress)
    /// A telephone number.
    case phone(PhoneNumber)

    /// A way on which messages leave.
    public enum Channel: Hashable, Sendable, CaseIterable {
        /// E-mail.
        case mail
        /// Text messages to telephones.
        case text
    }

    /// The way on which a message to this address leaves.
    public var channel: Channel {
        switch self {
        case .email: .mail
        case .phone: .text
        }
    }

    /// The address as stored.
    ///
    /// An e-mail address has an `@`, and a number has none.
    public var text: String {
        switch self {
        case .email(let address): address.text
        case .phone(let number): number.text
        }
    }

    /// Reads ``text``, or returns `nil` for anything else.
    public init?(stored text: String) {
        if text.utf8.contains(UInt8(ascii: "@")) {
            guard let address = try? EmailAddress(text) else { return nil }
            self = .email(address)
        } else {
            guard let number = try? PhoneNumber(text) else { return nil }
            self = .phone(number)
        }
    }

    /// The e-mail address, if it is one.
    package var email: EmailAddress? { if case .email(let address) = self { address } else { nil } }
    /// The number, if it is one.
    package var phone: PhoneNumber? { if case .phone(let number) = self { number } else { nil } }
}
