import Mustache
import NIOCore

/// Renders the pages as HTML from a template, the texts of a language, and the signed-in account.
///
/// Templates escape every value; no template uses the unescaped form.
struct PageTemplates: Sendable {
    private let library: MustacheLibrary
    /// The texts, by language.
    let texts: [PageLanguage: PageText]
    private let assets: PageAssets
    private let service: String
    private let address: String
    private let acceptsPasswords: Bool
    private let passwordLength: Int
    private let registration: RegistrationPolicy
    private let sendsMail: Bool
    private let sendsTexts: Bool
    private let usesRecoveryHelpers: Bool
    private let keepsVaults: Bool
    private let providers: [PageProvider]
    private let brand: PageBrand

    /// Parses every template and reads every language.
    ///
    /// - Throws: ``ServerStartError`` for a missing file; the parser's errors.
    init(
        _ assets: PageAssets,
        service: String,
        address: String,
        acceptsPasswords: Bool,
        passwordLength: Int,
        registration: RegistrationPolicy,
        sendsMail: Bool,
        sendsTexts: Bool,
        usesRecoveryHelpers: Bool,
        keepsVaults: Bool,
        providers: [PageProvider],
        brand: PageBrand
    ) throws {
        self.assets = assets
        self.service = service
        self.address = address
        self.acceptsPasswords = acceptsPasswords
        self.passwordLength = passwordLength
        self.registration = registration
        self.sendsMail = sendsMail
        self.sendsTexts = sendsTexts
        self.usesRecoveryHelpers = usesRecoveryHelpers
        self.keepsVaults = keepsVaults
        self.providers = providers
        self.brand = brand
        library = MustacheLibrary(templates: try assets.templates().mapValues { try MustacheTemplate(string: $0) })
        var texts: [PageLanguage: PageText] = [:]
        for language in PageLanguage.allCases {
            guard let file = assets["locales/\(language.rawValue).json"] else {
                throw ServerStartError(missing: "Pages/locales/\(language.rawValue).json")
            }
            let values = ["service": service, "address": address, "passwordLength": String(passwordLength)]
            texts[language] = try PageText(Array(file.body.readableBytesView), values)
        }
        self.texts = texts
    }

    /// The page for people who are not signed in.
    ///
    /// - Parameters:
    ///   - language: The page's language.
    ///   - app: The app that the person comes from and returns to.
    /// - Returns: The page as HTML.
    /// - Throws: ``ServerStartError`` for a missing file.
    func signIn(in language: PageLanguage, for app: PageApp? = nil) throws -> ByteBuffer {
        guard let app else { return try render("sign-in", title: "signIn", script: "sign-in.js", language, [:]) }
        var values: [String: Any] = [
            "app": app.host, "languageQuery": app.query + "&", "loginHint": app.loginHint ?? "",
            "again": app.asksAgain,
        ]
        if app.needsPasskey {
            values["passwords"] = false
            values["providers"] = [[String: Any]]()
            values["hasProviders"] = false
        }
        return try render("sign-in", title: "signIn", script: "sign-in.js", language, values)
    }

    /// The page where a person agrees that an app signs them in.
    func consent(_ consent: PageConsent, in language: PageLanguage) throws -> ByteBuffer {
        let values: [String: Any] = [
            "client": consent.client, "place": consent.place, "username": consent.username,
            "profile": consent.scopes.contains("profile"), "email": consent.scopes.contains("email"),
            "groups": consent.scopes.contains("groups"),
            "offline": consent.scopes.contains("offline_access"),
            "languageQuery": consent.query + "&",
        ]
        return try render("consent", title: "consent", script: "consent.js", language, values)
    }

    /// The page where an app asks a person to sign out.
    func signOut(_ wish: PageSignOut, in language: PageLanguage) throws -> ByteBuffer {
        var values: [String: Any] = ["place": wish.place, "languageQuery": wish.query + "&"]
        values["client"] = wish.client
        return try render("sign-out", title: "signOut", script: "sign-out.js", language, values)
    }

    /// The page where a person types the code of a device, and answers it.
    func device(_ device: PageDevice, in language: PageLanguage) throws -> ByteBuffer {
        var values: [String: Any] = ["username": device.username, "languageQuery": device.query + "&"]
        if let refusal = device.refusal {
            values["refusal"] = texts[language]?["error", refusal.code.name] ?? refusal.message
        }
        if let wish = device.wish {
            values["client"] = wish.client
            values["code"] = wish.code
            values["vault"] = wish.isForVault
            values["profile"] = wish.scopes.contains("profile")
            values["email"] = wish.scopes.contains("email")
            values["groups"] = wish.scopes.contains("groups")
            values["offline"] = wish.scopes.contains("offline_access")
        }
        return try render("device", title: "device", script: "device.js", language, values)
    }

