internal import WardCTAP
internal import WardWebAuthn

/// The extension `prf` by means of `hmac-secret`, for authenticators that accept only encrypted salts, such as security keys.
extension WebAuthnClient {
    /// Encrypts salts for this authenticator, and returns the secret that decrypts the results.
    ///
    /// CTAP 2.3, sections 6.5.5.4 and 12.5. If the key agreement fails, there are no salts, and the ceremony continues
    /// without results.
    func sealed(
        _ salts: PRFSalts?,
        _ info: AuthenticatorInfo,
        _ context: CeremonyContext
    ) async -> (input: HMACSecretInput, secret: PINUVSharedSecret)? {
        let known: [PINUVAuthProtocol] = [.one, .two]
        guard let salts, let number = info.pinUVAuthProtocols.first(where: { known.contains($0) }) else { return nil }
        let request = ClientPINRequest(pinUVAuthProtocol: number, subcommand: .getKeyAgreement)
        do {
            guard let key = try await authenticator.clientPIN(request, in: context).keyAgreement else { return nil }
            return try HMACSecretInput.seal(salts, to: key, using: number)
        } catch {
            return nil
        }
    }

    /// The credential of a list that this authenticator would use, found without a prompt.
    ///
    /// CTAP 2.3, section 6.2, pre-flighting: the signature is thrown away.
    func firstHeld(
        of list: [PublicKeyCredentialDescriptor],
        _ rpID: String,
        _ context: CeremonyContext
    ) async -> PublicKeyCredentialDescriptor? {
        guard !list.isEmpty else { return nil }
        var silent = context
        silent.isConditional = false
        let request = GetAssertionRequest(
            rpID: rpID,
            clientDataHash: hash(Array("pre-flight".utf8)),
            allowList: list,
            options: CTAPRequestOptions(userPresence: false)
        )
        do {
            let response = try await authenticator.getAssertion(request, in: silent)
            guard let id = response.credential?.id else { return list.count == 1 ? list.first : nil }
            return list.first { $0.id == id }
        } catch {
            return nil
        }
    }
}

extension PINUVSharedSecret {
    /// One or two results of 32 bytes, or `nil` if they are malformed.
    func results(_ encrypted: [UInt8]?) -> PRFInputs.Values? {
        guard let encrypted, let bytes = try? decrypt(encrypted), bytes.count == 32 || bytes.count == 64 else {
            return nil
        }
        return PRFInputs.Values(
            first: Array(bytes.prefix(32)),
            second: bytes.count == 64 ? Array(bytes.suffix(32)) : nil
        )
    }
}
