import HTTPTypes
import Testing
import WardDomains
import WardServer
import WardText
import WardWebAuthn

@Suite struct `Well-known documents` {
    @Test func `password managers are sent to the account page`() async throws {
        let configuration = ServerConfiguration(
            rpID: "example.com",
            origins: ["ios:bundle-id:com.example.app", "https://login.example.com", "https://example.com"]
        )
        try await withService(configuration) { world in
            let answer = try await world.visitor().get("/.well-known/passkey-endpoints")
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "application/json")
            #expect(answer.headers[.cacheControl] == "public, max-age=3600")
            let page: JSONValue = "https://login.example.com/account"
            #expect(answer.json == ["enroll": page, "manage": page])
        }
    }

    @Test func `a service of apps alone says that it takes passkeys`() async throws {
        let configuration = ServerConfiguration(rpID: "example.com", origins: ["ios:bundle-id:com.example.app"])
        try await withService(configuration) { world in
            let answer = try await world.visitor().get("/.well-known/passkey-endpoints")
            #expect(answer.status == .ok)
            #expect(answer.json == [:])
        }
    }

    @Test func `without related origins there is no list of them`() async throws {
        try await withService { world in
            for name in ["webauthn", "assetlinks.json", "apple-app-site-association"] {
                let answer = try await world.visitor().get("/.well-known/\(name)")
                #expect(answer.status == .notFound)
            }
        }
    }

    @Test func `apps are listed where systems look, all of them and in order`() async throws {
        let apps = ["ABCDE12345.com.example.app", "0123456789.org.example.Shiny"]
        try await withService(ServerConfiguration(apps: apps)) { world in
            let answer = try await world.visitor().get("/.well-known/apple-app-site-association")
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "application/json")
            #expect(answer.headers[.cacheControl] == "public, max-age=3600")
            #expect(
                answer.text
                    == #"{"webcredentials":{"apps":["ABCDE12345.com.example.app","0123456789.org.example.Shiny"]}}"#
            )
        }
    }

    @Test(arguments: ["", "app", "com.example.app", "ABCDE12345", "ABCDE12345.", "abcde12345.com.example"])
    func `what names no app is refused before the service starts`(app: String) {
        #expect(throws: ServerConfigurationError.self) { try ServerConfiguration(apps: [app]).validate() }
    }

    private static let fingerprint = (0..<32).map { String($0 + 160, radix: 16, uppercase: true) }.joined(
        separator: ":"
    )

    @Test func `Android apps are listed with their certificates, and their origin may answer`() async throws {
        let other = String(repeating: "0f", count: 32)
        var configuration = ServerConfiguration()
        configuration.androidApps = [
            "com.example.app=\(Self.fingerprint)", "org.example.other=\(other)", "com.example.app=\(other)",
            "com.example.app=\(other.uppercased())",
        ]
        try await withService(configuration) { world in
            let answer = try await world.visitor().get("/.well-known/assetlinks.json")
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "application/json")
            #expect(answer.headers[.cacheControl] == "public, max-age=3600")
            let colons = [String](repeating: "0F", count: 32).joined(separator: ":")
            func statement(_ package: JSONValue, _ fingerprints: JSONValue) -> JSONValue {
                [
                    "relation": [
                        "delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds",
                    ],
                    "target": [
                        "namespace": "android_app", "package_name": package, "sha256_cert_fingerprints": fingerprints,
                    ],
                ]
            }
            #expect(
                answer.json == [
                    statement("com.example.app", [.string(Self.fingerprint), .string(colons)]),
                    statement("org.example.other", [.string(colons)]),
                ]
            )
            let app = world.visitor(at: "android:apk-key-hash:oKGio6SlpqeoqaqrrK2ur7CxsrO0tba3uLm6u7y9vr8")
            #expect(try await app.register("ada").status == .created)
            #expect(try await app.signIn().status == .ok)
        }
    }

    @Test(arguments: [
        "", "com.example.app", "com.example.app=", "=\(fingerprint)", "app=\(fingerprint)",
        "com.example.app=\(fingerprint):",
        "com.example.app=\(fingerprint.dropLast(3))", "com.example.app=\(fingerprint):00",
        "com.example.app=A:0\(fingerprint.dropFirst(2))",
        "com.example.app=\(fingerprint)=\(fingerprint)", "com.example.app=\(fingerprint.dropLast(1))G",
    ])
    func `what names no Android app is refused before the service starts`(app: String) {
        var configuration = ServerConfiguration()
        configuration.androidApps = [app]
        #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
    }

    @Test func `password managers are sent to where a password is changed, if there are any`() async throws {
        try await withService { world in
            let answer = try await world.visitor().get("/.well-known/change-password")
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "/account")
        }
        try await withService(ServerConfiguration(acceptsPasswords: false)) { world in
            let answer = try await world.visitor().get("/.well-known/change-password")
            #expect(answer.status == .notFound)
        }
    }

    @Test func `related origins are listed where browsers look, and their pages sign people in`() async throws {
        let configuration = ServerConfiguration(
            rpID: "example.com",
            origins: ["https://example.com"],
            relatedOrigins: ["https://example.de", "https://example.co.uk:8443"]
        )
        try await withService(configuration) { world in
            let answer = try await world.visitor().get("/.well-known/webauthn")
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "application/json")
            #expect(answer.json == ["origins": ["https://example.de", "https://example.co.uk:8443"]])
            for related in configuration.relatedOrigins {
                let origin = try #require(try Origin(related).web)
                #expect(RelatedOrigins.allows(document: answer.body, origin: origin))
                let visitor = world.visitor(at: related)
                #expect(try await visitor.register("ada\(related.count)").status == .created)
                #expect(try await visitor.signIn().status == .ok)
            }
            let stranger = world.visitor(at: "https://example.fr")
            let refused = try await stranger.post("registration/options", ["username": "eve"])
            #expect(refused.refusal == "403 origin_not_allowed")
        }
    }
}
