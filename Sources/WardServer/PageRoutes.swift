import Foundation
import HTTPTypes
package import Hummingbird

/// The data that the account page shows before its script has called the API.
package struct PageAccount: Hashable, Sendable {
    /// The name as the person typed it.
    package let username: String
    /// The display name.
    package let displayName: String

    package init(username: String, displayName: String) {
        self.username = username
        self.displayName = displayName
    }
}

/// What the page `/continue` does, where people come from an app.
package enum PageContinuation: Sendable {
    /// The person is signed in: the browser goes on to the app.
    case leave(to: String)
    /// The person signs in first.
    case signIn(PageApp)
}

/// The app that a person comes from.
package struct PageApp: Hashable, Sendable {
    /// The app's host, for people.
    let host: String
    /// The query of the page's address, percent-encoded.
    let query: String
}

/// The pages for people: `/` to sign in and to create an account, `/account`, `/recover`, and the files that they need.
///
/// The pages only show data; their scripts do all work through the JSON API. The language is the one chosen with
/// `?lang=`, which a cookie keeps, or the one that the browser prefers.
package struct PageRoutes: Sendable {
    private let assets: PageAssets
    private let templates: PageTemplates
    private let signInPages: [PageLanguage: ByteBuffer]
    private let recoveryPages: [PageLanguage: ByteBuffer]
    private let isLocal: Bool
    private let account: @Sendable (Request) async throws -> PageAccount?
    private let continuation: @Sendable (Request) async throws -> PageContinuation

    /// Reads all files of the pages into memory.
    ///
    /// - Parameters:
    ///   - rpName: The service's name.
    ///   - rpID: The domain of its passkeys.
    ///   - acceptsPasswords: Whether the pages offer passwords beside passkeys.
    ///   - passwordLength: The minimum length of a new password.
    ///   - registration: Who may create an account.
    ///   - account: Returns the account of a request, or `nil` if nobody is signed in.
    ///   - continuation: Says what `/continue` does, or throws ``APIError``.
    /// - Throws: ``ServerStartError`` if the installation is incomplete; errors of templates that cannot be parsed.
    package init(
        rpName: String,
        rpID: String,
        acceptsPasswords: Bool = true,
        passwordLength: Int = 15,
        registration: RegistrationPolicy = .open,
        account: @escaping @Sendable (Request) async throws -> PageAccount?,
        continuation: @escaping @Sendable (Request) async throws -> PageContinuation
    ) throws {
        guard let folder = Bundle.module.url(forResource: "Pages", withExtension: nil) else {
            throw ServerStartError(missing: "Pages")
        }
        let assets = try PageAssets(folder)
        let templates = try PageTemplates(
            assets,
            service: rpName,
            address: rpID,
            acceptsPasswords: acceptsPasswords,
            passwordLength: passwordLength,
            registration: registration
        )
        func inEachLanguage(_ render: (PageLanguage) throws -> ByteBuffer) throws -> [PageLanguage: ByteBuffer] {
            Dictionary(uniqueKeysWithValues: try PageLanguage.allCases.map { ($0, try render($0)) })
        }
        self.assets = assets
        self.templates = templates
        signInPages = try inEachLanguage { try templates.signIn(in: $0) }
        recoveryPages = try inEachLanguage(templates.recovery)
        self.account = account
        self.continuation = continuation
        isLocal = rpID == "localhost" || rpID.hasSuffix(".localhost")
    }

    /// Adds the pages and their files to a router.
    package func add(to router: Router<some RequestContext>) {
        router.get("/") { request, _ in try await signInPage(request) }
        router.get("/account") { request, _ in try await accountPage(request) }
        router.get("/recover") { request, _ in recoveryPage(request) }
        router.get("/continue") { request, _ in try await continuePage(request) }
        router.get("/assets/{version}/**") { request, context in
            asset(context.parameters.getCatchAll().joined(separator: "/"), context.parameters.get("version"), request)
        }
    }

    // MARK: Pages

    private func signInPage(_ request: Request) async throws -> Response {
        if let choice = choice(request) { return keep(choice, backTo: "/") }
        guard try await account(request) == nil else { return .redirect(to: "/account") }
        let language = language(request)
        // The page depends on the cookie, so shared caches must not keep it, and the back button must load it again.
        return page(signInPages[language] ?? ByteBuffer(), language, cacheControl: "private, no-cache")
    }

    /// The page is the same for everybody: the link's token stands behind the `#`.
    private func recoveryPage(_ request: Request) -> Response {
        if let choice = choice(request) { return keep(choice, backTo: "/recover") }
        let language = language(request)
        return page(recoveryPages[language] ?? ByteBuffer(), language, cacheControl: "private, no-cache")
    }

    /// The sign-in page for people who come from an app; the way on for those who are signed in.
    private func continuePage(_ request: Request) async throws -> Response {
        switch try await continuation(request) {
        case .leave(let address):
            return .redirect(to: address, type: .found)
        case .signIn(let app):
            if let choice = choice(request) { return keep(choice, backTo: "/continue?\(app.query)") }
            let language = language(request)
            return page(try templates.signIn(in: language, for: app), language, cacheControl: "no-store")
        }
    }

    private func accountPage(_ request: Request) async throws -> Response {
        if let choice = choice(request) { return keep(choice, backTo: "/account") }
        guard let account = try await account(request) else { return .redirect(to: "/") }
        let language = language(request)
        return page(try templates.account(account, in: language), language, cacheControl: "no-store")
    }

    private func page(_ html: ByteBuffer, _ language: PageLanguage, cacheControl: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentLanguage: language.rawValue,
                .cacheControl: cacheControl, .vary: "Accept-Language, Cookie",
            ],
            body: ResponseBody(byteBuffer: html)
        )
    }

    // MARK: Languages

    private static let languageCookie = "ward-language"

    private func language(_ request: Request) -> PageLanguage {
        request.cookies[Self.languageCookie].flatMap { PageLanguage(chosen: $0.value) }
            ?? .preferred(by: request.headers[.acceptLanguage])
    }

    private func choice(_ request: Request) -> PageLanguage? {
        request.uri.queryParameters["lang"].flatMap { PageLanguage(chosen: String($0)) }
    }

    /// Remembers the chosen language for a year.
    ///
    /// The address stays without `?lang=`, so it can be shared.
    private func keep(_ language: PageLanguage, backTo path: String) -> Response {
        var response = Response.redirect(to: path)
        let attributes = "; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax" + (isLocal ? "" : "; Secure")
        response.headers[.setCookie] = "\(Self.languageCookie)=\(language.rawValue)\(attributes)"
        return response
    }

    // MARK: Assets

    private func asset(_ path: String, _ version: String?, _ request: Request) -> Response {
        guard let asset = assets[path] else { return Response(status: .notFound) }
        var headers: HTTPFields = [.eTag: asset.entityTag]
        // While instances of two versions run, files of the other version are served too, but caches must not keep
        // them.
        headers[.cacheControl] = version == assets.version ? "public, max-age=31536000, immutable" : "no-cache"
        if Self.isKnown(asset.entityTag, to: request) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = asset.mediaType
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
