import WardAccounts
import WardWebAuthn

/// The purpose of a ceremony.
///
/// It is stored with the ceremony, so the answer cannot change it.
enum CeremonyPurpose: Hashable {
    /// Create an account.
    case newAccount
    /// Add a passkey to this account.
    case newPasskey(AccountID)
    /// Add a passkey to this account without a prompt, after a sign-in with its password.
    case upgrade(AccountID)
    /// Sign in.
    case signIn
    /// Sign in with an unknown name.
    case decoy
    /// Create or extend an account over the FIDO conformance API.
    case conformance

    /// The purpose as bytes for the ceremony's context.
    var context: [UInt8] {
        switch self {
        case .newAccount: [1]
        case .newPasskey(let account): [2] + account.bytes
        case .upgrade(let account): [6] + account.bytes
        case .signIn: [3]
        case .decoy: [4]
        case .conformance: [5]
        }
    }

    /// Reads ``context``, or returns `nil` if it is not a purpose.
    init?(context: [UInt8]) {
        switch context.first {
        case 1 where context.count == 1: self = .newAccount
        case 2:
            guard let account = AccountID(Array(context.dropFirst())) else { return nil }
            self = .newPasskey(account)
        case 6:
            guard let account = AccountID(Array(context.dropFirst())) else { return nil }
            self = .upgrade(account)
        case 3 where context.count == 1: self = .signIn
        case 4 where context.count == 1: self = .decoy
        case 5 where context.count == 1: self = .conformance
        default: return nil
        }
    }

    func isPurpose(of ceremony: Ceremony) -> Bool { ceremony.context == context }
}
