internal import Logging
internal import WardAgentClient
internal import WardClient
internal import WardCTAP
internal import WardWebAuthn

/// Answers the requests of the desktop: decides who may name an origin, and passes the request on to the sign-in.
struct DesktopDoor: Sendable {
    let pages: PageSignIn
    let apps: AppSignIn
    let policy: AppPolicy
    let logger: Logger

    /// What works now.
    var capabilities: DesktopCapabilities {
        DesktopCapabilities(hasPasskeys: pages.parts.providers.arePasskeysOn && pages.parts.session.hasVault)
    }

    /// Answers a request of a process.
    ///
    /// The process is checked before the request, and again before the answer leaves.
    func answer(_ request: DesktopRequest, from peer: Peer) async -> DesktopAnswer {
        do {
            let answer = try await perform(request, peer)
            _ = try peer.verified()
            return answer
        } catch {
            let code = Self.code(error)
            logger.info(
                "a request of the desktop is refused",
                metadata: ["pid": "\(peer.pid)", "program": "\(peer.executable.pathForPrompt)", "error": "\(code)"]
            )
            logger.debug("why", metadata: ["reason": "\(AgentError(reporting: error).message)"])
            return .failed(code)
        }
    }

    private func perform(_ request: DesktopRequest, _ peer: Peer) async throws -> DesktopAnswer {
        if request.isForPortals {
            guard try await policy.isPortal(peer) else {
                throw ClientError(.security, "only a portal may ask a provider")
            }
        }
        switch request.kind {
        case .list: return try await list(request)
        case .unlock: return try await unlock(request, peer)
        case .signal: return try await note(request)
        case .create, .get: break
        }
        guard request.credential == DesktopRequest.publicKey else {
            throw ClientError(.notSupported, "there are only public key credentials")
        }
        switch request.mediation {
        case nil, Mediation.optional.rawValue, Mediation.required.rawValue: break
        case Mediation.conditional.rawValue, Mediation.silent.rawValue:
            throw ClientError(.notSupported, "this mediation needs no prompt, and every passkey does")
        default: throw ClientError(.type, "there is no such mediation")
        }
        // A frame of the page's own origin is no frame of another one.
        let top = request.topOrigin.flatMap { $0.isEmpty || $0 == request.origin ? nil : $0 }
        let json =
            try await policy.isPortal(peer)
            ? try await askForPage(request, under: top, peer) : try await askForApp(request, under: top, peer)
        return request.kind == .create ? .created(json) : .used(json)
    }

    /// A portal names the origin of the page.
    private func askForPage(_ request: DesktopRequest, under top: String?, _ peer: Peer) async throws -> String {
        var caller = try Caller(origin: request.origin, topOrigin: top)
        caller.program = CeremonyContext.Caller(name: peer.description, processID: peer.pid)
        let page = PageProgram(
            caller: caller,
            peer: peer,
            // Like an app, a program of the desktop does not choose the screen.
            place: PromptPlace(),
            window: await window(request, peer),
            portal: .init(
                app: request.claimedApp.flatMap { AppIdentifier.isValid($0) ? $0 : nil },
                origin: request.origin
            )
        )
        let options = Array(request.options.utf8)
        switch request.kind {
        case .list, .unlock, .signal: throw ClientError(.notSupported, "these need no page")
        case .create:
            let read = try TolerantOptions<PublicKeyCredentialCreationOptions>(json: options)
            return try await pages.ask(.registration(read.options, nil), page)
        case .get:
            var wanted = try TolerantOptions<PublicKeyCredentialRequestOptions>(json: options).options
            if let picked = request.picked { try wanted.pick(picked) }
            return try await pages.ask(.assertion(wanted), page)
        }
    }

    /// Every other program speaks for the domains that name it, with origins of these domains.
    private func askForApp(_ request: DesktopRequest, under top: String?, _ peer: Peer) async throws -> String {
        var app = AppProgram(identity: try await policy.identify(peer), pid: peer.pid)
        guard top == nil, case .web(let origin) = try Caller(origin: request.origin).origin else {
            throw ClientError(.security, "an app has no frames")
        }
        let domain = origin.host.description
        var wanted = AppRequest(
            request.kind == .create ? .passkeyRegistration : .passkeyAssertion,
            domain: domain,
            options: request.options
        )
        guard request.rpID ?? domain == domain else {
            throw ClientError(.security, "the RP ID of an app is its domain")
        }
        if origin.host.isLocalhost {
            wanted.origin = origin.description
        } else if origin.description != "https://" + domain {
            throw ClientError(.security, "the origin of an app is https:// and its domain")
        }
        app.window = await window(request, peer)
        return try await apps.authorize(AuthorizeApp(requests: [wanted]), app).response ?? ""
    }

    /// The window of the process, if the process has one on the display where the prompt appears.
    func window(_ request: DesktopRequest, _ peer: Peer) async -> ParentWindow? {
        guard let number = ParentWindow.number(request.parentWindow) else { return nil }
        let place = await pages.parts.asking.person.place(for: nil)
        return await ParentWindow(number, of: peer, on: place.desktop)
    }

    /// The exception for the page.
    ///
    /// A page does not learn whether the person declined, did not answer, or has no passkey.
    private static func code(_ error: any Error) -> ClientError.Code {
        switch error {
        case let error as ClientError: error.code
        case let error as AgentError:
            switch error.code {
            case .appUnknown, .notAssociated, .notPermitted: .security
            case .matchedExcluded: .invalidState
            case .invalidRequest, .invalidValue: .type
            default: .notAllowed
            }
        default: .notAllowed
        }
    }
}
