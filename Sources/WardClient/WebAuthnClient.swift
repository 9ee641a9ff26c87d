internal import Crypto
public import WardCTAP
internal import WardWebAuthn

/// The WebAuthn client: what a browser does between a page and an authenticator, for pages behind an extension and for
/// apps.
///
/// It decides who may request what, writes the client data itself, limits the time, and tells the page only what the
/// standard allows:
///
/// ```swift
/// let client = WebAuthnClient(authenticator)
/// let options = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: text).options
/// let answer = try await client.create(options, from: Caller(origin: "https://example.com"))
/// ```
///
/// Cancel the task to cancel a request. The value has no state and can be shared.
///
/// WebAuthn Level 3, [§5.1](https://www.w3.org/TR/webauthn-3/#iface-pkcredential).
public struct WebAuthnClient<Authenticator: CTAPAuthenticator>: Sendable {
    let authenticator: Authenticator
    let configuration: ClientConfiguration

    /// Creates a client for an authenticator.
    public init(_ authenticator: Authenticator, _ configuration: ClientConfiguration = .init()) {
        self.authenticator = authenticator
        self.configuration = configuration
    }

    var rules: RelyingPartyIDRules {
        RelyingPartyIDRules(suffixes: configuration.suffixes, related: configuration.relatedOrigins)
    }

    /// The answer to `PublicKeyCredential.getClientCapabilities()`.
    ///
    /// It describes this client and this device, not the person. WebAuthn Level 3,
    /// [§5.1.7](https://www.w3.org/TR/webauthn-3/#sctn-getClientCapabilities).
    ///
    /// - Throws: ``ClientError`` with `UnknownError` if the authenticator fails, `AbortError` if the task is cancelled.
    public func capabilities() async throws(ClientError) -> ClientCapabilities {
        let info = try await info()
        let isPlatform = info.options[.platformDevice] == true
        let verifies = info.options[.userVerification] == true
        let hasSignals = configuration.signals != nil
        return ClientCapabilities([
            "conditionalCreate": configuration.mayUpgrade != nil,
            "conditionalGet": configuration.offersAutofill,
            "hybridTransport": false,
            "passkeyPlatformAuthenticator": isPlatform && verifies && info.options[.residentKey] == true,
            "relatedOrigins": configuration.relatedOrigins != nil,
            "signalAllAcceptedCredentials": hasSignals,
            "signalCurrentUserDetails": hasSignals,
            "signalUnknownCredential": hasSignals,
            "userVerifyingPlatformAuthenticator": isPlatform && verifies,
            "extension:appid": false,
            "extension:appidExclude": false,
            "extension:credProps": true,
            "extension:credentialProtectionPolicy": info.supports(.credProtect),
            "extension:enforceCredentialProtectionPolicy": info.supports(.credProtect),
            "extension:hmacCreateSecret": info.supports(.hmacSecret),
            "extension:largeBlob": info.supports(.largeBlob),
            "extension:minPinLength": info.supports(.minPinLength),
            "extension:prf": info.supports(.prf) || info.supports(.hmacSecret),
        ])
    }

    // MARK: Shared by both ceremonies

    func info() async throws(ClientError) -> AuthenticatorInfo {
        do {
            return try await authenticator.info()
        } catch {
            if Task.isCancelled { throw .aborted }
            throw ClientError(.unknown, "the authenticator does not return its information", .authenticator)
        }
    }

    /// The client data: L3 #sctn-createCredential, step 13, and #sctn-discover-from-external-source, step 9.
    func clientData(_ type: String, _ challenge: Challenge, _ caller: Caller) -> [UInt8] {
        CollectedClientData(
            type: type,
            challenge: challenge.base64URL,
            origin: caller.origin.description,
            crossOrigin: !caller.isSameOriginWithAncestors,
            topOrigin: caller.topOrigin?.description
        ).serialized
    }

    func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    func context(_ caller: Caller, isConditional: Bool, _ timeout: Duration?) -> CeremonyContext {
        CeremonyContext(
            origin: caller.origin,
            topOrigin: caller.topOrigin,
            caller: caller.program,
            isConditional: isConditional,
            timeout: timeout
        )
    }

    /// Handles a request that this authenticator cannot answer.
    ///
    /// The person is asked as usual, so that the page learns nothing from the time.
    ///
    /// - Returns: Whether the person agreed that the page learns this.
    func isAcknowledged(in context: CeremonyContext) async -> Bool {
        guard !context.isConditional else { return false }
        do {
            try await authenticator.selection(in: context)
            return true
        } catch {
            return false
        }
    }

    /// The error for a page: all refusals without the person's consent look the same.
    func refusal(_ status: CTAPStatus) -> ClientError {
        switch status {
        case .operationDenied, .keepaliveCancel, .notAllowed: .notAllowed(.denied)
        case .userActionTimeout, .actionTimeout, .timeout: .notAllowed(.timedOut)
        case .noCredentials, .invalidCredential: .notAllowed(.nothingFound)
        default: .notAllowed(.authenticator)
        }
    }

    /// The credentials of a list that this authenticator can have: of type `public-key`, with IDs within its maximum
    /// length.
    func known(
        _ list: [PublicKeyCredentialDescriptor],
        _ info: AuthenticatorInfo
    ) -> [PublicKeyCredentialDescriptor] {
        list.filter {
            $0.type == "public-key" && $0.id.bytes.count <= info.maximumCredentialIDLength ?? 1_023
        }
    }

    /// A list that fits into one message.
    ///
    /// If the list is longer than the authenticator accepts, this is the part that has a match.
    ///
    /// CTAP 2.3, section 6.1, pre-flighting: a request without a prompt.
    func fitted(
        _ list: [PublicKeyCredentialDescriptor],
        _ rpID: String,
        _ info: AuthenticatorInfo,
        _ context: CeremonyContext
    ) async -> [PublicKeyCredentialDescriptor] {
        guard let most = info.maximumCredentialCountInList, most > 0, list.count > most else { return list }
        for start in stride(from: 0, to: list.count, by: most) {
            let part = Array(list[start..<min(start + most, list.count)])
            if await firstHeld(of: part, rpID, context) != nil { return part }
        }
        return Array(list.prefix(most))
    }
}

/// A ceremony's result or error as a value, for the race against the time limit.
func result<Value>(
    _ work: () async throws(ClientError) -> Value
) async -> Result<Value, ClientError> {
    do { return .success(try await work()) } catch { return .failure(error) }
}
