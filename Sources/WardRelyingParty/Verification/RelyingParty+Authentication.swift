internal import Crypto
internal import WardCOSE
internal import WardDomains
internal import WardText
public import WardWebAuthn

/// A sign-in that passed every check of WebAuthn Level 3, §7.2.
///
/// Only verification creates it.
public struct VerifiedAuthentication: Sendable {
    /// The record with its new counter and backup state, to be stored.
    public let credential: CredentialRecord
    /// The ceremony that was answered, with the service's own bytes.
    public let ceremony: Ceremony
    /// The origin in the client data.
    public let origin: Origin
    /// Whether the person was verified.
    ///
    /// A device-bound credential without verification at registration never counts as verified.
    public let userVerified: Bool
    /// Findings that did not refuse the sign-in.
    public let signals: [RiskSignal]
    /// Whether the authenticator is part of the client's device, according to the client.
    public let authenticatorAttachment: AuthenticatorAttachment?
    /// Extension outputs of the client; they are not signed.
    public let clientExtensionResults: AuthenticationExtensionsClientOutputs
    /// Extension outputs of the authenticator, canonical CBOR; they are signed.
    public let authenticatorExtensions: [UInt8]?
}

extension RelyingParty {
    /// Identifies the account of a sign-in: step 6 of WebAuthn Level 3,
    /// [§7.2](https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion), before any credential is looked up.
    ///
    /// - Parameters:
    ///   - response: The client's answer.
    ///   - ceremony: The stored ceremony.
    /// - Returns: The account's user handle. The credential must belong to this account.
    /// - Throws: ``VerificationError`` if there is no user handle, or there are two different ones.
    public func user(
        of response: AuthenticationResponse,
        for ceremony: Ceremony
    ) throws(VerificationError) -> UserHandle {
        guard let known = ceremony.userHandle else {
            // "If the user was not identified before the ceremony was initiated, verify that response.userHandle is present".
            guard let handle = response.userHandle else {
                throw VerificationError(.userHandleMissing, .authentication(6), "the answer has no user handle")
            }
            return handle
        }
        // "If response.userHandle is present, verify that it equals the user handle of the user account."
        if let handle = response.userHandle, !isEqualInConstantTime(handle.bytes, known.bytes) {
            throw VerificationError(
                .userHandleMismatch,
                .authentication(6),
                "the answer has the user handle of another account"
            )
        }
        return known
    }

