import Hummingbird
import WardAccounts
import WardWebAuthn

extension PageRoutes {
    /// Creates the pages of a configured service.
    init<Store>(_ deployment: Deployment<Store>, _ configuration: ServerConfiguration) throws {
        try self.init(
            rpName: configuration.rpName,
            rpID: configuration.rpID,
            acceptsPasswords: configuration.acceptsPasswords,
            passwordLength: configuration.passwordLength,
            registration: configuration.registration
        ) { request in
            guard let token = deployment.cookie.token(in: request) else { return nil }
            let now = deployment.effects.now()
            do {
                let account = try await deployment.store.read { try await $0.signedIn(token.hash, at: now).account }
                return PageAccount(username: account.username.text, displayName: account.displayName)
            } catch let error as APIError where error.code == .notSignedIn {
                return nil
            }
        }
    }
}
