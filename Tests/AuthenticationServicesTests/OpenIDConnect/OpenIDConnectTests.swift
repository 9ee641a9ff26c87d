import AuthenticationServices
import Crypto
import CryptoExtras
import Foundation
import NIOHTTP1
import Synchronization
import Testing
import WardText

/// Folders of a test's own, gone when it ends.
private final class IssuerFixture {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ward-openid-\(UUID().uuidString)").path
    var journal: String { folder + "/state/openid-connect.json" }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func authorization(
        _ issuer: Issuer,
        personTimeout: Duration = .seconds(3600),
        answerTimeout: Duration = .seconds(3600),
        secondCodeTimeout: Duration = .seconds(3600),
        open: (@Sendable (String) async throws -> Void)? = nil
    ) throws -> OpenIDConnectAuthorization {
        OpenIDConnectAuthorization(
            try issuer.configuration(),
            effects: .init(
                open: open ?? issuer.browse,
                answerTimeout: answerTimeout,
                personTimeout: personTimeout,
                secondCodeTimeout: secondCodeTimeout,
                journal: journal
            )
        )
    }
}

/// The code of the error that something ends with; `nil` when it ends well.
private func code(of body: () async throws -> Void) async -> ASAuthorizationError.Code? {
    do { try await body() } catch { return (error as? ASAuthorizationError)?.code }
    return nil
}

private func code(_ body: () throws -> Void) -> ASAuthorizationError.Code? {
    do { try body() } catch { return (error as? ASAuthorizationError)?.code }
    return nil
}

@Suite struct `Signing in with an issuer` {
    private let request = AppleIDRequestValues(requestedScopes: ["name", "email"], state: "the app's own")

    @Test func `gives the app a verified identity token and what it asked for`() async throws {
        let fixture = try IssuerFixture()
        try await Issuer().running { issuer in
            let authorization = try fixture.authorization(issuer)
            #expect(try await authorization.credentialState(forUserID: "ada-1815") == .notFound)
            let credential = try await authorization.authorize(request)
            #expect(credential.user == "ada-1815")
            #expect(credential.state == "the app's own")
            #expect(credential.email == "ada@example.com")
            #expect(credential.fullName?.givenName == "Ada" && credential.fullName?.familyName == "Lovelace")
            #expect(Set(credential.authorizedScopes) == ["name", "email"])
            #expect(credential.identityToken.map { $0.split(separator: 0x2e).count } == 3)
            #expect(try await authorization.credentialState(forUserID: "ada-1815") == .authorized)
            #expect(try await authorization.credentialState(forUserID: "grace") == .notFound)
            let asked = issuer.seen.authorization
            #expect(asked["response_type"] == "code" && asked["scope"] == "openid profile email")
            #expect(asked["redirect_uri"]?.hasPrefix("http://127.0.0.1:") == true)
            #expect(asked["state"].map { $0.count == 43 && $0 != "the app's own" } == true)
            #expect(asked["nonce"]?.count == 43)
            #expect(issuer.seen.pages == [303, 303, 200])
            #expect(issuer.seen.lastPage.contains("<title>Signed in"))
        }
    }

    @Test func `gives no more than it asked for, and carries the app's nonce`() async throws {
        let fixture = try IssuerFixture()
        try await Issuer().running { issuer in
            let credential = try await fixture.authorization(issuer).authorize(
                AppleIDRequestValues(nonce: "from the service")
            )
            #expect(credential.email == nil && credential.fullName == nil && credential.authorizedScopes.isEmpty)
            #expect(issuer.seen.authorization["nonce"] == "from the service")
            #expect(issuer.seen.authorization["scope"] == "openid")
        }
    }

    @Test func `believes RSA keys as well`() async throws {
        let fixture = try IssuerFixture()
        try await Issuer(key: .rsa(.init(keySize: .bits2048))).running { issuer in
            let credential = try await fixture.authorization(issuer).authorize(request)
            #expect(credential.user == "ada-1815")
        }
    }

    @Test(arguments: ["client_secret_basic", "client_secret_post"])
    func `tells the token endpoint its secret, where the issuer wants it`(method: String) async throws {
        let fixture = try IssuerFixture()
        try await Issuer(secret: ("s/cret", method)).running { issuer in
            _ = try await fixture.authorization(issuer).authorize(request)
            let seen = issuer.seen
            #expect(seen.tokenForm["client_secret"] == (method == "client_secret_post" ? "s/cret" : nil))
            let basic = "Basic " + Data("shiny:s%2Fcret".utf8).base64EncodedString()
            #expect(seen.authorizationHeader == (method == "client_secret_basic" ? basic : nil))
            #expect(!"\(try issuer.configuration())".contains("cret\""))
        }
    }

