import HTTPTypes
import Testing
import WardServer

@Suite struct `The session's cookie` {
    private static let day = 86_400

    @Test func `on localhost it is plain, and kept from scripts and other sites`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let cookie = try #require(ada.lastSetCookie)
            let parts = cookie.split(separator: "; ").map(String.init)
            #expect(parts[0].hasPrefix("ward="))
            #expect(parts.dropFirst() == ["Max-Age=\(90 * Self.day)", "Path=/", "HttpOnly", "SameSite=Lax"])
        }
    }

    @Test func `over https it is bound to host and secure connections`() async throws {
        let configuration = ServerConfiguration(rpID: "example.com")
        try await withService(configuration) { world in
            let ada = world.visitor()
            #expect(try await ada.register("ada").status == .created)
            let cookie = try #require(ada.lastSetCookie)
            let parts = cookie.split(separator: "; ").map(String.init)
            #expect(parts[0].hasPrefix("__Host-ward="))
            #expect(parts.contains("Secure") && parts.contains("Path=/") && parts.contains("HttpOnly"))
            #expect(!cookie.contains("Domain"), "the prefix forbids it")
            #expect(try await ada.isSignedIn())
            ada.cookie = ada.cookie?.replacing("__Host-", with: "")
            #expect(try await !ada.isSignedIn(), "a cookie without the prefix can be planted by a neighbour")
        }
    }

    @Test func `signing out clears it with the same attributes`() async throws {
        try await withService(ServerConfiguration(rpID: "example.com")) { world in
            let ada = world.visitor()
            try await ada.post("sign-out")
            #expect(ada.lastSetCookie == "__Host-ward=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure")
        }
    }

    @Test func `it is found among others`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let own = try #require(ada.cookie)
            for cookies in ["ward-language=ko; \(own)", "a=b;\(own);c", "warden=1; \(own); x=\"ward=2\"", " \(own) "] {
                ada.cookie = cookies
                #expect(try await ada.isSignedIn(), "\(cookies)")
            }
        }
    }
}
