internal import WardCOSE
internal import WardVault
internal import WardWebAuthn

extension VaultProvider {
    /// The ground for a passkey that is safe from quantum computers, beside the one that signed in.
    ///
    /// The options name only such algorithms, do not exclude the old passkey, and are for its account. The old passkey stays: the
    /// site may not have stored the new one.
    func successor(
        of signedIn: SignedInPasskey,
        for options: PublicKeyCredentialCreationOptions
    ) async -> UpgradeGround? {
        guard !options.pubKeyCredParams.isEmpty,
            options.pubKeyCredParams.allSatisfy({ $0.alg.isPostQuantum }),
            !options.excludeCredentials.contains(where: { $0.id == signedIn.credentialID }),
            let found = try? await vault.passkey(credentialID: signedIn.credentialID),
            found.passkey.rpID == signedIn.rpID, found.passkey.userHandle == options.user.id,
            !found.passkey.isHidden, !found.passkey.algorithm.isPostQuantum,
            let all = try? await vault.passkeys(for: signedIn.rpID),
            !all.contains(where: { $0.passkey.userHandle == options.user.id && $0.passkey.algorithm.isPostQuantum })
        else { return nil }
        return .passkey(signedIn, of: options.user.id, in: found.item)
    }
}
