import HTTPTypes
import Testing
import WardTesting
import WardText
import WardWebAuthn

@Suite struct `Names people give` {
    @Test(arguments: [
        "", " ", "two words", "tab\there", "nul\0", "\u{202e}ada", "a\u{200d}b", String(repeating: "a", count: 65),
    ])
    func `a name no account can have is refused`(name: String) async throws {
        try await withService { world in
            let answer = try await world.visitor().post("registration/options", ["username": .string(name)])
            #expect(answer.refusal == "422 username_not_allowed")
        }
    }

    private static let unfit = ["", " ", "\u{3000}", "a\nb", "a\0", "a\u{7f}", "\u{2028}", "\u{202e}evil", "a\u{2066}"]

    @Test(arguments: unfit + [String(repeating: "x", count: 129)])
    func `a display name that would not show as it is is refused`(name: String) async throws {
        try await withService { world in
            let body: JSONValue = ["username": "ada", "displayName": .string(name)]
            let answer = try await world.visitor().post("registration/options", body)
            #expect(answer.refusal == "422 display_name_not_allowed")
        }
    }

    @Test(arguments: unfit + [String(repeating: "x", count: 65)])
    func `a passkey's name that would not show as it is is refused`(name: String) async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let id = try await ada.passkeys()[0]
            let answer = try await ada.patch("account/passkeys/\(id)", ["name": .string(name)])
            #expect(answer.refusal == "422 passkey_name_not_allowed")
        }
    }

    @Test(arguments: [
        "x", String(repeating: "x", count: 64), "👩‍👩‍👧‍👦", "電話", "a\u{301}", "<script>", "' OR 1=1 --", "\\\"/",
    ])
    func `any other name is kept as it is`(name: String) async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let id = try await ada.passkeys()[0]
            let answer = try await ada.patch("account/passkeys/\(id)", ["name": .string(name)])
            #expect(answer["passkey", "name"] == .string(name))
            let seen = try await ada.get("account")["passkeys"]?.arrayValue?.first?["name"]?.stringValue
            #expect(seen.map { Array($0.utf8) } == Array(name.utf8))
        }
    }

    @Test func `a passkey is called after its maker, with a number where that name is taken`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            for aaguid in ["d548826e-79b4-db40-a3d8-11116f7e8349", "d548826e-79b4-db40-a3d8-11116f7e8349"] {
                ada.authenticator = VirtualAuthenticator(origin: world.origins[0])
                ada.authenticator.behaviour.aaguid = try #require(AAGUID(aaguid))
                try await ada.register()
            }
            let names = try await ada.get("account")["passkeys"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
            #expect(names?.sorted() == ["Bitwarden", "Bitwarden 2", "Passkey"])
            // Whatever it is called later, the account says who keeps it.
            let providers = try await ada.get("account")["passkeys"]?.arrayValue?.map {
                $0["provider"]?.stringValue ?? ""
            }
            #expect(providers?.sorted() == ["", "Bitwarden", "Bitwarden"])
        }
    }

    @Test func `a page names the passkey of a maker that is not known`() async throws {
        try await withService { world in
            let ada = world.visitor()
            let name = "Chromium on Linux, 22 Nov"
            try await ada.register("ada", passkeyName: name)
            for aaguid in ["00000000-0000-0000-0000-000000000000", "d548826e-79b4-db40-a3d8-11116f7e8349"] {
                ada.authenticator = VirtualAuthenticator(origin: world.origins[0])
                ada.authenticator.behaviour.aaguid = try #require(AAGUID(aaguid))
                try await ada.register(passkeyName: name)
            }
            let names = try await ada.get("account")["passkeys"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
            #expect(names?.sorted() == ["Bitwarden", name, "\(name) 2"])
        }
    }

    @Test(arguments: unfit + [String(repeating: "x", count: 65)])
    func `a page's name that would not show as it is is refused before the challenge is used`(name: String) async throws
    {
        try await withService { world in
            let ada = world.visitor()
            let start = try await ada.beginRegistration(["username": "ada"])
            let response = try ada.authenticator.create(start.options)
            let answer = try await ada.finishRegistration(start.ceremony, response, passkeyName: name)
            #expect(answer.refusal == "422 passkey_name_not_allowed")
            #expect(try await ada.finishRegistration(start.ceremony, response).status == .created)
        }
    }

    @Test func `transports nobody can store are the client's fault`() async throws {
        try await withService { world in
            let ada = world.visitor()
            ada.authenticator.behaviour.transports = [AuthenticatorTransport(rawValue: "usb\u{0}")]
            let answer = try await ada.register("ada")
            #expect(answer.refusal == "400 malformed_request")
            ada.authenticator.behaviour.transports = [.internal]
            #expect(try await ada.register("ada").status == .created)
        }
    }
}
