import HTTPTypes
import Testing
import WardServer
import WardText

@Suite struct `What the service says about its settings` {
    @Test func `everybody reads the default settings`() async throws {
        try await withService { world in
            let stranger = world.visitor(at: "https://stranger.example")
            let answer = try await stranger.get("configuration")
            #expect(answer.status == .ok)
            let expected: JSONValue = [
                "rpId": "localhost", "rpName": "Ward", "origins": ["http://localhost:8080"],
                "methods": ["passkey": true, "password": true], "identityProviders": [], "mail": false,
                "registration": "open",
                "userVerification": "preferred", "passwordLength": 15, "recentSignIn": 300,
                "sessionIdle": 1_209_600, "sessionAbsolute": 7_776_000,
            ]
            #expect(answer.json == expected)
        }
    }

    @Test func `every setting that a client depends on is followed`() async throws {
        var configuration = ServerConfiguration(
            rpID: "example.com",
            rpName: "Shop",
            origins: ["https://login.example.com", "https://example.com"],
            sessionIdle: .seconds(60),
            sessionAbsolute: .seconds(120),
            acceptsPasswords: false
        )
        configuration.registration = .invite
        configuration.requiresUserVerification = true
        configuration.mail = MailSettings(route: "smtp://mail.example.com", sender: "login@example.com")
        try await withService(configuration) { world in
            let answer = try await world.visitor().get("configuration")
            let expected: JSONValue = [
                "rpId": "example.com", "rpName": "Shop",
                "origins": ["https://login.example.com", "https://example.com"],
                "methods": ["passkey": true, "password": false], "identityProviders": [], "mail": true,
                "registration": "invite",
                "userVerification": "required", "passwordLength": .null, "recentSignIn": 300,
                "sessionIdle": 60, "sessionAbsolute": 120,
            ]
            #expect(answer.json == expected)
        }
        configuration.registration = .closed
        configuration.acceptsPasswords = true
        configuration.passwordLength = 8
        try await withService(configuration) { world in
            let answer = try await world.visitor().get("configuration")
            #expect(answer["registration"] == "closed" && answer["passwordLength"] == 8)
        }
    }
}
