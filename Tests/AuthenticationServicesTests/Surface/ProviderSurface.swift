@testable import AuthenticationServices
import Foundation
import Synchronization
import Testing

/// Section 10, as far as it is here: what a manager is asked for.
private func requests(_ data: Data) {
    let service = ASCredentialServiceIdentifier(identifier: "example.com", type: .domain)
    let _: ASCredentialServiceIdentifier.IdentifierType = .URL
    let identities: [any ASCredentialIdentity] = [
        ASPasswordCredentialIdentity(serviceIdentifier: service, user: "", recordIdentifier: nil),
        ASPasskeyCredentialIdentity(
            relyingPartyIdentifier: "example.com",
            userName: "",
            credentialID: data,
            userHandle: data,
            recordIdentifier: nil
        ),
        ASOneTimeCodeCredentialIdentity(serviceIdentifier: service, label: "", recordIdentifier: nil),
    ]
    identities[0].rank = 1
    let _: (String, String?, ASCredentialServiceIdentifier) =
        (identities[0].user, identities[0].recordIdentifier, identities[0].serviceIdentifier)
    guard let passkey = identities[1] as? ASPasskeyCredentialIdentity else { return }
    let request: any ASCredentialRequest = ASPasskeyCredentialRequest(
        credentialIdentity: passkey,
        clientDataHash: data,
        userVerificationPreference: .preferred,
        supportedAlgorithms: [.ES256]
    )
    switch request.type {
    case .password, .passkeyAssertion, .passkeyRegistration, .oneTimeCode: break
    }
    let input = ASPasskeyAssertionCredentialExtensionInput(largeBlob: .read, prf: nil)
    let using = ASPasskeyCredentialRequest(
        credentialIdentity: passkey,
        clientDataHash: data,
        userVerificationPreference: .required,
        supportedAlgorithms: [],
        extensionInput: input
    )
    let _: ASPasskeyCredentialExtensionInput? = using.extensionInput
    let _: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]? = using.excludedCredentials
    let _: String = ASOneTimeCodeCredential(code: "").code
}

