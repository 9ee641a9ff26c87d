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
    }

    let kind: Kind
    /// The account that gets the passkey.
    let account: AccountID?
    /// The hash of the invitation that a new account uses up.
    let invitation: [UInt8]?

    private init(_ kind: Kind, account: AccountID? = nil, invitation: [UInt8]? = nil) {
        self.kind = kind
        self.account = account
        self.invitation = invitation
    }

    static let signIn = Self(.signIn)
    static let decoy = Self(.decoy)
    static let conformance = Self(.conformance)
    static func newAccount(invitation: [UInt8]?) -> Self { Self(.newAccount, invitation: invitation) }
    static func newPasskey(_ account: AccountID) -> Self { Self(.newPasskey, account: account) }
    static func upgrade(_ account: AccountID) -> Self { Self(.upgrade, account: account) }

    /// The purpose as bytes for the ceremony's context.
    var context: [UInt8] { [kind.rawValue] + (account?.bytes ?? invitation ?? []) }

    func isPurpose(of ceremony: Ceremony) -> Bool { ceremony.context == context }
}

extension CeremonyPurpose {
    /// Reads ``context``, or returns `nil` if it is not a purpose.
    init?(context: [UInt8]) {
        guard let kind = context.first.flatMap(Kind.init(rawValue:)) else { return nil }
        let rest = Array(context.dropFirst())
        switch kind {
        case .newAccount:
            guard rest.isEmpty || rest.count == InvitationToken.hashLength else { return nil }
            self.init(kind, invitation: rest.isEmpty ? nil : rest)
        case .newPasskey, .upgrade:
            guard let account = AccountID(rest) else { return nil }
            self.init(kind, account: account)
        case .signIn, .decoy, .conformance:
            guard rest.isEmpty else { return nil }
            self.init(kind)
        }
    }
}
