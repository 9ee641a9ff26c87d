internal import Logging
internal import WardAgentClient
internal import WardClient
internal import WardVault

/// Sign-in for apps.
struct AppSignIn: Sendable {
    let session: VaultSession
    let policy: AppPolicy
    let providers: Providers
    let memory: SheetMemory
    let handedOut: HandedOutPasswords

    var asking: Asking { session.asking }

    /// `app.authorize`: asks the person for one of several credentials, and hands out the one they pick.
    func authorize(_ method: AuthorizeApp, _ app: AppProgram) async throws -> AuthorizeApp.Result {
        let sheet = try await self.sheet(method.requests, app)
        let desk = SheetDesk(signIn: self, sheet: sheet, method: method, app: app)
        do {
            return try await desk.trouble.named { try await desk.answer() }
        } catch let error as ClientError {
            throw AgentError(sheet: error, isConditional: sheet.isConditional)
        } catch let error as VaultError where error.code == .vaultMissing {
            throw AgentError(.nothingAvailable, "there is no vault on this machine yet: ward init makes one")
        }
    }

    /// `app.unlock`: opens the vault, because the app's person wants to pick something; tells nothing.
    func unlockForApp(_ method: UnlockForApp, _ app: AppProgram) async throws -> Done {
        guard providers.isVaultEnabled else {
            throw AgentError(.nothingAvailable, "Ward's own vault is not in use: ward providers enable ward")
        }
        _ = try await session.opened(
            Authorization(method.authorization),
            .app(app),
            purpose: "fill in something of yours",
            asker: app.identity.introduction(speakingFor: "")
        )
        return Done()
    }
}

extension AppIdentity.Result {
    /// Who wants something, within a sentence.
    var asker: String {
        switch kind {
        case .flatpak: "\(displayName.cleanedForPrompt), a Flatpak app,"
        case .registered: "\(displayName.cleanedForPrompt) (\(executable.pathForPrompt))"
        case .unknown: "\(executable.pathForPrompt), for which nobody vouches,"
        }
    }

    /// What another manager is told of it: a name, and nothing else.
    var nameForProviders: String {
        let name = displayName.cleanedForPrompt
        guard let last = name.split(separator: "/").last, !last.isEmpty else { return "an app" }
        return String(last)
    }
}

extension AgentError {
    /// What an app hears of a ceremony that came to nothing.
    init(sheet error: ClientError, isConditional: Bool) {
        switch error.code {
        case .invalidState:
            self.init(.matchedExcluded, "the account has a passkey here already")
        case .notAllowed where isConditional:
            self.init(.nothingAvailable, SheetDesk.noUpgrade)
        case .notAllowed where error.reason == .denied || error.reason == .cancelled || error.reason == .timedOut:
            self.init(.denied, "the person said no, or did not answer")
        case .notAllowed where error.reason == .nothingFound:
            self.init(.nothingAvailable, "what was picked is not there any more: try again")
        default: self.init(.ceremonyFailed, "\(error)")
        }
    }
}