/// Section 10, the extension point itself.
private final class EverythingOverridden: ASCredentialProviderViewController {
    override func prepareCredentialList(for serviceIdentifiers: [ASCredentialServiceIdentifier]) {}
    override func prepareCredentialList(
        for serviceIdentifiers: [ASCredentialServiceIdentifier],
        requestParameters: ASPasskeyCredentialRequestParameters
    ) {}
    override func prepareOneTimeCodeCredentialList(for serviceIdentifiers: [ASCredentialServiceIdentifier]) {}
    override func provideCredentialWithoutUserInteraction(for credentialRequest: any ASCredentialRequest) {
        extensionContext.completeRequest(withSelectedCredential: ASPasswordCredential(user: "", password: "")) { _ in }
        extensionContext.cancelRequest(withError: ASExtensionError(.userInteractionRequired))
    }
    override func provideCredentialWithoutUserInteraction(for credentialIdentity: ASPasswordCredentialIdentity) {}
    override func prepareInterfaceToProvideCredential(for credentialRequest: any ASCredentialRequest) {
        let credential = ASPasskeyAssertionCredential(
            userHandle: Data(),
            relyingParty: "",
            signature: Data(),
            clientDataHash: Data(),
            authenticatorData: Data(),
            credentialID: Data()
        )
        extensionContext.completeAssertionRequest(using: credential, completionHandler: nil)
        extensionContext.completeOneTimeCodeRequest(using: ASOneTimeCodeCredential(code: ""))
    }
    override func prepareInterfaceToProvideCredential(for credentialIdentity: ASPasswordCredentialIdentity) {}
    override func prepareInterface(forPasskeyRegistration registrationRequest: any ASCredentialRequest) {
        let credential = ASPasskeyRegistrationCredential(
            relyingParty: "",
            clientDataHash: Data(),
            credentialID: Data(),
            attestationObject: Data(),
            extensionOutput: ASPasskeyRegistrationCredentialExtensionOutput(largeBlob: nil, prf: nil)
        )
        extensionContext.completeRegistrationRequest(using: credential)
    }
    override func performWithoutUserInteractionIfPossible(passkeyRegistration: ASPasskeyCredentialRequest) {}
    override func performWithoutUserInteractionIfPossible(savePasswordRequest: ASSavePasswordRequest) {
        let _: (ASCredentialServiceIdentifier, ASPasswordCredential, String?, String) = (
            savePasswordRequest.serviceIdentifier, savePasswordRequest.credential, savePasswordRequest.title,
            savePasswordRequest.sessionID
        )
        switch savePasswordRequest.event {
        case .userInitiated, .formDidDisappear, .generatedPasswordFilled: break
        }
        let _: ASGeneratedPassword.Kind? = savePasswordRequest.passwordKind
        extensionContext.completeSavePasswordRequest { _ in }
    }
    override func prepareInterface(for savePasswordRequest: ASSavePasswordRequest) {
        extensionContext.completeSavePasswordRequest(completionHandler: nil)
    }
    override func performWithoutUserInteraction(generatePasswordsRequest: ASGeneratePasswordsRequest) {
        let rules = [
            generatePasswordsRequest.passwordFieldPasswordRules,
            generatePasswordsRequest.confirmPasswordFieldPasswordRules,
            generatePasswordsRequest.passwordRulesFromQuirks,
        ]
        let results = [ASGeneratedPassword.Kind.strong, .alphanumeric, .passphrase].map {
            ASGeneratedPassword(kind: $0, value: rules.compactMap(\.self).joined())
        }
        let _: [(String, String)] = results.map { ($0.value, $0.localizedName) }
        extensionContext.completeGeneratePasswordRequest(results: results, completionHandler: nil)
    }
    override func prepareInterface(for generatePasswordsRequest: ASGeneratePasswordsRequest) {}
    override func prepareInterfaceForUserChoosingTextToInsert() {
        extensionContext.completeRequest(withTextToInsert: "")
    }
    override func prepareInterfaceForExtensionConfiguration() {
        extensionContext.completeExtensionConfigurationRequest()
    }
    override func reportAllAcceptedPublicKeyCredentials(
        forRelyingParty relyingParty: String,
        userHandle: Data,
        acceptedCredentialIDs: [Data]
    ) {}
    override func reportPublicKeyCredentialUpdate(
        forRelyingParty relyingParty: String,
        userHandle: Data,
        newName: String
    ) {}
    override func reportUnknownPublicKeyCredential(forRelyingParty relyingParty: String, credentialID: Data) {}
    override func reportUnusedPasswordCredential(forDomain domain: String, userName: String) {}
}

@Suite(.serialized) struct `The surface: managers` {
    private let service = ASCredentialServiceIdentifier(identifier: "example.com", type: .domain)

    @Test func `a request to a manager ends once, with the first answer`() async throws {
        let context = ASCredentialProviderExtensionContext()
        let results = Mutex<[Bool]>([])
        context.completeOneTimeCodeRequest(using: .init(code: "1")) { result in results.withLock { $0.append(result) } }
        context.completeOneTimeCodeRequest(using: .init(code: "2")) { result in results.withLock { $0.append(result) } }
        context.cancelRequest(withError: ASExtensionError(.failed))
        guard case .oneTimeCode(let credential) = try await context.answer() else { throw ASExtensionError(.failed) }
        #expect(credential.code == "1" && results.withLock { $0 } == [true, false])
    }