    @Test(arguments: Lie.refused)
    func `refuses an issuer that says`(lie: Lie) async throws {
        let fixture = try IssuerFixture()
        try await Issuer(lie).running { issuer in
            let authorization = try fixture.authorization(issuer)
            let error = await #expect(throws: ASAuthorizationError.self) { try await authorization.authorize(request) }
            #expect(error?.code == .failed)
            #expect(error?.localizedDescription.contains("the-code") == false)
            #expect(error?.localizedDescription.contains(lie.refusal) == true)
            #expect(try await authorization.credentialState(forUserID: "ada-1815") == .notFound)
        }
    }

    @Test func `refuses somebody else than the app asked for`() async throws {
        let fixture = try IssuerFixture()
        try await Issuer().running { issuer in
            let error = await #expect(throws: ASAuthorizationError.self) {
                try await fixture.authorization(issuer).authorize(AppleIDRequestValues(user: "grace"))
            }
            #expect(error?.code == .failed)
            #expect(issuer.seen.lastPage.contains("<title>Not signed in") && issuer.seen.second.isEmpty)
        }
    }

    @Test func `does not wait for an issuer that never answers`() async throws {
        let fixture = try IssuerFixture()
        let lie = Lie(testDescription: "silence", instead: { $0 == "discovery" ? .init(isSilent: true) : nil })
        try await Issuer(lie).running { issuer in
            let error = await #expect(throws: ASAuthorizationError.self) {
                try await fixture.authorization(issuer, answerTimeout: .milliseconds(200)).authorize(request)
            }
            #expect(error?.code == .failed)
        }
    }
}

@Suite struct `A code for the app's own service` {
    private let request = AppleIDRequestValues(requestedScopes: ["email"], nonce: "from the service")

    @Test func `is a second one, for the same person, of which the service gets all that it needs`() async throws {
        let fixture = try IssuerFixture()
        try await Issuer().running { issuer in
            let credential = try await fixture.authorization(issuer).authorize(request)
            let (first, second) = (issuer.seen.authorization, issuer.seen.second)
            #expect(credential.authorizationCode == Data("the-second-code".utf8))
            #expect(issuer.seen.tokenForm["code"] == "the-code")
            let exchange = try #require(credential.codeExchange)
            #expect(exchange.redirectURI == first["redirect_uri"] && exchange.redirectURI == second["redirect_uri"])
            let challenge = Base64URL.encode(Array(SHA256.hash(data: Data(exchange.codeVerifier.utf8))))
            #expect(second["code_challenge"] == challenge && second["code_challenge_method"] == "S256")
            #expect(second["code_challenge"] != first["code_challenge"] && second["state"] != first["state"])
            #expect(second["prompt"] == "none" && first["prompt"] == nil)
            #expect(second["id_token_hint"].map { Data($0.utf8) } == credential.identityToken)
            for name in ["response_type", "client_id", "scope"] { #expect(second[name] == first[name]) }
            #expect(second["nonce"] == "from the service")
            #expect(!"\(exchange)".contains(exchange.codeVerifier))
        }
    }

    @Test func `has no nonce that the app does not know, and no hint that makes the address too long`() async throws {
        let fixture = try IssuerFixture()
        let lie = Lie(
            testDescription: "much",
            claims: { $0["more"] = .string(String(repeating: "a", count: 4096)) }
        )
        try await Issuer(lie).running { issuer in
            let credential = try await fixture.authorization(issuer).authorize(AppleIDRequestValues())
            #expect(credential.authorizationCode != nil)
            #expect(issuer.seen.second["nonce"] == nil && issuer.seen.second["id_token_hint"] == nil)
        }
    }

    @Test(arguments: Lie.withoutSecondCode)
    func `is missing, and the sign-in succeeds, if the issuer says`(lie: Lie) async throws {
        let fixture = try IssuerFixture()
        try await Issuer(lie).running { issuer in
            let credential = try await fixture.authorization(issuer).authorize(request)
            #expect(credential.user == "ada-1815" && credential.email != nil)
            #expect(credential.authorizationCode == nil && credential.codeExchange == nil)
            #expect(issuer.seen.pages == [303, 303, 200])
            #expect(issuer.seen.lastPage.contains("<title>Signed in"))
        }
    }

    @Test(arguments: Lie.withoutSecondAnswer)
    func `is not waited for any longer if the issuer says`(lie: Lie) async throws {
        let fixture = try IssuerFixture()
        try await Issuer(lie).running { issuer in
            let credential =
                try await fixture
                .authorization(issuer, secondCodeTimeout: .milliseconds(300))
                .authorize(request)
            #expect(credential.user == "ada-1815" && credential.authorizationCode == nil)
        }
    }

    @Test func `is not waited for if the app cancels`() async throws {
        let fixture = try IssuerFixture()
        try await Issuer(Lie.withoutSecondAnswer[0]).running { issuer in
            let authorization = try fixture.authorization(issuer)
            let task = Task { try await authorization.authorize(request) }
            await issuer.secondRequests.first { true }
            task.cancel()
            #expect(await code(of: { _ = try await task.value }) == .canceled)
        }
    }
}

@Suite struct `What the issuer says beside the identity token` {
    private let request = AppleIDRequestValues(requestedScopes: ["name", "email"])

