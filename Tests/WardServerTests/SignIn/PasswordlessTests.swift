import HTTPTypes
import Testing
import WardTesting
import WardText

@Suite struct `The way from a password to passkeys alone` {
    @Test func `each step is named until it is done`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            #expect(try await ada.get("account")["passwordless"] == ["done": [], "next": "passkey"])
            ada.authenticator.behaviour.isBackedUp = false
            try await ada.register()
            #expect(try await ada.get("account")["passwordless"] == ["done": ["passkey"], "next": "way_back"])
            try await ada.signIn()
            #expect(try await ada.post("account/recovery-codes").status == .created)
            #expect(
                try await ada.get("account")["passwordless"] == [
                    "done": ["passkey", "way_back"], "next": "no_password",
                ]
            )
            #expect(try await ada.delete("account/password").status == .noContent)
            let end: JSONValue = ["done": ["passkey", "way_back", "no_password"], "next": nil]
            #expect(try await ada.get("account")["passwordless"] == end)
        }
    }

    @Test func `a password stays until a lost passkey would not lock its owner out`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            ada.authenticator.behaviour.isBackedUp = false
            try await ada.register()
            try await ada.signIn()
            #expect(try await ada.delete("account/password").refusal == "409 way_back_needed")
            #expect(try await ada.get("account")["hasPassword"] == true)
            // A second passkey is a way back.
            let phone = world.visitor()
            let start = try await ada.beginRegistration([:])
            let made = try phone.authenticator.create(start.options)
            #expect(try await ada.finishRegistration(start.ceremony, made).status == .created)
            #expect(try await ada.delete("account/password").status == .noContent)
        }
    }

    @Test func `a passkey that its provider keeps is a way back by its backup state`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            ada.authenticator.behaviour.isBackedUp = false
            try await ada.register()
            try await ada.signIn()
            #expect(try await ada.delete("account/password").refusal == "409 way_back_needed")
            ada.authenticator.behaviour.isBackedUp = true
            try await ada.signIn()
            #expect(try await ada.delete("account/password").status == .noContent)
        }
    }
}
