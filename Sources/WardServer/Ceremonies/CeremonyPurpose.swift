import WardAccounts
import WardWebAuthn

/// The purpose of a ceremony.
///
/// It is stored with the ceremony, so the client's answer cannot change it.
struct CeremonyPurpose: Hashable {
    /// The first byte of ``context``.
    enum Kind: UInt8 {
        /// Create an account.
        case newAccount = 1
        /// Add a passkey to an account.
        case newPasskey
        case signIn
        /// Sign in with a name that no account has.
        case decoy
        /// Create or extend an account over the FIDO conformance API.
        case conformance
        /// Add a passkey to an account without a prompt, after a sign-in with its password.
        case upgrade
        /// Add a passkey to an account with a recovery link.
        case recovery
        /// Add the passkey without which a sign-in in steps opens nothing.
        case enrolment
        /// Add a passkey with a better algorithm without a prompt, after a sign-in with a passkey.
        case succession
    }

    let kind: Kind
    /// The account that gets the passkey.
    let account: AccountID?
    /// A hash: of the token of an invitation, a recovery link or a sign-in in steps, or of the credential ID that gets a successor.
    let link: [UInt8]?

    private init(_ kind: Kind, account: AccountID? = nil, link: [UInt8]? = nil) {
        self.kind = kind
        self.account = account
        self.link = link
    }

    static let signIn = Self(.signIn)
    static let decoy = Self(.decoy)
    static let conformance = Self(.conformance)
    static func newAccount(invitation: [UInt8]?) -> Self { Self(.newAccount, link: invitation) }
    static func newPasskey(_ account: AccountID) -> Self { Self(.newPasskey, account: account) }
    static func upgrade(_ account: AccountID) -> Self { Self(.upgrade, account: account) }
    static func recovery(_ link: RecoveryLink) -> Self {
        Self(.recovery, account: link.accountID, link: link.tokenHash)
    }

    static func enrolment(_ flow: TakenFlow) -> Self {
        Self(.enrolment, account: flow.account.id, link: flow.token.hash)
    }

    static func succession(_ account: AccountID, of predecessor: CredentialID) -> Self {
        Self(.succession, account: account, link: hash(of: predecessor))
    }

    /// The purpose as bytes for the ceremony's context.
    var context: [UInt8] { [kind.rawValue] + (account?.bytes ?? []) + (link ?? []) }

    func isPurpose(of ceremony: Ceremony) -> Bool { ceremony.context == context }
}

extension CeremonyPurpose {
    /// Reads ``context``, or returns `nil` if it is not a purpose.
    init?(context: [UInt8]) {
        guard let kind = context.first.flatMap(Kind.init(rawValue:)) else { return nil }
        let rest = Array(context.dropFirst())
        switch kind {
        case .newAccount:
            guard rest.isEmpty || rest.count == LinkToken.hashLength else { return nil }
            self.init(kind, link: rest.isEmpty ? nil : rest)
        case .newPasskey, .upgrade:
            guard let account = AccountID(rest) else { return nil }
            self.init(kind, account: account)
        case .recovery, .enrolment, .succession:
            guard rest.count == AccountID.byteCount + LinkToken.hashLength,
                let account = AccountID(Array(rest.prefix(AccountID.byteCount)))
            else { return nil }
            self.init(kind, account: account, link: Array(rest.dropFirst(AccountID.byteCount)))
        case .signIn, .decoy, .conformance:
            guard rest.isEmpty else { return nil }
            self.init(kind)
        }
    }
}
