internal import Crypto
internal import WardCOSE
internal import WardDomains
internal import WardText
public import WardWebAuthn

/// A registration that passed every check of WebAuthn Level 3, §7.1.
///
/// Only verification creates it.
public struct VerifiedRegistration: Sendable {
    /// The record to store.
    public let credential: CredentialRecord
    /// The ceremony that was answered, with the service's own bytes.
    public let ceremony: Ceremony
    /// The origin in the client data.
    public let origin: Origin
    /// Whether a person was present; `false` only if the passkey was created without a prompt.
    public let userPresent: Bool
    /// Whether the person was verified.
    public let userVerified: Bool
    /// The result of the attestation.
    public let attestation: VerifiedAttestation
    /// Whether the authenticator is part of the client's device, according to the client.
    public let authenticatorAttachment: AuthenticatorAttachment?
    /// Extension outputs of the client; they are not signed.
    public let clientExtensionResults: AuthenticationExtensionsClientOutputs
    /// Extension outputs of the authenticator, canonical CBOR; they are signed.
    public let authenticatorExtensions: [UInt8]?
    /// Findings that did not refuse the registration.
    public let signals: [RiskSignal]
}

extension RelyingParty {
    /// Verifies a registration, except for the steps that need a store: the procedure of WebAuthn Level 3,
    /// [§7.1](https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential), in its order.
    ///
    /// Before this call, take the ceremony out of the store. After it, check step 26 (the credential is not yet
    /// registered) and store the record. `finishRegistration(_:_:in:keeping:)` does all of this.
    ///
    /// - Parameters:
    ///   - response: The client's answer.
    ///   - ceremony: The stored ceremony.
    /// - Returns: The verified registration.
    /// - Throws: ``VerificationError`` with the step.
    public func verify(
        _ response: RegistrationResponse,
        for ceremony: Ceremony
    ) throws(VerificationError) -> VerifiedRegistration {
        // L3 #sctn-registering-a-new-credential. Steps 1 to 3: options were made and answered; §13.4.3: in time.
        try checkIsCurrent(ceremony, .registration, .registration(1))
        guard let user = ceremony.user else {
            throw VerificationError(.ceremonyMismatch, .registration(1), "the ceremony was started without an account")
        }
        // Step 4: the client extension results are taken as they came; step 28 comes back to them.
        // Steps 5 to 11: the client data.
        let origin = try checkClientData(
            response.clientDataJSON,
            for: ceremony,
            templates: registrationTemplates,
            type: "webauthn.create",
            steps: .registration
        )
        // Step 12: "Let hash be the result of computing a hash over response.clientDataJSON using SHA-256."
        let hash = Array(SHA256.hash(data: response.clientDataJSON))
        // Step 13: "Perform CBOR decoding on the attestationObject field".
        let object = try Self.attestationObject(response)
        let data = object.authenticatorData
        guard let credential = data.attestedCredential else {
            throw VerificationError(.malformedResponse, .registration(13), "the attested credential data is missing")
        }
        // Step 14: "Verify that the rpIdHash in authData is the SHA-256 hash of the RP ID".
        guard isEqualInConstantTime(data.rpIDHash, id.hash) else {
            throw VerificationError(.rpIDMismatch, .registration(14), "the authenticator signed for another RP ID")
        }
        // Steps 15 to 17: UP unless mediation was conditional, UV if required, BS only with BE.
        try checkFlags(data, for: ceremony, acceptsAbsence: ceremony.isConditional, steps: .registration)
        // Steps 18 and 19: the relying party's own conditions on backup eligibility and state.
        let isBackupEligible = data.flags.contains(.backupEligible)
        try checkIsAllowed(isBackupEligible: isBackupEligible, .registration(18))
        // Step 20: "Verify that the alg parameter of the credential public key" is one of pubKeyCredParams.
        guard ceremony.algorithms.contains(credential.publicKey.algorithm) else {
            throw VerificationError(
                .algorithmNotAllowed,
                .registration(20),
                "algorithm \(credential.publicKey.algorithm.rawValue) was not requested"
            )
        }
        // §5.8.5: the key is sound for its algorithm (the curve is bound to it, the point lies on the curve), also when
        // nothing is attested.
        do {
            _ = try credential.publicKey.verificationKey()
        } catch {
            throw VerificationError(.publicKeyInvalid, .registration(20), "\(error)")
        }
        // Steps 21 to 24: the attestation statement.
        let attestation = try attestation(object, credential, clientDataHash: hash)
        // Step 25: "Verify that the credentialId is <= 1023 bytes."
        guard let credentialID = CredentialID(credential.credentialID) else {
            throw VerificationError(
                .credentialIDTooLong,
                .registration(25),
                "the credential ID has \(credential.credentialID.count) bytes"
            )
        }
        // §5.1.3: the response's ID must be the attested one. Some libraries trust the response's ID (bug class 23).
        guard credentialID == response.id else {
            throw VerificationError(
                .credentialIDMismatch,
                .registration(25),
                "the attested credential ID differs from the response's"
            )
        }
        // Step 26 (not registered to anyone) and step 29 (store) are the transaction's.
        // Step 27: "create a credential record".
        let record = CredentialRecord(
            id: credentialID,
            userHandle: user.id,
            publicKey: credential.publicKey.encoded,
            signCount: data.signCount,
            uvInitialized: data.flags.contains(.userVerified),
            transports: response.transports,
            backupEligible: isBackupEligible,
            backedUp: data.flags.contains(.backupState),
            aaguid: credential.aaguid,
            attestationFormat: object.format,
            attestationObject: policy.keepsAttestation ? response.attestationObject : nil,
            clientDataJSON: policy.keepsAttestation ? response.clientDataJSON : nil,
            rpID: id.description
        )
        // Step 28: extension outputs are handed on; unsolicited ones are tolerated and never relied upon here.
        return VerifiedRegistration(
            credential: record,
            ceremony: ceremony,
            origin: origin,
            userPresent: data.flags.contains(.userPresent),
            userVerified: data.flags.contains(.userVerified),
            attestation: attestation,
            authenticatorAttachment: response.authenticatorAttachment,
            clientExtensionResults: response.clientExtensionResults,
            authenticatorExtensions: data.extensions,
            signals: response.clientExtensionResults.isDiscoverable == false ? [.notDiscoverable] : []
        )
    }

