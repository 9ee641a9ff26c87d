public import Foundation

/// What a credential is for: a domain or an address.
public final class ASCredentialServiceIdentifier: NSObject, Sendable {
    /// What the identifier is.
    public enum IdentifierType: Int, Sendable {
        /// A domain.
        case domain = 0
        /// An address.
        case URL = 1
    }

    /// The domain or the address.
    public let identifier: String
    /// Which of the two.
    public let type: IdentifierType

    /// Takes both.
    public init(identifier: String, type: IdentifierType) {
        self.identifier = identifier
        self.type = type
    }
}

/// A credential that a manager has, as far as it may be shown before anyone agreed to anything.
public protocol ASCredentialIdentity: NSObjectProtocol {
    /// What it is for.
    var serviceIdentifier: ASCredentialServiceIdentifier { get }
    /// Whose it is.
    var user: String { get }
    /// The manager's own name for it.
    var recordIdentifier: String? { get }
    /// What comes first among several: the greater.
    var rank: Int { get set }
}

/// A password that a manager has.
public final class ASPasswordCredentialIdentity: NSObject, ASCredentialIdentity {
    /// What it is for.
    public let serviceIdentifier: ASCredentialServiceIdentifier
    /// The user name.
    public let user: String
    /// The manager's own name for it.
    public let recordIdentifier: String?
    /// What comes first among several: the greater.
    public var rank = 0

    /// Takes all but the rank.
    public init(serviceIdentifier: ASCredentialServiceIdentifier, user: String, recordIdentifier: String?) {
        self.serviceIdentifier = serviceIdentifier
        self.user = user
        self.recordIdentifier = recordIdentifier
    }
}

/// A passkey that a manager has.
public final class ASPasskeyCredentialIdentity: NSObject, ASCredentialIdentity {
    /// The RP ID.
    public let relyingPartyIdentifier: String
    /// The user name.
    public let userName: String
    /// The passkey.
    public let credentialID: Data
    /// The account's user handle.
    public let userHandle: Data
    /// The manager's own name for it.
    public let recordIdentifier: String?
    /// What comes first among several: the greater.
    public var rank = 0
    /// The RP ID.
    public var serviceIdentifier: ASCredentialServiceIdentifier {
        ASCredentialServiceIdentifier(identifier: relyingPartyIdentifier, type: .domain)
    }
    /// The user name.
    public var user: String { userName }

    /// Takes all but the rank.
    public init(
        relyingPartyIdentifier: String,
        userName: String,
        credentialID: Data,
        userHandle: Data,
        recordIdentifier: String?
    ) {
        self.relyingPartyIdentifier = relyingPartyIdentifier
        self.userName = userName
        self.credentialID = credentialID
        self.userHandle = userHandle
        self.recordIdentifier = recordIdentifier
    }
}

/// Codes that a manager has.
public final class ASOneTimeCodeCredentialIdentity: NSObject, ASCredentialIdentity {
    /// What they are for.
    public let serviceIdentifier: ASCredentialServiceIdentifier
    /// What they are called.
    public let label: String
    /// The manager's own name for them.
    public let recordIdentifier: String?
    /// What comes first among several: the greater.
    public var rank = 0
    /// What they are called.
    public var user: String { label }

    /// Takes all but the rank.
    public init(serviceIdentifier: ASCredentialServiceIdentifier, label: String, recordIdentifier: String?) {
        self.serviceIdentifier = serviceIdentifier
        self.label = label
        self.recordIdentifier = recordIdentifier
    }
}