    private static func lie(without claims: [String], _ answer: Issuer.Answer? = nil) -> Lie {
        Lie(
            testDescription: "less",
            discovery: { $0["userinfo_endpoint"] = .string($1 + "/userinfo") },
            claims: { members in for name in claims { members[name] = nil } },
            instead: { $0 == "userinfo" ? answer : nil }
        )
    }

    @Test func `is the name and the address, if the app asks for them and the token does not say`() async throws {
        let fixture = try IssuerFixture()
        try await Issuer(Self.lie(without: ["email", "given_name", "family_name"])).running { issuer in
            let credential = try await fixture.authorization(issuer).authorize(request)
            #expect(credential.fullName?.givenName == "Countess Ada" && credential.fullName?.familyName == nil)
            #expect(credential.email == "ada@elsewhere.example")
            #expect(Set(credential.authorizedScopes) == ["name", "email"])
            #expect(issuer.seen.bearer == "Bearer for-userinfo")
        }
        try await Issuer(Self.lie(without: ["email"])).running { issuer in
            let credential = try await fixture.authorization(issuer).authorize(request)
            #expect(credential.fullName?.givenName == "Ada" && credential.email == "ada@elsewhere.example")
        }
    }

    @Test(arguments: [["email"], []])
    func `is not asked for if nothing is missing`(scopes: [String]) async throws {
        let fixture = try IssuerFixture()
        let lie = Self.lie(without: scopes.isEmpty ? ["email"] : ["given_name", "family_name"])
        try await Issuer(lie).running { issuer in
            _ = try await fixture.authorization(issuer).authorize(AppleIDRequestValues(requestedScopes: scopes))
            #expect(issuer.seen.bearer == nil)
        }
    }

