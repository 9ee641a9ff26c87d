import WardAccounts
import WardWebAuthn

/// What a ceremony was begun for, kept with it: what its answer may do is never taken from the answer.
enum CeremonyPurpose: Hashable {
    /// Making an account.
    case newAccount
    /// Adding a passkey to this account.
    case newPasskey(AccountID)
    /// Adding a passkey to this account without asking anybody, after a sign-in with its password.
    case upgrade(AccountID)
    /// Signing in.
    case signIn
    /// Signing in with a name that nobody has.
    case decoy
    /// Making or extending an account over the FIDO conformance API.
    case conformance

    /// The ceremony's context.
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

    /// Reads ``context`` back.
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
