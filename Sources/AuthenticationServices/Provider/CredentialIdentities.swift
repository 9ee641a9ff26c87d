public import Foundation

/// The service of a credential: a domain or a URL.
public final class ASCredentialServiceIdentifier: NSObject, Sendable {
    /// The type of the identifier.
    public enum IdentifierType: Int, Sendable {
        /// A domain.
        case domain = 0
        /// A URL.
        case URL = 1
    }

    /// The domain or the URL.
    public let identifier: String
    /// The type of the identifier.
    public let type: IdentifierType

    /// Creates an identifier.
    public init(identifier: String, type: IdentifierType) {
        self.identifier = identifier
        self.type = type
    }
}

/// A credential of a credential manager without its secrets.
///
/// The agent can show it before the person agrees.
public protocol ASCredentialIdentity: NSObjectProtocol {
    /// The service.
    var serviceIdentifier: ASCredentialServiceIdentifier { get }
    /// The user name.
    var user: String { get }
    /// The manager's own identifier of the credential.
    var recordIdentifier: String? { get }
    /// The order among several credentials; a higher rank comes first.
    var rank: Int { get set }
}

/// A password of a credential manager.
public final class ASPasswordCredentialIdentity: NSObject, ASCredentialIdentity {
    /// The service.
    public let serviceIdentifier: ASCredentialServiceIdentifier
    /// The user name.
    public let user: String
    /// The manager's own identifier of the credential.
    public let recordIdentifier: String?
    /// The order among several credentials; a higher rank comes first.
    public var rank = 0

    /// Creates an identity with rank 0.
    public init(serviceIdentifier: ASCredentialServiceIdentifier, user: String, recordIdentifier: String?) {
        self.serviceIdentifier = serviceIdentifier
        self.user = user
        self.recordIdentifier = recordIdentifier
    }
}

/// A passkey of a credential manager.
public final class ASPasskeyCredentialIdentity: NSObject, ASCredentialIdentity {
    /// The RP ID.
    public let relyingPartyIdentifier: String
    /// The user name.
    public let userName: String
    /// The credential ID.
    public let credentialID: Data
    /// The account's user handle.
    public let userHandle: Data
    /// The manager's own identifier of the credential.
    public let recordIdentifier: String?
    /// The order among several credentials; a higher rank comes first.
    public var rank = 0
    /// The RP ID.
    public var serviceIdentifier: ASCredentialServiceIdentifier {
        ASCredentialServiceIdentifier(identifier: relyingPartyIdentifier, type: .domain)
    }
    /// The user name.
    public var user: String { userName }

    /// Creates an identity with rank 0.
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

/// The verification codes of a credential manager for one account.
public final class ASOneTimeCodeCredentialIdentity: NSObject, ASCredentialIdentity {
    /// The service.
    public let serviceIdentifier: ASCredentialServiceIdentifier
    /// The label of the codes.
    public let label: String
    /// The manager's own identifier of the codes.
    public let recordIdentifier: String?
    /// The order among several credentials; a higher rank comes first.
    public var rank = 0
    /// The label of the codes.
    public var user: String { label }

    /// Creates an identity with rank 0.
    public init(serviceIdentifier: ASCredentialServiceIdentifier, label: String, recordIdentifier: String?) {
        self.serviceIdentifier = serviceIdentifier
        self.label = label
        self.recordIdentifier = recordIdentifier
    }
}
