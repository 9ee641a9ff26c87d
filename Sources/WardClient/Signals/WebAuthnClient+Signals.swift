internal import WardWebAuthn

extension WebAuthnClient {
    /// `PublicKeyCredential.signalUnknownCredential`: hides a credential that the relying party does not know.
    ///
    /// WebAuthn Level 3, [§5.1.10.1](https://www.w3.org/TR/webauthn-3/#sctn-signalUnknownCredential).
    ///
    /// - Parameters:
    ///   - json: The options as UTF-8 text.
    ///   - caller: The caller.
    /// - Throws: ``ClientError`` with `TypeError` or `SecurityError`, independent of whether the credential exists.
    public func signalUnknownCredential(json: [UInt8], from caller: Caller) async throws(ClientError) {
        let options: UnknownCredentialOptions = try read(json)
        let rpID = try await rules.resolve(options.rpID, for: caller)
        configuration.signals?.hide(rpID, options.credentialID)
    }

    /// `PublicKeyCredential.signalAllAcceptedCredentials`: hides an account's other credentials and shows the listed
    /// ones again.
    ///
    /// WebAuthn Level 3, [§5.1.10.2](https://www.w3.org/TR/webauthn-3/#sctn-signalAllAcceptedCredentials).
    ///
    /// - Parameters:
    ///   - json: The options as UTF-8 text.
    ///   - caller: The caller.
    /// - Throws: ``ClientError`` with `TypeError` or `SecurityError`, independent of which credentials exist.
    public func signalAllAcceptedCredentials(json: [UInt8], from caller: Caller) async throws(ClientError) {
        let options: AllAcceptedCredentialsOptions = try read(json)
        let rpID = try await rules.resolve(options.rpID, for: caller)
        configuration.signals?.keepOnly(rpID, options.userID, options.allAcceptedCredentialIDs)
    }

    /// `PublicKeyCredential.signalCurrentUserDetails`: updates an account's names.
    ///
    /// WebAuthn Level 3, [§5.1.10.3](https://www.w3.org/TR/webauthn-3/#sctn-signalCurrentUserDetails).
    ///
    /// - Parameters:
    ///   - json: The options as UTF-8 text.
    ///   - caller: The caller.
    /// - Throws: ``ClientError`` with `TypeError` or `SecurityError`, independent of whether the account exists.
    public func signalCurrentUserDetails(json: [UInt8], from caller: Caller) async throws(ClientError) {
        let options: CurrentUserDetailsOptions = try read(json)
        let rpID = try await rules.resolve(options.rpID, for: caller)
        configuration.signals?.rename(rpID, options.user)
    }

    /// Reads options.
    ///
    /// "If the result of base64url decoding … is an error, reject with a TypeError": every malformed input is a
    /// `TypeError`.
    private func read<Options: WebAuthnJSON>(_ json: [UInt8]) throws(ClientError) -> Options {
        do {
            return try Options(json: json)
        } catch {
            throw ClientError(.type, error.detail)
        }
    }
}