    private static func attestationObject(
        _ response: RegistrationResponse
    ) throws(VerificationError) -> AttestationObject {
        do {
            return try AttestationObject(response.attestationObject)
        } catch {
            switch error.code {
            case .malformedPublicKey:
                throw VerificationError(.publicKeyInvalid, .registration(13), error.detail)
            case .unsupportedAlgorithm:
                throw VerificationError(.algorithmNotSupported, .registration(20), error.detail)
            default:
                throw VerificationError(.malformedResponse, .registration(13), "\(error)")
            }
        }
    }

    private func attestation(
        _ object: AttestationObject,
        _ credential: AuthenticatorData.AttestedCredential,
        clientDataHash: [UInt8]
    ) throws(VerificationError) -> VerifiedAttestation {
        let statement = AttestationStatement(
            format: object.format,
            statement: object.statement,
            authenticatorData: object.authenticatorData,
            credential: credential,
            clientDataHash: clientDataHash,
            now: effects.now()
        )
        // Step 21: "Determine the attestation statement format by performing a USASCII case-sensitive match on fmt".
        // Step 22: "Verify that attStmt is a correct attestation statement" by the format's procedure.
        var evidence = AttestationEvidence.unverified
        if let format = policy.attestation.formats[object.format] {
            do {
                evidence = try format.verify(statement)
            } catch {
                throw VerificationError(.attestationInvalid, .registration(22), "\(object.format): \(error)")
            }
        }
        guard evidence != .unverified || policy.attestation.acceptsUnverifiedFormats else {
            throw VerificationError(
                .attestationFormatNotAllowed,
                .registration(21),
                "statements of this format cannot be verified, and the policy refuses unverified ones"
            )
        }
        // Steps 23 and 24: trust anchors, and whether the evidence is enough.
        guard let judge = policy.attestation.judge else {
            return VerifiedAttestation(format: object.format, evidence: evidence, trust: evidence.unjudgedTrust)
        }
        do {
            let trust = try judge.judge(evidence, of: statement, at: statement.now)
            return VerifiedAttestation(format: object.format, evidence: evidence, trust: trust)
        } catch {
            let code: VerificationError.Code =
                switch error.reason {
                case .notTrusted: .attestationNotTrusted
                case .formatNotAllowed: .attestationFormatNotAllowed
                case .authenticatorNotAllowed: .authenticatorNotAllowed
                }
            throw VerificationError(code, .registration(24), error.detail)
        }
    }
}
