import HTTPTypes
import Testing
import WardText

/// A thief has a device with a passkey and an open session; the owner deletes the passkey elsewhere.
@Suite struct `A stolen device` {
    @Test func `loses its sessions with its passkey, at once, and no other session ends`() async throws {
        try await withService { world in
            let device = world.visitor()
            try await device.create("ada")
            let byPassword = world.visitor()
            try await byPassword.signIn("ada", password: Visitor.password)
            try await device.register()
            let stolen = try #require(try await device.passkeys().first)
            try await device.signIn()
            let phone = world.visitor()
            phone.cookie = device.cookie
            try await phone.register()
            phone.cookie = nil
            try await phone.signIn()
            let second = device.elsewhere()
            try await second.signIn()
            // A password sign-in in that browser keeps the proof, and so ends with the passkey.
            try await second.signIn("ada", password: Visitor.password)

            #expect(try await phone.delete("account/passkeys/\(stolen)").status == .noContent)
            for browser in [device, second] {
                #expect(try await browser.get("account").refusal == "401 not_signed_in")
                #expect(try await browser.post("registration/options").refusal == "401 not_signed_in")
            }
            #expect(try await phone.isSignedIn())
            #expect(try await byPassword.isSignedIn())
        }
    }

    @Test func `a browser that deletes the passkey it signed in with is signed out too`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            try await ada.register()
            try await ada.signIn()
            let id = try #require(try await ada.passkeys().first)
            let answer = try await ada.delete("account/passkeys/\(id)")
            #expect(answer.status == .noContent)
            #expect(ada.cookie == nil, "the answer deletes the cookie")
            #expect(try await world.visitor().signIn("ada", password: Visitor.password).status == .ok)
        }
    }

    @Test func `the list of sessions says which passkey opened each`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let first = try #require(try await ada.passkeys().first)
            let phone = world.visitor()
            phone.cookie = ada.cookie
            try await phone.register()
            phone.cookie = nil
            try await phone.signIn()
            let second = try #require(try await ada.passkeys().first { $0 != first })
            try await ada.put("account/password", ["password": .string(Visitor.password)])
            try await world.visitor().signIn("ada", password: Visitor.password)
            let sessions = try await ada.get("account/sessions")["sessions"]?.arrayValue ?? []
            func passkeys(of method: JSONValue) -> Set<JSONValue> {
                Set(sessions.filter { $0["method"] == method }.compactMap { $0["passkey"] })
            }
            #expect(sessions.count == 3)
            #expect(passkeys(of: "passkey") == [.string(first), .string(second)])
            #expect(passkeys(of: "password") == [.null])
        }
    }
}
