import WardAccounts
import WardWebAuthn

/// The purpose of a ceremony.
///
/// It is stored with the ceremony, so the answer cannot change it.
struct CeremonyPurpose: Hashable {
    /// The first byte of ``context``.
    enum Kind: UInt8 {
        /// Create an account.
        case newAccount = 1
        /// Add a passkey to an account.
        case newPasskey
        /// Sign in.
        case signIn
        /// Sign in with an unknown name.
        case decoy
        /// Create or extend an account over the FIDO conformance API.
        case conformance
        /// Add a passkey to an account without a prompt, after a sign-in with its password.
        case upgrade

        fileprivate var hasAccount: Bool { self == .newPasskey || self == .upgrade }
    }

    let kind: Kind
    /// The account that gets the passkey.
    let account: AccountID?

    static let newAccount = Self(kind: .newAccount, account: nil)
    static let signIn = Self(kind: .signIn, account: nil)
    static let decoy = Self(kind: .decoy, account: nil)
    static let conformance = Self(kind: .conformance, account: nil)
    static func newPasskey(_ account: AccountID) -> Self { Self(kind: .newPasskey, account: account) }
    static func upgrade(_ account: AccountID) -> Self { Self(kind: .upgrade, account: account) }

    /// The purpose as bytes for the ceremony's context.
    var context: [UInt8] { [kind.rawValue] + (account?.bytes ?? []) }

    func isPurpose(of ceremony: Ceremony) -> Bool { ceremony.context == context }
}

extension CeremonyPurpose {
    /// Reads ``context``, or returns `nil` if it is not a purpose.
    init?(context: [UInt8]) {
        guard let kind = context.first.flatMap(Kind.init(rawValue:)) else { return nil }
        let rest = Array(context.dropFirst())
        self.init(kind: kind, account: AccountID(rest))
        guard kind.hasAccount ? account != nil : rest.isEmpty else { return nil }
    }
}
