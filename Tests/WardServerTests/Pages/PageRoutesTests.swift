import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import WardServer

@Suite struct `The pages' routes` {
    typealias Client = any TestClientProtocol

    /// Asks a router that has the pages and nothing else.
    private func pages<Value: Sendable>(
        rpName: String = "Ward",
        rpID: String = "localhost",
        signedIn account: PageAccount? = nil,
        _ body: @escaping @Sendable (Client) async throws -> Value
    ) async throws -> Value {
        let router = WardRouter(context: WardRequestContext.self, options: .autoGenerateHeadEndpoints)
        try PageRoutes(rpName: rpName, rpID: rpID, account: { _ in account }, continuation: { _, _ in .leave(to: "/") })
            .add(to: router)
        return try await Application(router: router).test(.router, body)
    }

    private func html(_ response: TestResponse) -> String { String(buffer: response.body) }

    private func assets(_ page: String) -> Set<String> {
        Set(page.matches(of: /(?:href|src)="(\/assets\/[^"]+)"/).map { String($0.output.1) })
    }

    private static let somebody = PageAccount(username: "amélie", displayName: "Amélie")

    @Test func `who is not signed in gets the sign-in page, and is sent there from the account`() async throws {
        try await pages { client in
            let page = try await client.execute(uri: "/", method: .get)
            #expect(page.status == .ok)
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(String(buffer: page.body).contains("autocomplete=\"username webauthn\""))
            let account = try await client.execute(uri: "/account", method: .get)
            #expect(account.status == .seeOther)
            #expect(account.headers[.location] == "/")
        }
    }

    @Test func `who is signed in gets the account page, and is sent there from the start`() async throws {
        try await pages(signedIn: Self.somebody) { client in
            let start = try await client.execute(uri: "/", method: .get)
            #expect(start.status == .seeOther)
            #expect(start.headers[.location] == "/account")
            let account = try await client.execute(uri: "/account", method: .get)
            #expect(account.status == .ok)
            #expect(account.headers[.cacheControl] == "no-store")
            #expect(String(buffer: account.body).contains(">amélie</bdi>"))
        }
    }

    @Test func `names are text, whatever is in them`() async throws {
        let hostile = "<script>alert(1)</script>\"'&{{text.common.cancel}}"
        let escaped = "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;{{text.common.cancel}}"
        let account = PageAccount(username: hostile, displayName: hostile)
        try await pages(rpName: hostile, signedIn: account) { client in
            let page = html(try await client.execute(uri: "/account", method: .get))
            #expect(!page.contains("<script>"))
            #expect(page.components(separatedBy: escaped).count > 3)
        }
        try await pages(rpName: hostile) { client in
            let page = html(try await client.execute(uri: "/", method: .get))
            #expect(!page.contains("<script>"))
            #expect(page.contains("data-service=\"\(escaped)\""))
        }
    }

    @Test(arguments: PageLanguage.allCases)
    func `a page is in the language the browser asks for`(language: PageLanguage) async throws {
        try await pages { client in
            let headers: HTTPFields = [.acceptLanguage: "\(language.rawValue);q=0.9, en;q=0.1"]
            let page = try await client.execute(uri: "/", method: .get, headers: headers)
            #expect(page.headers[.contentLanguage] == language.rawValue)
            #expect(page.headers[.vary] == "Accept-Language, Cookie")
            #expect(html(page).contains("<html lang=\"\(language.rawValue)\""))
            #expect(html(page).contains("lang=\"\(language.rawValue)\" hreflang=\"\(language.rawValue)\" aria-current"))
            #expect(html(page).components(separatedBy: "aria-current").count == 2)
            #expect(!html(page).contains("{{") && !html(page).contains("{service}"))
        }
    }

