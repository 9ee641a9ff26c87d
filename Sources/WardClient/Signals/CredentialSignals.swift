public import WardWebAuthn

/// The functions of a credential manager that handle signals of relying parties about credentials and names.
///
/// They hide and rename credentials and never delete them, because a service can leave a credential out by mistake and correct
/// that later. The page gets no answer and does not wait, so it does not learn what the manager stores: each function returns
/// at once.
///
/// WebAuthn Level 3, [§5.1.10](https://www.w3.org/TR/webauthn-3/#sctn-signal-methods).
public struct CredentialSignals: Sendable {
    /// Hides this credential of the RP ID, if it exists.
    public var hide: @Sendable (_ rpID: String, _ credential: CredentialID) -> Void
    /// Shows the listed credentials of the account and hides its others.
    public var keepOnly: @Sendable (_ rpID: String, _ user: UserHandle, _ accepted: [CredentialID]) -> Void
    /// Updates the account's names.
    public var rename: @Sendable (_ rpID: String, _ user: PublicKeyCredentialUserEntity) -> Void

    /// Creates signals from three closures.
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