    @Test func `a cancelled request ends, and a late answer is told so`() async throws {
        let context = ASCredentialProviderExtensionContext()
        let waiting = Task { try await context.answer() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let wasTaken = Mutex<Bool?>(nil)
        context.completeRequest(withTextToInsert: "x") { result in wasTaken.withLock { $0 = result } }
        #expect(wasTaken.withLock { $0 } == false)
    }

    @Test func `an answer and a withdrawal at the same moment end a request`() async throws {
        for _ in 0..<500 {
            let context = ASCredentialProviderExtensionContext()
            let waiting = Task { try await context.answer() }
            Thread { waiting.cancel() }.start()
            context.completeExtensionConfigurationRequest()
            do { _ = try await waiting.value } catch is CancellationError {}
        }
    }

    @Test @MainActor func `a controller that overrides nothing ends each request without a credential`() async throws {
        let identity = ASOneTimeCodeCredentialIdentity(serviceIdentifier: service, label: "", recordIdentifier: nil)
        let controller = ASCredentialProviderViewController()
        controller.provideCredentialWithoutUserInteraction(
            for: ASOneTimeCodeCredentialRequest(credentialIdentity: identity)
        )
        guard case .failed(let error) = try await controller.extensionContext.answer() else {
            throw ASExtensionError(.failed)
        }
        #expect(error.code == .userInteractionRequired)
        #expect(EverythingOverridden().extensionContext !== controller.extensionContext)
    }

    @Test func `a store without an identifier takes nothing`() async {
        CredentialProviderExtension.identifier = "../escape"
        #expect(CredentialProviderExtension.identifier == nil)
        await #expect(throws: ASCredentialIdentityStoreError(.storeDisabled)) {
            try await ASCredentialIdentityStore.shared.removeAllCredentialIdentities()
        }
        #expect(await !ASCredentialIdentityStore.shared.state().isEnabled)
    }

    @Test func `identities are kept once each, by kind and service, and removed again`() async throws {
        let identifier = "org.example.test-\(UUID().uuidString)"
        CredentialProviderExtension.identifier = identifier
        defer {
            CredentialProviderExtension.identifier = nil
            let folder = CredentialProviderExtension.stateFolder + "/ward-providers/" + identifier
            try? FileManager.default.removeItem(atPath: folder)
        }
        let store = ASCredentialIdentityStore.shared
        let password = ASPasswordCredentialIdentity(
            serviceIdentifier: .init(identifier: "https://Example.com/login", type: .URL),
            user: "ada",
            recordIdentifier: "7"
        )
        let passkey = ASPasskeyCredentialIdentity(
            relyingPartyIdentifier: "example.com",
            userName: "ada",
            credentialID: Data([1]),
            userHandle: Data([2]),
            recordIdentifier: nil
        )
        try await store.saveCredentialIdentities([password, passkey])
        password.rank = 5
        try await store.saveCredentialIdentities([password])
        let found = await store.credentialIdentities(
            forService: service,
            credentialIdentityTypes: [.password, .passkey]
        )
        #expect(found.count == 2 && found.contains { $0.rank == 5 && $0.recordIdentifier == "7" })
        #expect(found.contains { ($0 as? ASPasskeyCredentialIdentity)?.userHandle == Data([2]) })
        try await store.removeCredentialIdentities([passkey])
        let passkeys = await store.credentialIdentities(forService: nil, credentialIdentityTypes: .passkey)
        #expect(passkeys.isEmpty)
        try await store.removeAllCredentialIdentities()
        let rest = await store.credentialIdentities(forService: nil, credentialIdentityTypes: [.password, .passkey])
        #expect(rest.isEmpty)
    }

    @Test func `the codes of a manager's errors are the documented ones`() {
        typealias Code = ASExtensionError.Code
        let codes: [Code] = [
            .failed, .userCanceled, .userInteractionRequired, .credentialIdentityNotFound, .matchedExcludedCredential,
        ]
        #expect(codes.map(\.rawValue) == [0, 1, 100, 101, 102])
        #expect(codes.map { ASExtensionError($0).errorCode } == [0, 1, 100, 101, 102])
    }
}
