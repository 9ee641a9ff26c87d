import AuthenticationServices

/// The pages of Shiny and the way between them.
@MainActor
final class App {
    let service: Service
    let accounts: AccountManager
    let window = ASPresentationAnchor()
    var account: Account?
    var notice: Screen.Notice?

    init(_ service: Service) {
        self.service = service
        accounts = AccountManager(service)
    }

    /// Shows pages until the person leaves.
    func run() async {
        while true {
            let choice: String?
            if account == nil { choice = await start() } else { choice = await home() }
            guard let choice, choice != "q" else { return Screen.line() }
            notice = nil
            guard !choice.isEmpty else { continue }
            if account == nil { await signedOut(choice) } else { await signedIn(choice) }
        }
    }

    // MARK: Signed out

    private func start() async -> String? {
        await choose(
            title: "You are signed out.",
            [
                .init(key: "1", title: "Sign in", detail: "what is on this computer, or else the form"),
                .init(key: "2", title: "Sign in with the form", detail: "passkeys appear under the user name"),
                .init(key: "3", title: "Sign in with a sheet", detail: "passkeys and passwords in one"),
                .init(key: "4", title: "Sign in as …", detail: "the passkeys of one account"),
                .init(key: "5", title: "Create an account", detail: "with a passkey"),
                .init(key: "6", title: "Create an account", detail: "with a password"),
                .init(key: "q", title: "Quit"),
            ]
        )
    }

    private func signedOut(_ choice: String) async {
        switch choice {
        case "1": await signIn()
        case "2": await signInWithForm()
        case "3":
            await accounts.signInWith(anchor: window, preferImmediatelyAvailableCredentials: false)
            await finish()
        case "4":
            guard let userName = await ask("User name: ") else { return }
            await accounts.signInWith(userName: userName, anchor: window)
            await finish()
        case "5":
            guard let userName = await ask("User name: ") else { return }
            await accounts.signUpWith(userName: userName, anchor: window)
            await finish()
        case "6":
            guard let (userName, password) = await newLogin() else { return }
            await accounts.signUpWith(userName: userName, password: password)
            await finish()
        default: notice = .plain("There is no \(choice) here.")
        }
    }

    /// What is on this computer without a question to other devices; with nothing, the form without a word.
    private func signIn() async {
        await accounts.signInWith(anchor: window, preferImmediatelyAvailableCredentials: true)
        let outcome = await accounts.next()
        guard case .canceled = outcome else { return await finish(outcome) }
        await signInWithForm()
    }

    /// A user name and a password; a passkey that is picked under the name needs neither.
    private func signInWithForm() async {
        await accounts.beginAutoFillAssistedPasskeySignIn(anchor: window)
        let userName = TerminalTextField("  User name: ", textContentType: .username)
        let password = TerminalTextField("  Password: ", textContentType: .password, isSecureTextEntry: true)
        do {
            switch try await userName.edit(in: [password]) {
            case .completed: return await finish()
            case .filled: break
            case .typed: try await password.edit(in: [userName])
            }
        } catch {
            await accounts.endAutoFill()
            return report(error)
        }
        await accounts.endAutoFill()
        await accounts.signInWith(userName: userName.text, password: password.text)
        await finish()
    }

    // MARK: Signed in

    private func home() async -> String? {
        var details = ["The service does not answer."]
        do {
            let known = try await service.account()
            let passkeys = known.passkeys.map(\.name).joined(separator: ", ")
            details = [
                "Passkeys  " + Screen.clean(passkeys.isEmpty ? "none" : passkeys),
                "Password  " + (known.hasPassword ?? false ? "yes" : "none"),
            ]
        } catch let error as ServiceError where error.code == "not_signed_in" {
            // The session is over: it ends with the passkey that opened it.
            account = nil
            return await start()
        } catch {}
        return await choose(
            title: "Hello, \(Screen.clean(account?.username ?? "")).",
            details: details,
            [
                .init(key: "1", title: "Add a passkey"),
                .init(key: "2", title: "Delete a passkey"),
                .init(key: "3", title: "Remove the password"),
                .init(key: "4", title: "Sign out"),
                .init(key: "5", title: "Make recovery codes", detail: "a way back in if you lose your passkey"),
                .init(key: "q", title: "Quit"),
            ]
        )
    }

    private func signedIn(_ choice: String) async {
        do {
            switch choice {
            case "1":
                guard try await proven({ try await accounts.addPasskey(anchor: window) }) else { return }
                await finish()
            case "2": try await deletePasskey()
            case "3": try await removePassword()
            case "4":
                try await service.signOut()
                account = nil
                notice = .good("Signed out.")
            case "5": try await makeRecoveryCodes()
            default: notice = .plain("There is no \(choice) here.")
            }
        } catch {
            report(error)
        }
    }

