import Testing
import WardAgentClient
import WardClient
import WardWebAuthn
@testable import WardAgent

@Suite struct `Pages of a browser` {
    private static func sender(
        _ origin: String = "https://login.example.com",
        url: String? = nil,
        top: String? = nil,
        frame: Int = 0,
        isSameOriginWithAncestors: Bool? = nil,
        ancestors: [String]? = nil
    ) -> BrowserSender {
        BrowserSender(
            url: url ?? origin + "/a?b#c",
            origin: origin,
            tab: 1,
            frame: frame,
            topURL: top ?? origin + "/",
            isSameOriginWithAncestors: isSameOriginWithAncestors,
            ancestors: ancestors
        )
    }

    @Test func `have the origin that the browser names`() throws {
        for origin in [
            "https://example.com", "https://a.b.example.com:8443", "http://localhost", "http://app.localhost:8080",
        ] {
            let page = try BrowserPage(Self.sender(origin))
            #expect(page.origin.description == origin && page.isTop && page.caller.isSameOriginWithAncestors)
        }
        let user = Self.sender(url: "https://ada:secret@login.example.com/")
        #expect(try BrowserPage(user).origin.description == "https://login.example.com")
    }

    @Test func `in a frame of another origin say so`() throws {
        let top = "https://shop.example/checkout"
        let page = try BrowserPage(Self.sender(top: top, frame: 4))
        #expect(page.caller.topOrigin?.description == "https://shop.example" && !page.isTop)
        let between = try BrowserPage(Self.sender(frame: 4, isSameOriginWithAncestors: false))
        #expect(!between.caller.isSameOriginWithAncestors && !between.isTop)
        #expect(try !BrowserPage(Self.sender(frame: 4)).isTop)
        #expect(try BrowserPage(Self.sender(frame: 4)).caller.isSameOriginWithAncestors)
    }

    @Test(arguments: [
        sender("null"), sender("https://login.example.com/"), sender("http://login.example.com"),
        sender("https://[::1]"),
        sender("file://"), sender("about:blank"), sender("https://example.com:443"), sender(""),
        sender(url: "https://login.example.com.evil.example/"), sender(url: "https://login.example.com:8443/"),
        sender(url: "http://login.example.com/"), sender(url: "https://login.example.com@evil.example/"),
        sender(url: "https://evil.example\\@login.example.com/"),
        sender(url: "https://evil.example?@login.example.com/"),
        sender(url: "https://evil.example#@login.example.com/"), sender(url: "https:login.example.com"),
        sender(url: "https://"),
        sender(url: "blob:https://login.example.com/1"), sender(url: "data:text/html,x"), sender(url: "about:blank"),
        sender(url: "about:blank", top: "https://shop.example/", frame: 4), sender(url: "about:config", frame: 4),
        sender(top: "https://shop.example/"), sender(top: "about:blank", frame: 4), sender(top: "", frame: 4),
        sender(top: "https://shop.example/", frame: -1), sender(frame: -2),
    ])
    func `that contradict themselves, or cannot have passkeys, are refused`(_ sender: BrowserSender) {
        #expect(throws: ClientError.self) { try BrowserPage(sender) }
    }

    @Test func `see entries of their host and of the domains above it that one owner has`() throws {
        func domains(_ host: String) throws -> [String] { try BrowserPage(Self.sender("https://\(host)")).domains }
        #expect(try domains("a.login.example.com") == ["a.login.example.com", "login.example.com", "example.com"])
        #expect(try domains("example.co.uk") == ["example.co.uk"])
        #expect(try domains("ada.github.io") == ["ada.github.io"])
        #expect(try domains("co.uk") == ["co.uk"])
        #expect(try domains((1...20).map { "a\($0)" }.joined(separator: ".") + ".example.com").count == 8)
    }

    @Test func `take entries in a frame if all pages around it are of their site`() throws {
        func isOfOneSite(_ origin: String, _ ancestors: [String]?, top: String? = nil, frame: Int = 4) throws -> Bool {
            let top = top ?? ancestors?.last ?? origin
            return try BrowserPage(Self.sender(origin, top: top + "/", frame: frame, ancestors: ancestors)).isOfOneSite
        }
        let (login, shop) = ("https://login.example.com", "https://www.example.com")
        #expect(try isOfOneSite(login, [shop]) && isOfOneSite(login, [login, shop, login]) && isOfOneSite(login, nil))
        #expect(try isOfOneSite("http://login.shop.localhost", ["http://www.shop.localhost:8080"]))
        for ancestors in [
            ["https://evil.example"], ["https://evil.example", shop], [shop, "https://evil.example", shop],
            ["null", shop],
            ["https://evil.example", login], ["http://www.example.com", shop], [],
        ] {
            #expect(try !isOfOneSite(login, ancestors, top: shop), "\(ancestors)")
        }
        #expect(try !isOfOneSite(login, nil, top: shop) && !isOfOneSite(login, [shop], top: "https://evil.example"))
        for (one, other) in [
            ("a.co.uk", "b.co.uk"), ("ada.github.io", "bob.github.io"), ("a.localhost", "b.localhost"),
        ] {
            #expect(try !isOfOneSite("https://" + one, ["https://" + other]), "\(one) in \(other)")
        }
        #expect(throws: ClientError.self) { try isOfOneSite(login, Array(repeating: login, count: 65)) }
        // A page between makes the frame one of another origin.
        let between = try BrowserPage(Self.sender(frame: 4, ancestors: ["https://evil.example", login]))
        #expect(!between.caller.isSameOriginWithAncestors)
    }

    @Test func `are of the same site if one owner has both hosts`() {
        #expect(BrowserPage.areSameSite("login.example.com", "www.example.com"))
        #expect(BrowserPage.areSameSite("localhost", "localhost"))
        for (one, other) in [
            ("ada.github.io", "bob.github.io"), ("example.com", "example.org"), ("example.com", "com"),
            ("co.uk", "a.co.uk"),
            ("", "example.com"),
        ] {
            #expect(!BrowserPage.areSameSite(one, other), "\(one) \(other)")
        }
    }

    @Test func `belong to a browser with a name`() {
        let names = [
            "/usr/lib/chromium/chromium": "Chromium", "/opt/google/chrome/chrome": "Google Chrome",
            "/opt/brave.com/brave/brave": "Brave", "/opt/microsoft/msedge/msedge": "Microsoft Edge",
            "/usr/lib/firefox-esr/firefox-esr": "Firefox", "/usr/share/librewolf/librewolf": "LibreWolf",
            "/opt/vivaldi/vivaldi-bin": "Vivaldi", "/usr/bin/netscape": "netscape",
        ]
        for (path, name) in names {
            #expect(BrowserIdentity(path: path, extensionID: "a").name == name)
        }
    }
}
