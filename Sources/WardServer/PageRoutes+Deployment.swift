import Hummingbird
import WardAccounts
import WardWebAuthn

extension PageRoutes {
    /// Creates the pages for a configured service.
    init<Store>(_ deployment: Deployment<Store>, _ configuration: ServerConfiguration) throws {
        try self.init(
            rpName: configuration.rpName,
            rpID: configuration.rpID,
            acceptsPasswords: configuration.acceptsPasswords,
            passwordLength: configuration.passwordLength,
            registration: configuration.registration,
            sendsMail: deployment.sendsMail,
            sendsTexts: deployment.sendsTexts,
            usesRecoveryHelpers: deployment.usesRecoveryHelpers,
            keepsVaults: deployment.vaults != nil,
            providers: deployment.federation.providers.all.map(PageProvider.init),
            brand: PageBrand(configuration),
            icons: deployment.icons,
            account: { try await Self.account(of: $0, deployment) },
            hadSession: { deployment.cookie.token(in: $0) != nil },
            administrator: Self.administrators(deployment),
            renewal: { try await deployment.renewal(for: $0) },
            continuation: { request, context in
                switch request.uri.path {
                case AuthorizationRoutes<Store>.path: return try await deployment.continueAuthorization(request)
                case LogoutRoutes<Store>.path: return try await deployment.continueLogout(request)
                case DeviceCodes.page: return try await deployment.continueDevice(request, context)
                default: break
                }
                if let page = OwnPage(request) {
                    guard try await Self.account(of: request, deployment) == nil else { return .leave(to: page.path) }
                    return .signIn(PageApp(host: deployment.host, query: page.query))
                }
                let visit = try AppVisit(request, deployment.apps)
                if let address = try await deployment.handOver(visit, request) { return .leave(to: address) }
                return .signIn(PageApp(host: visit.place.origin.host.description, query: visit.query))
            }
        )
    }

    /// Finds the administrator who opens the admin page; `nil` if there is no admin page.
    private static func administrators<Store>(
        _ deployment: Deployment<Store>
    ) -> (@Sendable (Request) async throws -> PageAccount)? {
        guard let group = deployment.adminGroup else { return nil }
        return { try await Self.administrator(of: $0, group, deployment) }
    }

    /// The administrator who opens the admin page.
    ///
    /// - Throws: ``APIError`` with `not_found` for everybody else.
    private static func administrator<Store>(
        of request: Request,
        _ group: GroupName,
        _ deployment: Deployment<Store>
    ) async throws -> PageAccount {
        let now = deployment.effects.now()
        let account = try await deployment.store.read { tx in
            try await deployment.visitingAdministrator(request, of: group, at: now, in: tx)
        }
        return PageAccount(username: account.username.text, displayName: account.displayName)
    }

    private static func account<Store>(of request: Request, _ deployment: Deployment<Store>) async throws
        -> PageAccount?
    {
        guard let presented = deployment.shownCookies(in: request) else { return nil }
        let now = deployment.effects.now()
        return try await deployment.store.read { tx in
            guard let (_, account) = try await tx.opened(by: presented, under: deployment.sessionRules, at: now) else {
                return nil
            }
            return PageAccount(
                username: account.username.text,
                displayName: account.displayName,
                isAdministrator: deployment.adminGroup.map(account.groups.contains) ?? false
            )
        }
    }
}