    @Test(arguments: [
        Issuer.Answer(status: .serviceUnavailable), Issuer.Answer(body: Array("[]".utf8)),
        Issuer.Answer(headers: [("content-type", "text/html")], body: Array(#"{"sub":"ada-1815","email":"a@b"}"#.utf8)),
    ])
    func `is left out if it cannot be read`(answer: Issuer.Answer) async throws {
        let fixture = try IssuerFixture()
        try await Issuer(Self.lie(without: ["email"], answer)).running { issuer in
            let credential = try await fixture.authorization(issuer).authorize(request)
            #expect(credential.user == "ada-1815" && credential.email == nil && credential.fullName != nil)
            #expect(issuer.seen.bearer != nil)
        }
    }

    @Test func `is asked for with a token that is one`() async throws {
        let fixture = try IssuerFixture()
        var lie = Self.lie(without: ["email"])
        lie.accessToken = "two\r\nlines: here"
        try await Issuer(lie).running { issuer in
            let credential = try await fixture.authorization(issuer).authorize(request)
            #expect(credential.email == nil && issuer.seen.bearer == nil)
        }
    }
}

@Suite struct `The way back from the issuer` {
    private let request = AppleIDRequestValues()

    @Test func `is closed to answers with another state, which change nothing`() async throws {
        let fixture = try IssuerFixture()
        try await Issuer().running { issuer in
            let authorization = try fixture.authorization(issuer) { url in
                let asked = try #require(try await issuer.follow(url))
                let redirect = asked["redirect_uri"] ?? ""
                try await issuer.comeBack(["code": "forged", "state": "guessed"], to: redirect)
                try await issuer.comeBack(["code": "forged"], to: redirect)
                try await issuer.comeBack(
                    ["code": "forged", "state": asked["state"] ?? ""],
                    to: redirect + "/elsewhere"
                )
                let true_ = ["code": "the-code", "state": asked["state"] ?? "", "iss": issuer.address]
                try await issuer.comeBack(true_, to: redirect, host: "attacker.example")
                try await issuer.comeBack(true_, to: redirect)
            }
            let credential = try await authorization.authorize(request)
            #expect(credential.user == "ada-1815")
            #expect(issuer.seen.pages == [303, 404, 404, 404, 404, 303, 200])
            #expect(issuer.seen.tokenForm["code"] == "the-code")
        }
    }

    @Test func `leads to the issuer once`() async throws {
        let fixture = try IssuerFixture()
        try await Issuer().running { issuer in
            let authorization = try fixture.authorization(issuer) { url in
                let asked = try #require(try await issuer.follow(url))
                #expect(try await issuer.follow(url) == nil)
                #expect(!url.contains(asked["state"] ?? "?"))
                try await issuer.comeBack(
                    ["code": "the-code", "state": asked["state"] ?? "", "iss": issuer.address],
                    to: asked["redirect_uri"] ?? ""
                )
            }
            _ = try await authorization.authorize(request)
            #expect(issuer.seen.pages == [303, 404, 303, 200])
        }
    }

    @Test func `ends when the person declines`() async throws {
        let fixture = try IssuerFixture()
        let lie = Lie(
            testDescription: "declined",
            answer: {
                $0["code"] = nil
                $0["error"] = "access_denied"
            }
        )
        try await Issuer(lie).running { issuer in
            let error = await #expect(throws: ASAuthorizationError.self) {
                try await fixture.authorization(issuer).authorize(request)
            }
            #expect(error?.code == .canceled)
            #expect(issuer.seen.lastPage.contains("<title>Not signed in"))
        }
    }

    @Test func `ends when nobody comes back in time, or no browser opens`() async throws {
        let fixture = try IssuerFixture()
        try await Issuer().running { issuer in
            let late = try fixture.authorization(issuer, personTimeout: .milliseconds(50)) { _ in }
            #expect(await code(of: { _ = try await late.authorize(request) }) == .canceled)
            let closed = try fixture.authorization(issuer) { _ in throw ASAuthorizationError(.notHandled) }
            #expect(await code(of: { _ = try await closed.authorize(request) }) == .notHandled)
        }
    }

    @Test func `is shut when the app cancels`() async throws {
        let fixture = try IssuerFixture()
        try await Issuer().running { issuer in
            let (opened, inbox) = AsyncStream.makeStream(of: String.self)
            let authorization = try fixture.authorization(issuer) { url in inbox.yield(url) }
            let task = Task { try await authorization.authorize(request) }
            let url = await opened.first { _ in true } ?? ""
            task.cancel()
            #expect(await code(of: { _ = try await task.value }) == .canceled)
            #expect(try await Browser.get(url).status == 0)
        }
    }
}

@Suite struct `Which issuer` {
    @Test(arguments: [
        "http://id.example.com", "https://", "https://id.example.com/?a=b", "https://id.example.com#x",
        "https://user@id.example.com", "ftp://id.example.com", "https://id.example.com\\@evil.example",
        "id.example.com", "",
        "http://localhost.example.com",
    ])
    func `is not an address but https`(issuer: String) {
        #expect(code { _ = try OpenIDConnectConfiguration(issuer: issuer, clientID: "shiny") } == .notHandled)
    }

    @Test func `stands in a file that others may not read when it holds a secret`() throws {
        let fixture = try IssuerFixture()
        let path = fixture.folder + "/openid-connect.json"
        #expect(try OpenIDConnectConfiguration.read(from: path) == nil)
        func write(_ text: String, _ mode: Int) {
            _ = FileManager.default.createFile(
                atPath: path,
                contents: Data(text.utf8),
                attributes: [.posixPermissions: mode]
            )
        }
        write(#"{"issuer": "https://id.example.com", "clientID": "shiny"}"#, 0o644)
        #expect(try OpenIDConnectConfiguration.read(from: path)?.issuer == "https://id.example.com")
        try FileManager.default.removeItem(atPath: path)
        write(#"{"issuer": "https://id.example.com", "clientID": "shiny", "clientSecret": "x"}"#, 0o644)
        #expect(code { _ = try OpenIDConnectConfiguration.read(from: path) } == .notHandled)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try OpenIDConnectConfiguration.read(from: path)?.clientID == "shiny")
        write("{", 0o600)
        #expect(code { _ = try OpenIDConnectConfiguration.read(from: path) } == .notHandled)
    }
}
