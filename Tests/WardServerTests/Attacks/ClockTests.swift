import HTTPTypes
import Testing
import WardServer
import WardTesting

/// The machine's clock is wrong for a while.
@Suite struct `A clock that jumps` {
    @Test(arguments: [1, 3_600, 20 * 86_400] as [Int64])
    func `back leaves no session from the future that counts as fresh`(seconds: Int64) async throws {
        try await withService { world in
            let (ada, bob) = (world.visitor(), world.visitor())
            try await ada.register("ada")
            try await bob.create("bob")
            world.effects.advance(by: -seconds)
            #expect(try await ada.post("registration/options").refusal == "403 passkey_sign_in_required")
            #expect(try await bob.post("registration/options").refusal == "403 recent_sign_in_required")
            #expect(try await ada.isSignedIn(), "it is still a session")
        }
    }

    @Test func `forward by twenty days and back again ends no session`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            world.effects.advance(by: 20 * 86_400)
            #expect(try await !ada.isSignedIn())
            try await Sweeping.sweep(store, at: world.effects.now)
            world.effects.advance(by: -20 * 86_400)
            #expect(try await ada.isSignedIn())
        }
    }

    @Test func `for good: sessions are swept a month after their end`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            try await world.visitor().register("ada")
            let end = world.effects.now + 14 * 86_400
            #expect(try await Sweeping.sweep(store, at: end + Sweeping.sessionGrace - 1).sessions == 0)
            #expect(try await Sweeping.sweep(store, at: end + Sweeping.sessionGrace).sessions == 1)
        }
    }
}
