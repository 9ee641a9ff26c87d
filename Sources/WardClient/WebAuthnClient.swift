internal import Crypto
public import WardCTAP
internal import WardWebAuthn

/// What a browser does between a page and an authenticator, for pages that come through an extension and for apps.
///
/// It decides who may ask for what, builds the client data itself, waits no longer than it should, and tells the page no more
/// than the standard allows:
///
/// ```swift
/// let client = WebAuthnClient(authenticator, ClientConfiguration(relatedOrigins: .http()))
/// let options = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: text).options
/// let answer = try await client.create(options, from: Caller(origin: "https://example.com"))
/// ```
///
/// A request is taken back by cancelling its task. The value holds no state and may be shared.
///
/// WebAuthn Level 3, [§5.1](https://www.w3.org/TR/webauthn-3/#iface-pkcredential).
public struct WebAuthnClient<Authenticator: CTAPAuthenticator>: Sendable {
    let authenticator: Authenticator
    let configuration: ClientConfiguration

    /// Puts a client in front of an authenticator.
    public init(_ authenticator: Authenticator, _ configuration: ClientConfiguration = .init()) {
        self.authenticator = authenticator
        self.configuration = configuration
    }

    var rules: RelyingPartyIDRules {
        RelyingPartyIDRules(suffixes: configuration.suffixes, related: configuration.relatedOrigins)
    }

    /// Answers `PublicKeyCredential.getClientCapabilities()`.
    ///
    /// It says what this client and this device are, and nothing about the person. WebAuthn Level 3,
    /// [§5.1.7](https://www.w3.org/TR/webauthn-3/#sctn-getClientCapabilities).
    ///
    /// - Throws: ``ClientError`` with `UnknownError` when the authenticator cannot be asked.
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
            throw ClientError(.unknown, "the authenticator does not say what it is", .authenticator)
        }
    }

    /// L3 #sctn-createCredential, step 13, and #sctn-discover-from-external-source, step 9.
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

    /// The way of a request that this authenticator cannot answer: the person is asked as for any other, so that a page does
    /// not learn from the time it takes what is here.
    ///
    /// - Returns: Whether the person agreed to say so.
    func isAcknowledged(in context: CeremonyContext) async -> Bool {
        guard !context.isConditional else { return false }
        do {
            try await authenticator.selection(in: context)
            return true
        } catch {
            return false
        }
    }

    /// What a page sees of a refusal: everything that an authenticator says without the person's consent looks alike.
    func refusal(_ status: CTAPStatus) -> ClientError {
        switch status {
        case .operationDenied, .keepaliveCancel, .notAllowed: .notAllowed(.denied)
        case .userActionTimeout, .actionTimeout, .timeout: .notAllowed(.timedOut)
        case .noCredentials, .invalidCredential: .notAllowed(.nothingFound)
        default: .notAllowed(.authenticator)
        }
    }

    /// The credentials of a list that this authenticator could have: of the one type there is, and no longer than its own.
    func known(
        _ list: [PublicKeyCredentialDescriptor],
        _ info: AuthenticatorInfo
    ) -> [PublicKeyCredentialDescriptor] {
        list.filter {
            $0.type == "public-key" && $0.id.bytes.count <= info.maximumCredentialIDLength ?? 1_023
        }
    }

    /// A list that fits into one message: where it is longer than the authenticator takes, the part in which it finds something.
    ///
    /// CTAP 2.3, section 6.1, pre-flighting: nobody is asked.
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

/// A ceremony's error as a value, for the race against the clock.
func result<Value>(
    _ work: () async throws(ClientError) -> Value
) async -> Result<Value, ClientError> {
    do { return .success(try await work()) } catch { return .failure(error) }
}