    /// Deletes one, and tells the credential managers which are left, so that they stop offering it.
    private func deletePasskey() async throws {
        let known = try await service.account()
        for (number, passkey) in known.passkeys.enumerated() {
            Screen.line("   \(number + 1)  \(Screen.clean(passkey.name))")
        }
        guard let typed = await ask("Which: ") else { return }
        guard let number = Int(typed), known.passkeys.indices.contains(number - 1) else {
            notice = .plain("There is no passkey \(typed).")
            return
        }
        let id = known.passkeys[number - 1].id
        guard try await proven({ try await service.deletePasskey(id) }) else { return }
        notice = .good("The passkey is deleted.")
        let left = known.passkeys.enumerated().filter { $0.offset != number - 1 }.map { Data(base64URL: $0.element.id) }
        try? await ASCredentialUpdater().reportAllAcceptedPublicKeyCredentials(
            relyingPartyIdentifier: service.domain,
            userHandle: Data(base64URL: known.account.userHandle),
            acceptedCredentialIDs: left
        )
    }

    private func removePassword() async throws {
        guard try await proven({ try await service.deletePassword() }) else { return }
        notice = .good("The password is removed.")
        guard let userName = account?.username else { return }
        try? await ASCredentialUpdater().reportUnusedPasswordCredential(domain: service.domain, userName: userName)
    }

    /// Makes codes that lead back in when every passkey is lost, and shows them once.
    private func makeRecoveryCodes() async throws {
        var codes: [String] = []
        guard try await proven({ codes = try await service.makeRecoveryCodes() }) else { return }
        Screen.line("\n  " + Screen.bold("Keep these codes on paper. They are shown once, and each works once."))
        for code in codes { Screen.line("   " + Screen.clean(code)) }
        _ = await ask("Press Return when you have them. ", isRequired: false)
        notice = .good("The recovery codes are made.")
    }

    /// Makes a change; if the service first wants the person verified by a passkey, asks for that and tries again.
    ///
    /// - Returns: Whether the change was made; if not, the notice says why.
    private func proven(_ change: () async throws -> Void) async throws -> Bool {
        do {
            try await change()
            return true
        } catch let error as ServiceError where error.code == "passkey_sign_in_required" {
            guard let userName = account?.username else { throw error }
            await accounts.signInWith(userName: userName, anchor: window, verified: true)
            switch await accounts.next() {
            case .signedInWithPasskey:
                try await change()
                return true
            case .failed(let sentence): notice = .bad(sentence)
            default: notice = .bad(error.message)
            }
            return false
        }
    }

    // MARK: Outcomes

    private func finish(_ known: AccountManager.Outcome? = nil) async {
        let outcome = if let known { known } else { await accounts.next() }
        switch outcome {
        case .signedInWithPasskey(let account):
            self.account = account
            notice = .good("Signed in with a passkey.")
        case .signedInWithPassword(let account, let hasPasskey):
            self.account = account
            notice = .good("Signed in with a password.")
            if !hasPasskey { await upgrade() }
        case .registered(let account):
            let isNew = self.account == nil
            self.account = account
            notice = .good(
                isNew ? "The account is made. Next time, sign in with its passkey." : "The passkey is added."
            )
        case .canceled: notice = .plain("Nothing was done.")
        case .failed(let sentence): notice = .bad(sentence)
        }
    }

    /// After a password: a passkey by itself where the credential manager agrees, and else an offer.
    private func upgrade() async {
        await accounts.upgrade()
        if case .registered = await accounts.next() {
            notice = .good("Signed in with a password. A passkey was added: next time, use that.")
            return
        }
        Screen.line("\n  " + Screen.bold("Sign in without a password next time?"))
        Screen.line("  A passkey is quicker, and nobody can ask you for it.")
        guard let answer = await ask("Make a passkey? [Y/n] ", isRequired: false), !answer.lowercased().hasPrefix("n")
        else {
            return
        }
        do { try await accounts.addPasskey(anchor: window) } catch { return report(error) }
        await finish()
    }

    // MARK: Asking

    private func choose(title: String, details: [String] = [], _ choices: [Screen.Choice]) async -> String? {
        Screen.show(at: service.address, title: title, details: details, notice: notice, choices: choices)
        let field = TerminalTextField("  Choose: ")
        guard (try? await field.edit()) != nil else { return nil }
        return field.text.trimmingCharacters(in: .whitespaces).lowercased()
    }

    private func ask(
        _ prompt: String,
        isRequired: Bool = true
    ) async -> String? {
        let field = TerminalTextField("  " + prompt)
        do { try await field.edit() } catch {
            report(error)
            return nil
        }
        return field.text.isEmpty && isRequired ? nil : field.text
    }

    /// Both fields are of one form, so that a password which the manager makes is kept with the name.
    private func newLogin() async -> (userName: String, password: String)? {
        let userName = TerminalTextField("  User name: ", textContentType: .username, domain: service.domain)
        let password = TerminalTextField(
            "  New password: ",
            textContentType: .newPassword,
            domain: service.domain,
            isSecureTextEntry: true
        )
        do {
            try await userName.edit()
            try await password.edit(in: [userName])
        } catch {
            report(error)
            return nil
        }
        return userName.text.isEmpty || password.text.isEmpty ? nil : (userName.text, password.text)
    }

    private func report(_ error: any Error) {
        if (error as? TerminalTextFieldError)?.code == .cancelled { return notice = .plain("Nothing was done.") }
        notice = .bad(error.localizedDescription)
    }
}
