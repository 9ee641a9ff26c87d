internal import Crypto
internal import WardCOSE
public import WardWebAuthn

/// A sign-in that passed every check of WebAuthn Level 3, §7.2; only verification makes one.
public struct VerifiedAuthentication: Sendable {
    /// The record with its new counter and backup state, to be written back.
    public let credential: CredentialRecord
    /// The ceremony that was answered, with the service's own bytes.
    public let ceremony: Ceremony
    /// The origin that answered.
    public let origin: Origin
    /// Whether the person was verified by a means the registration vouches for.
    public let userVerified: Bool
    /// What a service may want to weigh.
    public let signals: [RiskSignal]
    /// Whether the authenticator is part of the client's device, as the client says.
    public let authenticatorAttachment: AuthenticatorAttachment?
    /// Extension outputs of the client; they are not signed.
    public let clientExtensionResults: AuthenticationExtensionsClientOutputs
    /// Extension outputs of the authenticator, canonical CBOR; they are signed.
    public let authenticatorExtensions: [UInt8]?
}

extension RelyingParty {
    /// Names the account that a sign-in is for: step 6 of WebAuthn Level 3,
    /// [§7.2](https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion), before any credential is looked up.
    ///
    /// - Parameters:
    ///   - response: The client's answer.
    ///   - ceremony: What was kept when the ceremony began.
    /// - Returns: The account's user handle; the credential must be that account's.
    /// - Throws: ``VerificationError`` when nobody is named, or two different accounts are.
    public func user(
        of response: AuthenticationResponse,
        for ceremony: Ceremony
    ) throws(VerificationError) -> UserHandle {
        guard let known = ceremony.userHandle else {
            // "If the user was not identified before the ceremony was initiated, verify that response.userHandle is present".
            guard let handle = response.userHandle else {
                throw VerificationError(.userHandleMissing, .authentication(6), "the answer names no account")
            }
            return handle
        }
        // "If response.userHandle is present, verify that it equals the user handle of the user account."
        if let handle = response.userHandle, !constantTimeEquals(handle.bytes, known.bytes) {
            throw VerificationError(.userHandleMismatch, .authentication(6), "the answer names another account")
        }
        return known
    }

    /// Verifies a sign-in, all but the steps that need a store: the procedure of WebAuthn Level 3,
    /// [§7.2](https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion), in its order.
    ///
    /// The caller took the ceremony out of its store before, found the account with ``user(of:for:)`` and the record as that
    /// account's own, and afterwards writes the changed record back; `finishAuthentication(_:_:in:)` does all of that.
    ///
    /// - Parameters:
    ///   - response: The client's answer.
    ///   - ceremony: What was kept when the ceremony began.
    ///   - record: The credential, as the account's own.
    /// - Returns: The verified sign-in.
    /// - Throws: ``VerificationError`` naming the step.
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
            throw VerificationError(.credentialNotAllowed, .authentication(5), "the credential was not asked for")
        }
        // Step 6: the user was identified, and the record is of that user and of this credential.
        let user = try user(of: response, for: ceremony)
        guard record.id == response.id, constantTimeEquals(record.userHandle.bytes, user.bytes) else {
            throw VerificationError(.credentialNotFound, .authentication(6), "the account has no such credential")
        }
        guard record.rpID == id.description else {
            throw VerificationError(.credentialNotFound, .authentication(6), "the credential is of another RP ID")
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
        // Step 17 again, on a device-bound credential that was made without verification: whoever found the authenticator
        // may have set a PIN since, so its word is not taken (golang/go #80663).
        var userVerified = data.flags.contains(.userVerified)
        if userVerified, !record.uvInitialized, !record.backupEligible {
            userVerified = false
            signals.append(.userVerificationNotInitialized)
            guard !ceremony.requiresUserVerification else {
                throw VerificationError(
                    .userNotVerified,
                    .authentication(17),
                    "the credential was made without user verification"
                )
            }
        }
        // Step 19: "compare the backup eligibility with the stored record".
        let isBackupEligible = data.flags.contains(.backupEligible)
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
            key = try COSEKey(record.publicKey).verificationKey()
        } catch {
            throw VerificationError(.publicKeyInvalid, .authentication(21), "the stored key: \(error)")
        }
        guard key.isValid(signature: response.signature, for: data.bytes + hash) else {
            throw VerificationError(.signatureInvalid, .authentication(21), "the signature does not hold")
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
        // #sctn-appid-extension: where it was asked for and the client says that it was used, "the RP MUST expect the
        // rpIdHash to be the hash of the AppID, not the RP ID"; an output that nobody asked for means nothing.
        if let appID = ceremony.appID, response.clientExtensionResults.appID == true {
            expected = Array(SHA256.hash(data: Array(appID.utf8)))
        }
        guard constantTimeEquals(data.rpIDHash, expected) else {
            throw VerificationError(.rpIDMismatch, .authentication(15), "the authenticator signed for another RP ID")
        }
    }
}
