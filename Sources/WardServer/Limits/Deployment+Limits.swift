import Hummingbird
import WardAccounts
import WardWebAuthn

extension Deployment {
    /// The client of a request, if the service knows it.
    func client(of request: Request, _ context: WardRequestContext) -> ClientAddress? {
        proxies.client(peer: context.peer, request.headers)
    }

    /// One attempt to sign in with a password.
    ///
    /// - Parameters:
    ///   - name: The mapped user name, or the typed text if it is not a valid user name.
    ///   - account: The account of this name, or an ID that no account has.
    ///   - request: The request.
    ///   - context: The request's context.
    /// - Returns: The try, which has not begun.
    func passwordTry(
        _ name: String,
        of account: AccountID,
        _ request: Request,
        _ context: WardRequestContext
    ) -> PasswordTry {
        let client = client(of: request, context)
        return PasswordTry(
            name,
            device: deviceCookie.device(of: request, for: account, at: effects.now()),
            address: proxies.knowsClients ? client : nil,
            client: client,
            tryLimits
        )
    }

    /// The count of new accounts for a request, if the service knows the address of its client.
    func newAccounts(of request: Request, _ context: WardRequestContext) -> Counter? {
        guard proxies.knowsClients, let client = client(of: request, context) else { return nil }
        return Counter(.newAccounts, of: client.bytes, tryLimits.newAccounts)
    }
}

extension Counter {
    /// Checks that the limit allows one more.
    ///
    /// - Throws: ``APIError`` with `too_many_requests`.
    func check(at now: Int64, in tx: some AccountTransaction) async throws {
        if let wait = try await wait(at: now, in: tx) { throw APIError(limited: subject, wait) }
    }
}
