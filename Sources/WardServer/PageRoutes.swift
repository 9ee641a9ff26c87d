import Foundation
import HTTPTypes
package import Hummingbird

/// The data that the account page shows before its script has called the API.
package struct PageAccount: Hashable, Sendable {
    /// The name in the form in which the person typed it.
    package let username: String
    package let displayName: String
    /// Whether the page leads to the admin page.
    ///
    /// Each call of that page asks again.
    package let isAdministrator: Bool

    package init(username: String, displayName: String, isAdministrator: Bool = false) {
        self.username = username
        self.displayName = displayName
        self.isAdministrator = isAdministrator
    }
}

/// The content of the page `/continue`, to which people come from an app.
package enum PageContinuation: Sendable {
    /// The person is signed in, and the browser returns to the app.
    case leave(to: String)
    /// The person must sign in first.
    case signIn(PageApp)
    /// The person agrees first that an app signs them in.
    case consent(PageConsent)
    /// The person is asked whether to sign out.
    case signOut(PageSignOut)
    /// The person types the code of a device, or answers it.
    case device(PageDevice)
    /// The browser goes on, after the request was answered; 303, so that it takes no form along.
    case finish(to: String, clearing: String? = nil)
}

/// The app that a person comes from.
package struct PageApp: Hashable, Sendable {
    /// The app's host or name, as text for people.
    let host: String
    /// The query of the page's address, percent-encoded.
    let query: String
    /// The user name that the app expects.
    var loginHint: String?
    /// Whether only a passkey opens the app.
    var needsPasskey = false
    /// Whether the person is signed in, and the app wants a new sign-in.
    var asksAgain = false
}

/// What the page says where a person agrees that an app signs them in.
package struct PageConsent: Hashable, Sendable {
    /// The app's name.
    let client: String
    /// Where the person returns to: an origin, or the scheme of a native app.
    let place: String
    /// The person's user name.
    let username: String
    /// The scopes that the app asks for.
    let scopes: [String]
    /// The query of the page's address, percent-encoded.
    let query: String
}

/// What the page says where a person types the code of a device, and where the person answers it.
package struct PageDevice: Sendable {
    /// What the device asks for.
    struct Wish: Sendable {
        /// The code as the device shows it.
        let code: String
        /// The app's name.
        let client: String
        /// The scopes that the app asks for.
        let scopes: [String]
        /// Whether a vault is to be kept at the sync server of the service, and no app asks.
        let isForVault: Bool
    }

    /// The person's user name.
    let username: String
    /// The query of the page's address, percent-encoded.
    let query: String
    /// `nil` until the person has typed a code.
    var wish: Wish?
    /// Why the code that was typed is refused.
    var refusal: APIError?
}

/// What the page says where an app asks a person to sign out.
package struct PageSignOut: Hashable, Sendable {
    /// The app's name, if it is known.
    let client: String?
    /// Where the person returns to.
    let place: String
    /// The query of the page's address, percent-encoded.
    let query: String
}

/// An identity provider, as the pages offer it.
package struct PageProvider: Hashable, Sendable {
    /// The provider's ID in the settings.
    package let id: String
    /// The provider's name.
    package let name: String
    /// The provider's issuer, by which the account page knows linked accounts.
    package let issuer: String

    package init(_ provider: IdentityProvider) {
        id = provider.id
        name = provider.name
        issuer = provider.issuer
    }
}

/// A page that a link in a message opens.
///
/// Opening it changes nothing: its button does, with the token after the `#`.
enum PageMailLink: String, CaseIterable, Sendable {
    /// Confirms an e-mail address.
    case confirmation
    /// Ends all sessions of an account.
    case alarm

    /// The page's path.
    var path: String {
        switch self {
        case .confirmation: "/confirm-address"
        case .alarm: "/not-me"
        }
    }
}

