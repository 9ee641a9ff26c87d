internal import WardVault
internal import WardWebAuthn

/// A passkey of the vault with which a person signed in to an app or a page.
struct SignedInPasskey: RecentRelease {
    /// The app or the page that got the signature.
    var recipient: Recipient
    /// The manager that has the passkey.
    var provider: String
    /// The RP ID.
    var rpID: String
    var credentialID: CredentialID
}

/// Why a passkey may be created without a prompt.
enum UpgradeGround: Sendable {
    /// The account's password was released in the last minutes.
    case password(HandedOutPassword)
    /// The account signed in with a passkey in the last minutes, and the new one is safe from quantum computers.
    case passkey(SignedInPasskey, of: UserHandle, in: ItemID)

    /// Whether an account may get the passkey.
    func isFor(_ handle: UserHandle, named name: String, at rpID: String) -> Bool {
        switch self {
        case .password(let password): password.isFor(name, at: rpID)
        case .passkey(let passkey, let owner, _): passkey.rpID == rpID && owner == handle
        }
    }

    /// The item of the vault for the new passkey.
    var home: ItemID? {
        switch self {
        case .password(let password): ItemID(text: password.reference)
        case .passkey(_, _, let item): item
        }
    }
}