    @Test(arguments: ["/", "/account"])
    func `a chosen language is kept in a cookie and out of the address`(path: String) async throws {
        let account = path == "/" ? nil : Self.somebody
        try await pages(rpID: "example.org", signedIn: account) { client in
            let choice = try await client.execute(uri: "\(path)?lang=ko", method: .get)
            #expect(choice.status == .seeOther)
            #expect(choice.headers[.location] == path)
            let cookie = try #require(choice.headers[.setCookie])
            #expect(cookie == "ward-language=ko; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax; Secure")
            let headers: HTTPFields = [.cookie: "a=b; ward-language=ko", .acceptLanguage: "ja"]
            let page = try await client.execute(uri: path, method: .get, headers: headers)
            #expect(page.headers[.contentLanguage] == "ko")
        }
    }

    @Test(arguments: ["xx", "", "en%0d%0aSet-Cookie:a=b", "..%2f", "%ff"])
    func `a language we do not have is passed over`(choice: String) async throws {
        try await pages { client in
            let page = try await client.execute(uri: "/?lang=\(choice)", method: .get, headers: [.acceptLanguage: "ja"])
            #expect(page.status == .ok)
            #expect(page.headers[.contentLanguage] == "ja")
            #expect(page.headers[.setCookie] == nil)
        }
    }

    @Test func `every file that a page names is served, can be cached without end, and does not change`() async throws {
        try await pages { client in
            let named = assets(html(try await client.execute(uri: "/", method: .get)))
            #expect(
                named.contains { $0.hasSuffix("/css/ward.css") } && named.contains { $0.hasSuffix("/js/sign-in.js") }
            )
            #expect(named.contains { $0.hasSuffix("/js/api.js") }, "modules of modules are preloaded too")
            for uri in named {
                let asset = try await client.execute(uri: uri, method: .get)
                #expect(asset.status == .ok, "\(uri)")
                #expect(asset.headers[.cacheControl] == "public, max-age=31536000, immutable")
                #expect(asset.body.readableBytes > 0)
                let tag = try #require(asset.headers[.eTag])
                #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count == 34)
                for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                    let again = try await client.execute(uri: uri, method: .get, headers: [.ifNoneMatch: known])
                    #expect(again.status == .notModified, "\(known)")
                    #expect(again.body.readableBytes == 0)
                    #expect(again.headers[.eTag] == tag)
                }
                let other = try await client.execute(uri: uri, method: .get, headers: [.ifNoneMatch: "\"x\""])
                #expect(other.status == .ok)
            }
        }
    }

    @Test func `files have their media types`() async throws {
        try await pages { client in
            let types = [
                "css/ward.css": "text/css; charset=utf-8", "js/api.js": "text/javascript; charset=utf-8",
                "icons/ward.svg": "image/svg+xml", "icons/ward-192.png": "image/png",
                "locales/ja.json": "application/json",
            ]
            for (path, type) in types {
                let asset = try await client.execute(uri: "/assets/0/\(path)", method: .get)
                #expect(asset.headers[.contentType] == type)
                #expect(asset.headers[.cacheControl] == "no-cache", "another version's address keeps nothing")
            }
        }
    }

    @Test(arguments: [
        "templates/head.mustache", "css/none.css", "css/../css/ward.css", "../PageRoutes.swift",
        "%2e%2e/%2e%2e/etc/passwd",
        "css", "css/", "js/api.js/x", "CSS/ward.css", "",
    ])
    func `nothing else is served`(path: String) async throws {
        try await pages { client in
            let asset = try await client.execute(uri: "/assets/0/\(path)", method: .get)
            #expect(asset.status == .notFound)
        }
    }

    @Test func `a store that fails is not mistaken for somebody who is not signed in`() async throws {
        struct Broken: Error {}
        let router = WardRouter(context: WardRequestContext.self)
        try PageRoutes(
            rpName: "Ward",
            rpID: "localhost",
            account: { _ in throw Broken() },
            continuation: { _, _ in throw Broken() }
        ).add(to: router)
        try await Application(router: router).test(.router) { client in
            for path in ["/", "/account"] {
                let page = try await client.execute(uri: path, method: .get)
                #expect(page.status == .internalServerError)
            }
        }
    }
}
