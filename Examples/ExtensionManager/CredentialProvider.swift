import AuthenticationServices
import Crypto
import Foundation

/// Answers requests, as an extension on Apple's platforms does.
final class CredentialProvider: ASCredentialProviderViewController {
    private let keychain = Keychain.shared

    override func provideCredentialWithoutUserInteraction(for credentialRequest: any ASCredentialRequest) {
        guard !keychain.isLocked else { return cancel(.userInteractionRequired) }
        provide(credentialRequest)
    }

    override func prepareInterfaceToProvideCredential(for credentialRequest: any ASCredentialRequest) {
        // Here a manager shows its window.
        keychain.unlock()
        provide(credentialRequest)
    }

    override func prepareInterface(forPasskeyRegistration registrationRequest: any ASCredentialRequest) {
        register(registrationRequest, isVerified: true)
    }

    override func performWithoutUserInteractionIfPossible(passkeyRegistration: ASPasskeyCredentialRequest) {
        guard let identity = passkeyRegistration.credentialIdentity as? ASPasskeyCredentialIdentity,
            keychain.password(identity.userName, at: identity.relyingPartyIdentifier) != nil,
            keychain.passkeys(of: identity.userHandle, at: identity.relyingPartyIdentifier).isEmpty
        else { return cancel(.failed) }
        register(passkeyRegistration, isVerified: false)
    }

    override func performWithoutUserInteractionIfPossible(savePasswordRequest: ASSavePasswordRequest) {
        guard !keychain.isLocked else { return cancel(.userInteractionRequired) }
        save(savePasswordRequest)
    }

    override func prepareInterface(for savePasswordRequest: ASSavePasswordRequest) {
        // Here a manager shows its window.
        keychain.unlock()
        save(savePasswordRequest)
    }

    override func prepareInterfaceForUserChoosingTextToInsert() {
        // Here a manager shows its window with all its texts.
        guard let text = keychain.text else { return cancel(.userCanceled) }
        extensionContext.completeRequest(withTextToInsert: text)
    }

    private func save(_ request: ASSavePasswordRequest) {
        let password = Keychain.Password(
            domain: request.serviceIdentifier.identifier,
            user: request.credential.user,
            password: request.credential.password
        )
        let context = extensionContext
        Task {
            do { try await keychain.keep(password) } catch { return cancel(.failed) }
            context.completeSavePasswordRequest()
        }
    }

    private func provide(_ request: any ASCredentialRequest) {
        switch request {
        case let request as ASPasswordCredentialRequest:
            let identity = request.credentialIdentity
            guard let found = keychain.password(identity.user, at: identity.serviceIdentifier.identifier) else {
                return cancel(.credentialIdentityNotFound)
            }
            extensionContext.completeRequest(
                withSelectedCredential: ASPasswordCredential(user: found.user, password: found.password)
            )
        case let request as ASPasskeyCredentialRequest: assert(request)
        default: cancel(.failed)
        }
    }

    private func assert(_ request: ASPasskeyCredentialRequest) {
        guard let identity = request.credentialIdentity as? ASPasskeyCredentialIdentity,
            let passkey = keychain.passkey(identity.credentialID),
            let key = try? P256.Signing.PrivateKey(rawRepresentation: passkey.privateKey)
        else { return cancel(.credentialIdentityNotFound) }
        let data = authenticatorData(
            passkey.rpID,
            isPresent: true,
            isVerified: request.userVerificationPreference == .required
        )
        guard let signature = try? key.signature(for: data + request.clientDataHash) else { return cancel(.failed) }
        let (context, hash, input) = (extensionContext, request.clientDataHash, request.extensionInput)
        Task {
            var changed = passkey
            let output = changed.output(for: input)
            if changed.largeBlob != passkey.largeBlob {
                do { try await keychain.keep(changed) } catch { return cancel(.failed) }
            }
            context.completeAssertionRequest(
                using: ASPasskeyAssertionCredential(
                    userHandle: passkey.userHandle,
                    relyingParty: passkey.rpID,
                    signature: signature.derRepresentation,
                    clientDataHash: hash,
                    authenticatorData: data,
                    credentialID: passkey.credentialID,
                    extensionOutput: output
                )
            )
        }
    }

    private func register(_ request: any ASCredentialRequest, isVerified: Bool) {
        guard let request = request as? ASPasskeyCredentialRequest,
            let identity = request.credentialIdentity as? ASPasskeyCredentialIdentity,
            request.supportedAlgorithms.contains(.ES256)
        else { return cancel(.failed) }
        let excluded = request.excludedCredentials ?? []
        guard !excluded.contains(where: { keychain.passkey($0.credentialID) != nil }) else {
            return cancel(.matchedExcludedCredential)
        }
        let key = P256.Signing.PrivateKey()
        let passkey = Keychain.Passkey(
            credentialID: Data((0..<24).map { _ in UInt8.random(in: 0...255) }),
            rpID: identity.relyingPartyIdentifier,
            userHandle: identity.userHandle,
            userName: identity.userName,
            privateKey: key.rawRepresentation,
            prfKey: SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        )
        let wantsVerification = request.userVerificationPreference == .required
        let data = authenticatorData(
            passkey.rpID,
            isPresent: isVerified,
            isVerified: isVerified && wantsVerification,
            newCredential: (passkey.credentialID, key.publicKey)
        )
        let (context, hash, input) = (extensionContext, request.clientDataHash, request.extensionInput)
        Task {
            do { try await keychain.keep(passkey) } catch { return cancel(.failed) }
            context.completeRegistrationRequest(
                using: ASPasskeyRegistrationCredential(
                    relyingParty: passkey.rpID,
                    clientDataHash: hash,
                    credentialID: passkey.credentialID,
                    attestationObject: attestationObject(data),
                    extensionOutput: passkey.newOutput(for: input)
                )
            )
        }
    }

    private func cancel(_ code: ASExtensionError.Code) {
        extensionContext.cancelRequest(withError: ASExtensionError(code))
    }
}

// MARK: Bytes

/// Authenticator data (WebAuthn Level 3, §6.1) of a passkey that is synchronised.
private func authenticatorData(
    _ rpID: String,
    isPresent: Bool,
    isVerified: Bool,
    newCredential: (id: Data, key: P256.Signing.PublicKey)? = nil
) -> Data {
    var flags: UInt8 = 0x18
    if isPresent { flags |= 0x01 }
    if isVerified { flags |= 0x04 }
    if newCredential != nil { flags |= 0x40 }
    var data = Data(SHA256.hash(data: Data(rpID.utf8))) + [flags, 0, 0, 0, 0]
    guard let (id, key) = newCredential else { return data }
    let point = key.rawRepresentation
    data += Data(count: 16) + [0, UInt8(id.count)] + id
    // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
    data += [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point.prefix(32)
    return data + [0x22, 0x58, 0x20] + point.suffix(32)
}

/// An attestation object with the format none (WebAuthn Level 3, §6.5.4).
private func attestationObject(_ authenticatorData: Data) -> Data {
    // {"fmt": "none", "attStmt": {}, "authData": …}
    var object = Data([0xa3, 0x63])
    object += Data("fmt".utf8) + [0x64]
    object += Data("none".utf8) + [0x67]
    object += Data("attStmt".utf8) + [0xa0, 0x68]
    object += Data("authData".utf8) + [0x58, UInt8(authenticatorData.count)]
    return object + authenticatorData
}