/// The pages for people: `/` to sign in and to create an account, `/account`, `/recover`, and the files that they need.
///
/// The pages only show data. Their scripts use the JSON API for everything else. The language is the one that the person chose
/// with `?lang=` (a cookie stores it), or the one that the browser prefers.
package struct PageRoutes: Sendable {
    private let assets: PageAssets
    private let templates: PageTemplates
    private let signInPages: [PageLanguage: ByteBuffer]
    private let recoveryPages: [PageLanguage: ByteBuffer]
    private let mailLinkPages: [PageMailLink: [PageLanguage: ByteBuffer]]
    private let missingPages: [PageLanguage: ByteBuffer]
    private let isLocal: Bool
    private let account: @Sendable (Request) async throws -> PageAccount?
    private let hadSession: @Sendable (Request) -> Bool
    private let administrator: (@Sendable (Request) async throws -> PageAccount)?
    private let renewal: @Sendable (Request) async throws -> String?
    private let continuation: @Sendable (Request, WardRequestContext) async throws -> PageContinuation

    /// Reads all files of the pages into memory.
    ///
    /// - Parameters:
    ///   - rpName: The service's name.
    ///   - rpID: The domain of its passkeys.
    ///   - acceptsPasswords: Whether the pages offer passwords beside passkeys.
    ///   - passwordLength: The minimum length of a new password.
    ///   - registration: Who may create an account.
    ///   - sendsMail: Whether accounts can have an e-mail address.
    ///   - sendsTexts: Whether accounts can have a telephone number.
    ///   - usesRecoveryHelpers: Whether people can name others who approve their recovery.
    ///   - keepsVaults: Whether accounts can have vaults at a sync server.
    ///   - providers: The identity providers where people may sign in.
    ///   - brand: What makes the pages those of one service.
    ///   - icons: Pictures of authenticators.
    ///   - account: Returns the account of a request, or `nil` if nobody is signed in.
    ///   - hadSession: Whether a browser has a session's cookie, valid or not.
    ///   - administrator: Returns the administrator who opens the admin page, or throws ``APIError`` with `not_found`; `nil` if there
    ///     is no admin page.
    ///   - renewal: The cookie of the page that lets a browser prove first that it has the key of its session; `nil` if that is not
    ///     needed.
    ///   - continuation: Says what `/continue` does, or throws ``APIError``.
    /// - Throws: ``ServerStartError`` if the installation is incomplete; errors of templates that cannot be parsed.
    package init(
        rpName: String,
        rpID: String,
        acceptsPasswords: Bool = true,
        passwordLength: Int = 15,
        registration: RegistrationPolicy = .open,
        sendsMail: Bool = false,
        sendsTexts: Bool = false,
        usesRecoveryHelpers: Bool = false,
        keepsVaults: Bool = false,
        providers: [PageProvider] = [],
        brand: PageBrand = .standard,
        icons: ProviderIcons = .none,
        account: @escaping @Sendable (Request) async throws -> PageAccount?,
        hadSession: @escaping @Sendable (Request) -> Bool = { _ in false },
        administrator: (@Sendable (Request) async throws -> PageAccount)? = nil,
        renewal: @escaping @Sendable (Request) async throws -> String? = { _ in nil },
        continuation: @escaping @Sendable (Request, WardRequestContext) async throws -> PageContinuation
    ) throws {
        guard let folder = Bundle.module.url(forResource: "Pages", withExtension: nil) else {
            throw ServerStartError(missing: "Pages")
        }
        let assets = try PageAssets(folder, brand, icons)
        let templates = try PageTemplates(
            assets,
            service: rpName,
            address: rpID,
            acceptsPasswords: acceptsPasswords,
            passwordLength: passwordLength,
            registration: registration,
            sendsMail: sendsMail,
            sendsTexts: sendsTexts,
            usesRecoveryHelpers: usesRecoveryHelpers,
            keepsVaults: keepsVaults,
            providers: providers,
            brand: brand
        )
        func inEachLanguage(_ render: (PageLanguage) throws -> ByteBuffer) throws -> [PageLanguage: ByteBuffer] {
            Dictionary(uniqueKeysWithValues: try PageLanguage.allCases.map { ($0, try render($0)) })
        }
        self.assets = assets
        self.templates = templates
        signInPages = try inEachLanguage { try templates.signIn(in: $0) }
        recoveryPages = try inEachLanguage(templates.recovery)
        mailLinkPages = Dictionary(
            uniqueKeysWithValues: try PageMailLink.allCases.map { link in
                (link, try inEachLanguage { try templates.mailLink(link, in: $0) })
            }
        )
        missingPages = try inEachLanguage { try templates.failure(APIError(.notFound, ""), query: "", in: $0) }
        self.account = account
        self.hadSession = hadSession
        self.administrator = administrator
        self.renewal = renewal
        self.continuation = continuation
        isLocal = rpID == "localhost" || rpID.hasSuffix(".localhost")
    }

    /// The texts of the pages and of messages, by language.
    var texts: [PageLanguage: PageText] { templates.texts }

    /// Adds the pages and their files to a router.
    package func add(to router: WardRouter) {
        router.get("/") { request, _ in try await renewed(request, at: "/") { try await signInPage(request) } }
        router.get("/account") { request, _ in
            try await renewed(request, at: "/account") { try await accountPage(request) }
        }
        if let administrator {
            router.get("/admin") { request, _ in
                try await renewed(request, at: "/admin") { try await adminPage(request, administrator) }
            }
        }
        router.get("/recover") { request, _ in recoveryPage(request) }
        router.get(RouterPath(Federation.callback)) { request, _ in returnPage(request) }
        for link in PageMailLink.allCases {
            router.get("\(link.path)") { request, _ in mailLinkPage(link, request) }
        }
        for path in ["/continue", "/oidc/authorize", "/oidc/logout", "/device"] {
            router.get(RouterPath(path)) { request, context in
                try await renewed(request, at: path) { try await continuePage(request, context) }
            }
        }
        router.get("/assets/{version}/**") { request, context in
            asset(context.parameters.getCatchAll().joined(separator: "/"), context.parameters.get("version"), request)
        }
    }

    // MARK: Pages

    /// The wanted page, or first a page of the service's own that leads to it.
    ///
    /// A browser proves that it has the key of its session only for requests that the service's pages cause. A person who comes
    /// from another site, with a cookie that has ended in the meantime, is not signed out for that reason.
    private func renewed(
        _ request: Request,
        at path: String,
        _ wanted: () async throws -> Response
    ) async throws -> Response {
        guard let cookie = try await renewal(request) else { return try await wanted() }
        let language = language(request)
        // The path is the service's own, so that no other spelling of it leads to another host.
        let address = path + (request.uri.query.map { "?\($0)" } ?? "")
        var response = page(try templates.renewal(of: address, in: language), language, cacheControl: "no-store")
        response.headers[.refresh] = "0; url=\(address)"
        return response.setting(cookie)
    }

    private func signInPage(_ request: Request) async throws -> Response {
        if let choice = choice(request) { return keep(choice, backTo: "/") }
        guard try await account(request) == nil else { return .redirect(to: "/account") }
        let language = language(request)
        // The page depends on the cookie. So shared caches must not store it, and the back button must load it again.
        return page(signInPages[language] ?? ByteBuffer(), language, cacheControl: "private, no-cache")
    }

    /// The page to which identity providers send people back: the sign-in page, whose script takes the answer to the service.
    ///
    /// It is the same for everybody. It must not be stored, because its address has a code.
    private func returnPage(_ request: Request) -> Response {
        let language = language(request)
        return page(signInPages[language] ?? ByteBuffer(), language, cacheControl: "no-store")
    }

    /// The page is the same for everybody, because the link's token is after the `#`.
    private func recoveryPage(_ request: Request) -> Response {
        if let choice = choice(request) { return keep(choice, backTo: "/recover") }
        let language = language(request)
        return page(recoveryPages[language] ?? ByteBuffer(), language, cacheControl: "private, no-cache")
    }

    /// The page is the same for everybody, as the page of a recovery link is.
    private func mailLinkPage(_ link: PageMailLink, _ request: Request) -> Response {
        if let choice = choice(request) { return keep(choice, backTo: link.path) }
        let language = language(request)
        return page(mailLinkPages[link]?[language] ?? ByteBuffer(), language, cacheControl: "private, no-cache")
    }

    /// The page for people who come from an app, if one is needed.
    ///
    /// Otherwise the browser goes on at once.
    private func continuePage(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let language = language(request)
        func shown(_ query: String, _ html: (PageLanguage) throws -> ByteBuffer) throws -> Response {
            if let choice = choice(request) { return keep(choice, backTo: "\(request.uri.path)?\(query)") }
            return page(try html(language), language, cacheControl: "no-store")
        }
        switch try await continuation(request, context) {
        case .leave(let address):
            return .redirect(to: address, type: .found)
        case .finish(let address, let clearing):
            let response = Response.redirect(to: address, type: .normal)
            return clearing.map { response.setting($0) } ?? response
        case .signIn(let app):
            return try shown(app.query) { try templates.signIn(in: $0, for: app) }
        case .consent(let consent):
            return try shown(consent.query) { try templates.consent(consent, in: $0) }
        case .signOut(let wish):
            return try shown(wish.query) { try templates.signOut(wish, in: $0) }
        case .device(let device):
            return try shown(device.query) { try templates.device(device, in: $0) }
        }
    }

    private func accountPage(_ request: Request) async throws -> Response {
        if let choice = choice(request) { return keep(choice, backTo: "/account") }
        guard let account = try await account(request) else {
            // The script of the sign-in page says that the session has ended.
            return .redirect(to: hadSession(request) ? "/#session-ended" : "/")
        }
        let language = language(request)
        return page(try templates.account(account, in: language), language, cacheControl: "no-store")
    }

    private func adminPage(
        _ request: Request,
        _ administrator: @Sendable (Request) async throws -> PageAccount
    ) async throws -> Response {
        let account = try await administrator(request)
        if let choice = choice(request) { return keep(choice, backTo: "/admin") }
        let language = language(request)
        return page(try templates.admin(account, in: language), language, cacheControl: "no-store")
    }

    /// A page for a person at an address that does not work.
    ///
    /// Its links to the languages lead to the same address, which is answered as before: nothing leads elsewhere.
    func failurePage(_ error: APIError, _ request: Request) -> Response {
        let chosen = request.method == .get ? choice(request) : nil
        let language = chosen ?? language(request)
        let missing = missingPages[language] ?? ByteBuffer()
        let query = (request.uri.query ?? "").split(separator: "&").filter { !$0.hasPrefix("lang=") }
        let html =
            error.code == .notFound
            ? missing : (try? templates.failure(error, query: query.joined(separator: "&"), in: language)) ?? missing
        let response = page(html, language, cacheControl: "private, no-cache", status: error.code.status)
        return chosen.map { response.setting(cookie(of: $0)) } ?? response
    }

    private func page(
        _ html: ByteBuffer,
        _ language: PageLanguage,
        cacheControl: String,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentLanguage: language.rawValue,
                .cacheControl: cacheControl, .vary: "Accept-Language, Cookie",
            ],
            body: ResponseBody(byteBuffer: html)
        )
    }

    // MARK: Languages

    private func language(_ request: Request) -> PageLanguage { .wanted(by: request) }

    private func choice(_ request: Request) -> PageLanguage? {
        request.uri.queryParameters["lang"].flatMap { PageLanguage(chosen: String($0)) }
    }

    /// Remembers the chosen language for a year.
    ///
    /// The cookie keeps `?lang=` out of the address, so the address can be shared.
    private func keep(_ language: PageLanguage, backTo path: String) -> Response {
        Response.redirect(to: path).setting(cookie(of: language))
    }

    private func cookie(of language: PageLanguage) -> String {
        let attributes = "; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax" + (isLocal ? "" : "; Secure")
        return "\(PageLanguage.cookie)=\(language.rawValue)\(attributes)"
    }

    // MARK: Assets

    private func asset(_ path: String, _ version: String?, _ request: Request) -> Response {
        guard let asset = assets[path] else { return Response(status: .notFound) }
        var headers: HTTPFields = [.eTag: asset.entityTag]
        // During an update, instances of two versions run. Files of the other version are served too, but caches must not store
        // them.
        headers[.cacheControl] = version == assets.version ? "public, max-age=31536000, immutable" : "no-cache"
        if Self.isKnown(asset.entityTag, to: request) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = asset.mediaType
        if asset.mediaType.hasPrefix("image/") { headers[.contentSecurityPolicy] = SecurityHeaders.imagePolicy }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: asset.body))
    }

    /// RFC 9110, [§13.1.2](https://www.rfc-editor.org/rfc/rfc9110#name-if-none-match): the comparison is weak.
    private static func isKnown(_ entityTag: String, to request: Request) -> Bool {
        guard let known = request.headers[.ifNoneMatch] else { return false }
        return known.split(separator: ",").map { $0.trimmingSpace() }.contains { tag in
            tag == "*" || tag == entityTag || tag == "W/\(entityTag)"
        }
    }
}

extension HTTPField.Name {
    fileprivate static let refresh = known("Refresh")
}
