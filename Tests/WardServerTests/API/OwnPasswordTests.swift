import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

@Suite struct `The own password` {
    private let other = "seventeen quiet volcanoes"

    @Test func `is set, changed and removed after a recent sign-in`() async throws {
        try await withService(.shortPasswords) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            #expect(try await ada.delete("account/password").refusal == "404 not_found")
            #expect(try await ada.put("account/password", ["password": "short"]).refusal == "422 password_too_short")
            #expect(
                try await ada.put("account/password", ["password": "ada12345"]).refusal == "422 password_too_common"
            )
            #expect(try await ada.put("account/password", [:]).refusal == "400 malformed_request")
            #expect(try await ada.put("account/password", ["password": .string(Visitor.password)]).status == .noContent)
            #expect(try await world.visitor().signIn("ada", password: Visitor.password).status == .ok)
            #expect(try await ada.put("account/password", ["password": .string(other)]).status == .noContent)
            #expect(try await world.visitor().signIn("ada", password: Visitor.password).status == .unauthorized)
            #expect(try await world.visitor().signIn("ada", password: other).status == .ok)

            world.effects.advance(by: 301)
            for answer in [
                try await ada.put("account/password", ["password": .string(Visitor.password)]),
                try await ada.delete("account/password"),
            ] { #expect(answer.refusal == "403 passkey_sign_in_required") }
            #expect(try await world.visitor().signIn("ada", password: other).status == .ok)
            try await ada.signIn()
            #expect(try await ada.delete("account/password").status == .noContent)
            #expect(try await world.visitor().signIn("ada", password: other).status == .unauthorized)
        }
    }

    @Test func `needs a session and a page of the service`() async throws {
        try await withService { world in
            let stranger = world.visitor()
            #expect(try await stranger.put("account/password", ["password": "x"]).refusal == "401 not_signed_in")
            #expect(try await stranger.delete("account/password").refusal == "401 not_signed_in")
            let ada = world.visitor()
            try await ada.create("ada")
            ada.origin = "https://evil.example"
            for answer in [
                try await ada.put("account/password", ["password": .string(other)]),
                try await ada.delete("account/password"), try await ada.create("eve"),
                try await ada.signIn("ada", password: Visitor.password),
            ] { #expect(answer.refusal == "403 origin_not_allowed") }
        }
    }

    @Test func `changing or removing it ends what it opened elsewhere, and no session of a passkey`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            let thief = world.visitor()
            try await thief.signIn("ada", password: Visitor.password)
            try await ada.put("account/password", ["password": .string(other)])
            #expect(try await !thief.isSignedIn())
            #expect(try await ada.isSignedIn())
            try await ada.register()
            let phone = ada.elsewhere()
            try await phone.signIn()
            try await thief.signIn("ada", password: other)
            try await phone.put("account/password", ["password": .string(Visitor.password)])
            #expect(try await !thief.isSignedIn())
            #expect(try await !ada.isSignedIn())
            #expect(try await phone.isSignedIn())
            try await thief.signIn("ada", password: Visitor.password)
            try await phone.delete("account/password")
            #expect(try await !thief.isSignedIn())
            #expect(try await phone.isSignedIn())
        }
    }

    @Test func `and the passkeys never both go`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            #expect(try await ada.delete("account/password").refusal == "409 password_needed")
            #expect(
                try await world.visitor().signIn("ada", password: Visitor.password).status == .ok,
                "it is still there"
            )
            try await ada.register()
            try await ada.signIn()
            let id = try await ada.passkeys()[0]
            #expect(try await ada.delete("account/passkeys/\(id)").status == .noContent)
            try await ada.signIn("ada", password: Visitor.password)
            #expect(try await ada.delete("account/password").refusal == "409 password_needed")
            ada.authenticator = VirtualAuthenticator(origin: world.origins[0])
            try await ada.register()
            try await ada.signIn()
            #expect(try await ada.delete("account/password").status == .noContent)
            let last = try await ada.passkeys()[0]
            #expect(try await ada.delete("account/passkeys/\(last)").refusal == "409 last_passkey")
        }
    }

    @Test func `of a sign-in that began before it was changed opens nothing`() async throws {
        // The comparison is held up, the password changes, the comparison goes on: with the old record in hand.
        let queue = PasswordQueue(threads: 1, waiting: 4)
        let store = MemoryAccountStore()
        try await withService(store: store, passwordQueue: queue) { world in
            try await world.visitor().create("ada")
            let gate = Gate()
            async let held: Void = queue.perform(for: .address(nil)) { gate.wait() }
            while queue.count < 1 { await Task.yield() }
            async let late = world.visitor().signIn("ada", password: Visitor.password).refusal
            while queue.count < 2 { await Task.yield() }
            try await store.write { tx in
                let account = try tx.account(username: "ada")
                var record = try account.flatMap { try tx.password(of: $0.id) }
                record?.chosenAt += 1
                if let record { try tx.setPassword(record) }
            }
            gate.open()
            try await held
            #expect(try await late == "401 sign_in_failed")
        }
    }
    @Test func `of somebody who signed in long ago costs the service no hash`() async throws {
        let queue = PasswordQueue(threads: 1, waiting: 0)
        try await withService(passwordQueue: queue) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            world.effects.advance(by: 301)
            let gate = Gate()
            async let held: Void = queue.perform(for: .address(nil)) { gate.wait() }
            while queue.count < 1 { await Task.yield() }
            let refusal = try await ada.put("account/password", ["password": .string(Visitor.password)]).refusal
            gate.open()
            try await held
            // There is no place in the queue, and none was asked for.
            #expect(refusal == "403 recent_sign_in_required")
        }
    }

    @Test func `stays as it was if the account gets a passkey while the new one is hashed`() async throws {
        let queue = PasswordQueue(threads: 1, waiting: 4)
        try await withService(passwordQueue: queue) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            let cookie = ada.cookie
            let gate = Gate()
            async let held: Void = queue.perform(for: .address(nil)) { gate.wait() }
            while queue.count < 1 { await Task.yield() }
            async let late = {
                let thief = world.visitor()
                thief.cookie = cookie
                return try await thief.put("account/password", ["password": "a thief's own choice"]).refusal
            }()
            while queue.count < 2 { await Task.yield() }
            try await ada.register()
            // In another browser: the session of the request goes on.
            #expect(try await ada.elsewhere().signIn().status == .ok)
            gate.open()
            try await held
            #expect(try await late == "403 passkey_sign_in_required")
            #expect(try await world.visitor().signIn("ada", password: Visitor.password).status == .ok)
        }
    }
}
