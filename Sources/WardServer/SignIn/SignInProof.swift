/// What a person proved in a sign-in.
///
/// The raw value is stored and is in answers.
package enum SignInProof: String, CaseIterable, Hashable, Sendable {
    /// The password of the account.
    case password
    /// A sign-in at an identity provider that is linked to the account.
    case federated
    /// A passkey whose authenticator verified the person.
    case verifiedPasskey = "verified_passkey"
    /// A passkey without user verification.
    case passkey
    /// A code of an authenticator app.
    case authenticatorApp = "authenticator_app"
    /// A code from a message to the account's e-mail address.
    case mailCode = "mail_code"
    /// A code from a text message to the account's telephone number.
    case textCode = "text_code"
    /// One of the account's recovery codes.
    case recoveryCode = "recovery_code"

    /// A kind of authentication factor: NIST SP 800-63B-4, [section 1](https://pages.nist.gov/800-63-4/sp800-63b.html).
    ///
    /// Two proofs of the same kind fall to the same thief, so they count once.
    fileprivate enum Kind { case knowledge, possession }

    fileprivate var kinds: Set<Kind> {
        switch self {
        // The provider says nothing that counts about how it knows the person. So its word is worth what a password is.
        case .password, .federated: [.knowledge]
        // The authenticator checked a PIN or a fingerprint, and has the key.
        case .verifiedPasskey: [.knowledge, .possession]
        case .passkey, .authenticatorApp, .mailCode, .textCode, .recoveryCode: [.possession]
        }
    }
}

/// How sure a sign-in is: the number of different factors.
///
/// NIST SP 800-63B-4 calls them authentication assurance levels 1 and 2.
package enum Assurance: Int, Comparable, Hashable, Sendable, CaseIterable {
    /// Nothing was proven.
    case none
    /// One factor.
    case one
    /// Two different factors, or a passkey with user verification, which is two.
    case two

    /// What proofs amount to.
    package init(_ proofs: some Sequence<SignInProof>) {
        let kinds = proofs.reduce(into: Set<SignInProof.Kind>()) { $0.formUnion($1.kinds) }
        self = Self(rawValue: min(kinds.count, Self.two.rawValue)) ?? .none
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
