internal import Logging
internal import WardAgentClient
internal import WardClient
internal import WardVault

/// Sign-in for apps.
struct AppSignIn: Sendable {
    let parts: SignInParts
    let policy: AppPolicy

    /// `app.authorize`: asks the person for one of several credentials, and releases the one they pick.
    func authorize(_ method: AuthorizeApp, _ app: AppProgram) async throws -> AuthorizeApp.Result {
        var request = try await read(method.requests, of: app)
        request.authorization = Authorization(method.authorization)
        request.prefersImmediatelyAvailable = method.prefersImmediatelyAvailable
        if let id = method.suggestion {
            request.suggestion = parts.memory.offer(id, to: .app(app.identity)).map { .offer($0) } ?? .unknown
        }
        let runner = SignInRunner(parts: parts, request: request)
        do {
            return try await runner.trouble.named { try await runner.run() }
        } catch let error as ClientError {
            throw AgentError(signIn: error, isUpgrade: request.isUpgrade)
        } catch let error as VaultError where error.code == .vaultMissing {
            throw SignInRunner.noVault
        }
    }

    /// `app.unlock`: opens the vault because the person wants to pick an entry.
    ///
    /// The app learns nothing.
    func unlockForApp(_ method: UnlockForApp, _ app: AppProgram) async throws -> Done {
        guard parts.providers.isVaultEnabled else {
            throw AgentError(
                .nothingAvailable,
                "Ward's own vault is not enabled. To enable it: ward providers enable ward"
            )
        }
        _ = try await parts.session.opened(
            Authorization(method.authorization),
            .app(app),
            to: .fillIn,
            asker: nil
        )
        return Done()
    }
}

extension AppIdentity.Result {
    /// The requester, as part of a sentence.
    var asker: String {
        switch kind {
        case .flatpak: "\(displayName.cleanedForPrompt), a Flatpak app,"
        case .registered: "\(displayName.cleanedForPrompt) (\(executable.pathForPrompt))"
        case .unknown: "\(executable.pathForPrompt), for which nobody vouches,"
        }
    }

    /// The information about the app that another manager gets: only a name.
    var nameForProviders: String {
        let name = displayName.cleanedForPrompt
        guard let last = name.split(separator: "/").last, !last.isEmpty else { return "an app" }
        return String(last)
    }
}

extension AgentError {
    /// The error of an app for a ceremony that failed.
    init(signIn error: ClientError, isUpgrade: Bool) {
        switch error.code {
        case .invalidState:
            self.init(.matchedExcluded, "the account already has a passkey in this credential manager")
        case .notAllowed where isUpgrade:
            self.init(.nothingAvailable, SignInRunner.noUpgrade)
        case .notAllowed where error.reason == .denied || error.reason == .cancelled || error.reason == .timedOut:
            self.init(.denied, "the person declined, or did not answer")
        case .notAllowed where error.reason == .nothingFound:
            self.init(.nothingAvailable, "the picked item no longer exists: try again")
        default: self.init(.ceremonyFailed, "\(error)")
        }
    }
}