    /// Verifies a sign-in, except for the steps that need a store: the procedure of WebAuthn Level 3,
    /// [§7.2](https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion), in its order.
    ///
    /// Before this call, take the ceremony out of the store, find the account with ``user(of:for:)``, and look the
    /// record up among that account's credentials. After it, store the changed record. `finishAuthentication(_:_:in:)`
    /// does all of this.
    ///
    /// - Parameters:
    ///   - response: The client's answer.
    ///   - ceremony: The stored ceremony.
    ///   - record: The credential of the account.
    /// - Returns: The verified sign-in.
    /// - Throws: ``VerificationError`` with the step.
    public func verify(
        _ response: AuthenticationResponse,
        for ceremony: Ceremony,
        record: CredentialRecord
    ) throws(VerificationError) -> VerifiedAuthentication {
        // L3 #sctn-verifying-assertion. Steps 1 to 3: options were made and answered; §13.4.3: in time.
        try checkIsCurrent(ceremony, .authentication, .authentication(1))
        // Step 4: the client extension results are taken as they came; steps 15 and 23 come back to them.
        // Step 5: "If pkOptions.allowCredentials is not empty, verify that credential.id identifies one of" them.
        guard ceremony.allowedCredentials.isEmpty || ceremony.allowedCredentials.contains(response.id) else {
            throw VerificationError(
                .credentialNotAllowed,
                .authentication(5),
                "the credential is not among the allowed ones"
            )
        }
        // Step 6: the user was identified, and the record is of that user and of this credential.
        let user = try user(of: response, for: ceremony)
        guard record.id == response.id, isEqualInConstantTime(record.userHandle.bytes, user.bytes) else {
            throw VerificationError(
                .credentialNotFound,
                .authentication(6),
                "the account has no credential with this ID"
            )
        }
        guard record.rpID == id.description else {
            throw VerificationError(.credentialNotFound, .authentication(6), "the credential is for another RP ID")
        }
        // Steps 7 to 14: the client data.
        let origin = try checkClientData(
            response.clientDataJSON,
            for: ceremony,
            templates: authenticationTemplates,
            type: "webauthn.get",
            steps: .authentication
        )
        // Step 15: the RP ID hash, or the AppID's where that was asked for and used.
        let data: AuthenticatorData
        do {
            data = try AuthenticatorData(response.authenticatorData)
        } catch {
            throw VerificationError(.malformedResponse, .authentication(7), "\(error)")
        }
        try checkRelyingPartyHash(data, response, ceremony)
        // Steps 16 to 18: UP, UV if required, BS only with BE.
        try checkFlags(data, for: ceremony, acceptsAbsence: false, steps: .authentication)
        var signals: [RiskSignal] = []
        // Step 19: the relying party's own conditions on backup eligibility, and "compare" it with the stored record. A
        // credential that was taken before the conditions changed, or that lies about itself later, is held to them as well.
        let isBackupEligible = data.flags.contains(.backupEligible)
        try checkIsAllowed(isBackupEligible: isBackupEligible, .authentication(19))
        if isBackupEligible != record.backupEligible {
            guard policy.backupEligibilityChange == .report else {
                throw VerificationError(.backupEligibilityChanged, .authentication(19), "backup eligibility changed")
            }
            signals.append(.backupEligibilityChanged(from: record.backupEligible, to: isBackupEligible))
        }
        // Steps 20 and 21: the signature over authData and the hash of the client data, under the stored key.
        let hash = SHA256.hash(data: response.clientDataJSON)
        let key: VerificationKey
        do {
            key = try COSEKey(stored: record.publicKey).verificationKey()
        } catch {
            throw VerificationError(
                .storedKeyInvalid,
                .authentication(21),
                "the stored public key is not valid: \(error)"
            )
        }
        guard key.isValid(signature: response.signature, for: data.bytes + hash) else {
            throw VerificationError(.signatureInvalid, .authentication(21), "the signature is not valid")
        }
        // Step 17 again, for a device-bound credential that was created without verification: a person who finds the
        // authenticator can set a PIN, so its UV flag does not count (golang/go #80663). It follows the signature,
        // because it depends on the record: a made-up answer must not learn what the record says.
        var userVerified = data.flags.contains(.userVerified)
        if userVerified, !record.uvInitialized, !record.backupEligible {
            userVerified = false
            signals.append(.userVerificationNotInitialized)
            guard !ceremony.requiresUserVerification else {
                throw VerificationError(
                    .userNotVerified,
                    .authentication(17),
                    "the credential was created without user verification"
                )
            }
        }
        // Step 22: "If authData.signCount is nonzero or credentialRecord.signCount is nonzero", it must have grown.
        if data.signCount != 0 || record.signCount != 0, data.signCount <= record.signCount {
            guard policy.signCountRegress == .report else {
                throw VerificationError(.signCountRegressed, .authentication(22), "the signature counter did not grow")
            }
            signals.append(.signCountRegressed(stored: record.signCount, received: data.signCount))
        }
        // Step 23: extension outputs are handed on; unsolicited ones are tolerated and never relied upon here.
        // Step 24: the record changes only now, after every check. uvInitialized stays: raising it takes another factor.
        var updated = record
        updated.signCount = max(record.signCount, data.signCount)
        updated.backedUp = data.flags.contains(.backupState)
        updated.backupEligible = isBackupEligible
        return VerifiedAuthentication(
            credential: updated,
            ceremony: ceremony,
            origin: origin,
            userVerified: userVerified,
            signals: signals,
            authenticatorAttachment: response.authenticatorAttachment,
            clientExtensionResults: response.clientExtensionResults,
            authenticatorExtensions: data.extensions
        )
    }

    private func checkRelyingPartyHash(
        _ data: AuthenticatorData,
        _ response: AuthenticationResponse,
        _ ceremony: Ceremony
    ) throws(VerificationError) {
        var expected = id.hash
        // #sctn-appid-extension: if the appid was requested and the client says that it was used, "the RP MUST expect
        // the rpIdHash to be the hash of the AppID, not the RP ID". An output without a request is ignored.
        if let appID = ceremony.appID, response.clientExtensionResults.appID == true {
            expected = Array(SHA256.hash(data: Array(appID.utf8)))
        }
        guard isEqualInConstantTime(data.rpIDHash, expected) else {
            throw VerificationError(.rpIDMismatch, .authentication(15), "the authenticator signed for another RP ID")
        }
    }
}
