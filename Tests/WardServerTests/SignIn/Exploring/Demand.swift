/// What a person shows at a sign-in, as the explorer counts it.
enum Shown: String, Hashable, Sendable, CaseIterable {
    case password
    case appCode = "authenticator_app"
    case mailCode = "mail_code"
    case textCode = "text_code"
    case recoveryCode = "recovery_code"
    /// A passkey whose authenticator verified nobody.
    case passkey
    case verifiedPasskey
    /// A passkey that was made in the sign-in.
    case newPasskey
}

/// What opens an account: written by hand for each kind of account, so that the code under test is not asked.
struct Demand: Sendable {
    /// Each of these is enough, and what contains none of them is not.
    let enough: [Set<Shown>]

    func isMet(by shown: Set<Shown>) -> Bool { enough.contains { shown.isSuperset(of: $0) } }
}

/// The kinds of accounts that the explorer signs in to.
enum AccountKind: String, CaseIterable, Sendable {
    /// A password and nothing else.
    case password
    /// A password, an authenticator app and recovery codes.
    case app
    /// A password, and codes by e-mail.
    case mail
    /// A password, and codes by text message.
    case text
    /// A passkey and nothing else.
    case passkey
    /// A password, an authenticator app and a passkey.
    case passkeyAndApp
    /// A password and a passkey, where a rule asks for a passkey.
    case ruled
    /// A password, where a rule asks for a passkey.
    case ruledWithoutPasskey
    /// A passkey and recovery codes: the password was removed.
    case passwordless

    var demand: Demand {
        switch self {
        case .password: Demand(enough: [[.password]])
        case .app: Demand(enough: [[.password, .appCode], [.password, .recoveryCode]])
        case .mail: Demand(enough: [[.password, .mailCode]])
        case .text: Demand(enough: [[.password, .textCode]])
        // A passkey that verified nobody is one factor, and the account has no other.
        case .passkey, .passwordless: Demand(enough: [[.verifiedPasskey], [.passkey]])
        case .passkeyAndApp: Demand(enough: [[.verifiedPasskey], [.passkey, .password], [.password, .appCode]])
        case .ruled: Demand(enough: [[.verifiedPasskey], [.passkey, .password]])
        case .ruledWithoutPasskey: Demand(enough: [[.password, .newPasskey]])
        }
    }

    var hasPassword: Bool { self != .passkey && self != .passwordless }
    var hasPasskey: Bool { [.passkey, .passkeyAndApp, .ruled, .passwordless].contains(self) }
    /// The codes that the account has.
    var codes: Set<Shown> {
        switch self {
        case .app: [.appCode, .recoveryCode]
        case .mail: [.mailCode]
        case .text: [.textCode]
        case .passkeyAndApp: [.appCode]
        case .passwordless: [.recoveryCode]
        case .password, .passkey, .ruled, .ruledWithoutPasskey: []
        }
    }
}
