internal import Logging
internal import WardAgentClient
internal import WardClient
internal import WardVault
internal import WardWebAuthn

/// What a portal asks of the vault as one of several credential managers.
extension DesktopDoor {
    private var parts: SignInParts { pages.parts }

    /// The passkeys of a domain, without keys and without a prompt.
    ///
    /// A locked vault lists nothing.
    func list(_ request: DesktopRequest) async throws -> DesktopAnswer {
        try pages.checkPasskeysAreOn()
        guard parts.hasVault else { return .listed([], isLocked: false) }
        guard let vault = await parts.session.current, await !vault.isLocked else { return .listed([], isLocked: true) }
        let query = ProviderQuery(domains: [request.domain], kinds: [.passkey])
        let found = try await parts.session.provider(of: vault).entries(query).entries
        return .listed(found.filter { !$0.isHidden }.map { DesktopCandidate($0) }, isLocked: false)
    }

    /// Asks the person to open the vault.
    func unlock(_ request: DesktopRequest, _ peer: Peer) async throws -> DesktopAnswer {
        try pages.checkPasskeysAreOn()
        guard parts.hasVault else { throw ClientError.notAllowed(.authenticator) }
        // No page asks: the prompt names the portal alone.
        var page = PageProgram(caller: try Caller(origin: "https://localhost"), peer: peer, place: PromptPlace())
        page.window = await window(request, peer)
        page.portal = .init(app: nil, origin: "")
        _ = try await parts.session.opened(Authorization(), .page(page), to: nil)
        return .done
    }

    /// Notes what a site says of its passkeys.
    ///
    /// The answer is the same in every case, also if the site may not say it.
    func note(_ request: DesktopRequest) async throws -> DesktopAnswer {
        do {
            guard let kind = SignalFromApp.Kind(rawValue: request.signal), kind != .unusedPassword else { return .done }
            let signal = try AppSignal(SignalFromApp(kind, options: request.options))
            let client = ClientConfiguration(relatedOrigins: .http)
            let domain = try await client.rpID(signal.domain, for: try Caller(origin: request.origin))
            guard domain == signal.domain, let vault = await parts.session.current, await !vault.isLocked else {
                return .done
            }
            try await signal.apply(to: vault)
        } catch {
            logger.debug("a signal was not kept", metadata: ["error": "\(AgentError(reporting: error))"])
        }
        return .done
    }
}

extension DesktopCandidate {
    fileprivate init(_ entry: ProviderEntry) {
        reference = entry.reference
        user = entry.user
        credentialID = entry.credentialID?.base64URL ?? ""
        userHandle = entry.userHandle?.base64URL ?? ""
        lastUsedAt = entry.lastUsedAt.map { UInt64(clamping: $0) }
    }
}

extension PublicKeyCredentialRequestOptions {
    /// Leaves only the passkey that was picked.
    ///
    /// - Throws: `ClientError` with `NotAllowedError` if the options do not allow it.
    mutating func pick(_ reference: String) throws(ClientError) {
        guard let id = CredentialID(base64URL: reference) else { throw ClientError.notAllowed(.notOffered) }
        let isAllowed = allowCredentials.isEmpty || allowCredentials.contains { $0.id == id }
        guard isAllowed else { throw ClientError.notAllowed(.notOffered) }
        allowCredentials = [PublicKeyCredentialDescriptor(id: id)]
    }
}
