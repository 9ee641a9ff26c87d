import HTTPTypes
import Testing
import WardServer

@Suite struct `A page at an address that does not work` {
    @Test(arguments: [
        "/nowhere", "//elsewhere.example/", "/nowhere?a=%22%3E%3Cscript%3E",
        "/oidc/authorize?client_id=nobody&scope=openid",
        "/continue?lang=ja&app=nowhere",
    ])
    func `is in each language, and leads to no other address`(address: String) async throws {
        try await withService { service in
            let visitor = service.visitor()
            let page = try await visitor.get(address)
            #expect((400..<500).contains(page.status.code))
            for language in PageLanguage.allCases {
                let parts = address.split(separator: "?", maxSplits: 1)
                let query = (parts.count == 2 ? parts[1] : "").split(separator: "&").filter { !$0.hasPrefix("lang=") }
                let link = "?" + (query + ["lang=\(language.rawValue)"]).joined(separator: "&")
                // A page that does not exist is the same at each address.
                let isMissing = page.status == .notFound
                let shown = isMissing ? "?lang=\(language.rawValue)" : link.replacing("&", with: "&amp;")
                #expect(page.text.contains("<a href=\"\(shown)\" lang=\"\(language.rawValue)\""), "\(link)")
                #expect(!page.text.contains("<script"))
                let chosen = try await service.visitor().get(parts[0] + link)
                #expect(chosen.status == page.status && chosen.headers[.location] == nil)
                #expect(chosen.text.contains("<html lang=\"\(language.rawValue)\""))
                #expect(chosen.text.contains("hreflang=\"\(language.rawValue)\" aria-current"))
                let cookie = chosen.headers[.setCookie] ?? ""
                #expect(cookie.hasPrefix("ward-language=\(language.rawValue); "), "\(cookie)")
            }
            for answer in [
                try await visitor.send(.post, "/nowhere?lang=ko", nil), try await visitor.get("/nowhere?lang=xx"),
            ] {
                #expect(answer.headers[.setCookie] == nil && !answer.text.contains("<html lang=\"ko\""))
            }
        }
    }
}
