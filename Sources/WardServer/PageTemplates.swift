import Mustache
import NIOCore

/// Renders the pages as HTML from a template, the texts of a language, and the signed-in account.
///
/// Templates escape every value; no template uses the unescaped form.
struct PageTemplates: Sendable {
    private let library: MustacheLibrary
    private let texts: [PageLanguage: PageText]
    private let assets: PageAssets
    private let service: String
    private let address: String
    private let acceptsPasswords: Bool
    private let passwordLength: Int
    private let registration: RegistrationPolicy

    /// Parses every template and reads every language.
    ///
    /// - Throws: ``ServerStartError`` for a missing file; the parser's errors.
    init(
        _ assets: PageAssets,
        service: String,
        address: String,
        acceptsPasswords: Bool,
        passwordLength: Int,
        registration: RegistrationPolicy
    ) throws {
        self.assets = assets
        self.service = service
        self.address = address
        self.acceptsPasswords = acceptsPasswords
        self.passwordLength = passwordLength
        self.registration = registration
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
        let values = app.map { ["app": $0.host, "languageQuery": $0.query + "&"] } ?? [:]
        return try render("sign-in", title: "signIn", script: "sign-in.js", language, values)
    }

    /// The page that a recovery link opens.
    func recovery(in language: PageLanguage) throws -> ByteBuffer {
        try render("recover", title: "recover", script: "recover.js", language, [:])
    }

    /// The account page.
    func account(_ account: PageAccount, in language: PageLanguage) throws -> ByteBuffer {
        let person = ["username": account.username, "displayName": account.displayName]
        return try render("account", title: "account", script: "account.js", language, person)
    }

    private func render(
        _ template: String,
        title: String,
        script: String,
        _ language: PageLanguage,
        _ values: [String: String]
    ) throws -> ByteBuffer {
        guard let text = texts[language] else {
            throw ServerStartError(missing: "Pages/locales/\(language.rawValue).json")
        }
        var context: [String: Any] = [
            "language": language.rawValue, "service": service, "address": address,
            "assets": "/assets/\(assets.version)", "title": text["title", title], "text": text.sections,
            "script": script, "modules": assets.modules(of: script), "languages": choices(language),
            "passwords": acceptsPasswords, "passwordLength": String(passwordLength),
            "registration": registration.rawValue,
            "needsInvitation": registration == .invite, "isClosed": registration == .closed,
        ]
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
