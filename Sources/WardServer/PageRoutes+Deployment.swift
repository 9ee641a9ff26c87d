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
            return try await deployment.store.read { tx in
                guard let session = try await tx.liveSession(tokenHash: token.hash, at: now),
                    let account = try await tx.account(id: session.accountID)
                else { return nil }
                return PageAccount(username: account.username.text, displayName: account.displayName)
            }
        }
    }
}
