public import WardWebAuthn

/// What a credential manager does when a relying party tells it which credentials and names are still good.
///
/// It hides and renames, and never deletes: a service that leaves a credential out by mistake says so again the next day.
/// Nothing is answered to the page, and nothing is waited for, so that it does not learn what the manager holds: each
/// function takes its order and returns at once.
///
/// WebAuthn Level 3, [§5.1.10](https://www.w3.org/TR/webauthn-3/#sctn-signal-methods).
public struct CredentialSignals: Sendable {
    /// Hides this credential of the RP ID, if it is there.
    public var hide: @Sendable (_ rpID: String, _ credential: CredentialID) -> Void
    /// Shows the account's credentials that are listed and hides its others.
    public var keepOnly: @Sendable (_ rpID: String, _ user: UserHandle, _ accepted: [CredentialID]) -> Void
    /// Takes over the account's names.
    public var rename: @Sendable (_ rpID: String, _ user: PublicKeyCredentialUserEntity) -> Void

    /// Wires all three by hand.
    public init(
        hide: @escaping @Sendable (_ rpID: String, _ credential: CredentialID) -> Void,
        keepOnly: @escaping @Sendable (_ rpID: String, _ user: UserHandle, _ accepted: [CredentialID]) -> Void,
        rename: @escaping @Sendable (_ rpID: String, _ user: PublicKeyCredentialUserEntity) -> Void
    ) {
        self.hide = hide
        self.keepOnly = keepOnly
        self.rename = rename
    }
}
