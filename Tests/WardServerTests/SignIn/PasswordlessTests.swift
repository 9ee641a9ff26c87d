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

    @Test func `a password that nobody used for 90 days is offered for removal, while a passkey was used`() async throws
    {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            ada.authenticator.behaviour.isBackedUp = true
            try await ada.register()
            world.effects.advance(by: 90 * 86_400)
            try await ada.signIn()
            #expect(try await ada.get("account")["offersRemoval"] == false, "exactly 90 days are not over")
            world.effects.advance(by: 1)
            #expect(try await ada.get("account")["offersRemoval"] == true)
            let browser = world.visitor()
            try await browser.signIn("ada", password: Visitor.password)
            #expect(try await browser.get("account")["offersRemoval"] == false, "it is used")
            world.effects.advance(by: 91 * 86_400)
            let quiet = world.visitor()
            try await quiet.signIn("ada", password: Visitor.password)
            world.effects.advance(by: 1)
            #expect(try await quiet.get("account")["offersRemoval"] == false, "no passkey was used")
        }
    }
}