    /// The page that a recovery link opens.
    func recovery(in language: PageLanguage) throws -> ByteBuffer {
        try render("recover", title: "recover", script: "recover.js", language, [:])
    }

    /// The page that a link in a message opens.
    func mailLink(_ link: PageMailLink, in language: PageLanguage) throws -> ByteBuffer {
        let values = ["isAlarm": link == .alarm, "isConfirmation": link == .confirmation]
        return try render("mail-link", title: link.rawValue, script: "mail-link.js", language, values)
    }

    /// The account page.
    func account(_ account: PageAccount, in language: PageLanguage) throws -> ByteBuffer {
        let person: [String: Any] = [
            "username": account.username, "displayName": account.displayName, "pictured": assets.pictured,
            "isAdministrator": account.isAdministrator,
        ]
        return try render("account", title: "account", script: "account.js", language, person)
    }

    /// The admin page.
    func admin(_ account: PageAccount, in language: PageLanguage) throws -> ByteBuffer {
        let person = ["username": account.username, "displayName": account.displayName]
        return try render("admin", title: "admin", script: "admin.js", language, person)
    }

    /// The page for a person at an address that does not work.
    ///
    /// It has no script, and from the request only the query, in its links to the languages.
    ///
    /// - Parameters:
    ///   - error: What is wrong.
    ///   - query: The query of the address without a language, percent-encoded.
    ///   - language: The page's language.
    /// - Returns: The page as HTML.
    /// - Throws: ``ServerStartError`` for a missing file.
    func failure(_ error: APIError, query: String, in language: PageLanguage) throws -> ByteBuffer {
        let text = texts[language]
        let isMissing = error.code == .notFound
        let known = isMissing ? text?["failure", "notFoundText"] : text?["error", error.code.name]
        let heading = text?["failure", isMissing ? "notFound" : "other"] ?? ""
        let explanation = known.flatMap { $0.isEmpty ? nil : $0 } ?? error.message
        let values = [
            "heading": heading, "explanation": explanation, "title": "\(heading) · \(service)",
            "languageQuery": query.isEmpty ? "" : query + "&",
        ]
        return try render("failure", language, values)
    }

    /// The page that a browser loads for a moment, before it loads the wanted page again.
    ///
    /// - Parameters:
    ///   - address: The wanted page: its path and query.
    ///   - language: The page's language.
    /// - Returns: The page as HTML.
    /// - Throws: ``ServerStartError`` for a missing file.
    func renewal(of address: String, in language: PageLanguage) throws -> ByteBuffer {
        let heading = texts[language]?["renewal", "heading"] ?? ""
        return try render("renewal", language, ["title": "\(heading) · \(service)", "here": address])
    }

    private func render(
        _ template: String,
        title: String,
        script: String,
        _ language: PageLanguage,
        _ values: [String: Any]
    ) throws -> ByteBuffer {
        var values = values
        values["title"] = texts[language]?["title", title]
        values["script"] = script
        return try render(template, language, values)
    }

    private func render(
        _ template: String,
        _ language: PageLanguage,
        _ values: [String: Any]
    ) throws -> ByteBuffer {
        guard let text = texts[language] else {
            throw ServerStartError(missing: "Pages/locales/\(language.rawValue).json")
        }
        var context: [String: Any] = [
            "language": language.rawValue, "service": service, "address": address,
            "assets": "/assets/\(assets.version)", "text": text.sections,
            "modules": (values["script"] as? String).map(assets.modules) ?? [], "languages": choices(language),
            "passwords": acceptsPasswords, "passwordLength": String(passwordLength),
            "registration": registration.rawValue,
            "sendsMail": sendsMail,
            "sendsTexts": sendsTexts,
            "helpers": usesRecoveryHelpers,
            "vaults": keepsVaults,
            "hasProviders": !providers.isEmpty,
            "providers": providers.map { ["id": $0.id, "name": $0.name, "issuer": $0.issuer] },
            "needsInvitation": registration == .invite, "isClosed": registration == .closed,
            "logo": assets.logo, "icons": assets.icons.map(\.values), "hasColors": brand.colors != nil,
        ]
        if let home = brand.home {
            context["home"] = home.address
            context["homeHost"] = home.host
        }
        context.merge(values) { _, new in new }
        guard let html = library.render(context, withTemplate: template) else {
            throw ServerStartError(missing: "Pages/templates/\(template).mustache")
        }
        return ByteBuffer(string: html)
    }

    private func choices(_ current: PageLanguage) -> [[String: Any]] {
        PageLanguage.allCases.map { language in
            ["tag": language.rawValue, "name": language.endonym, "isCurrent": language == current]
        }
    }
}
