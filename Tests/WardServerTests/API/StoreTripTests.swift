import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText

/// A trip to the store costs as much as checking a signature: nothing makes two where one will do.
@Suite struct `Trips to the store` {
    @Test func `a sign-in is verified in one`() async throws {
        let store = CountingStore(MemoryAccountStore())
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let start = try await ada.beginSignIn()
            let response = try ada.authenticator.get(start.options)
            store.reset()
            #expect(try await ada.finishSignIn(start.ceremony, response).status == .ok)
            #expect(store.trips == ["write": 1])
            #expect(store.counts["update(_:)"] == 1)
        }
    }

    @Test func `so is a registration, and everything else that changes something`() async throws {
        let store = CountingStore(MemoryAccountStore())
        try await withService(store: store) { world in
            let ada = world.visitor()
            store.reset()
            let start = try await ada.beginRegistration(["username": "ada"])
            #expect(store.trips == ["write": 1])
            store.reset()
            #expect(
                try await ada.finishRegistration(start.ceremony, try ada.authenticator.create(start.options)).status
                    == .created
            )
            #expect(store.trips == ["write": 1])
            let id = try await ada.passkeys()[0]
            for (method, path) in [
                ("PATCH", "account/passkeys/\(id)"), ("DELETE", "account/passkeys/\(id)"), ("POST", "sign-out"),
            ] {
                store.reset()
                switch method {
                case "PATCH": try await ada.patch(path, ["name": "Laptop"])
                case "DELETE": try await ada.delete(path)
                default: try await ada.post(path)
                }
                #expect(store.trips == ["write": 1], "\(method) \(path)")
            }
        }
    }

    @Test func `looking at the account only reads`() async throws {
        let store = CountingStore(MemoryAccountStore())
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            store.reset()
            #expect(try await ada.isSignedIn())
            #expect(store.trips == ["read": 1])
        }
    }

    @Test func `a sweep deletes everything that expires, and is not counted`() async throws {
        let store = CountingStore(MemoryAccountStore())
        try await Sweeping.sweep(store, at: 1_000_000_000)
        #expect(store.counts == [:], "a service sweeps at any time")
        #expect(
            store.sweeps.map { String($0.prefix { $0 != "(" }) }.sorted() == [
                "deleteExpiredAttempts", "deleteExpiredCeremonies", "deleteExpiredDeviceAuthorizations",
                "deleteExpiredHelpRequests", "deleteExpiredInvitations", "deleteExpiredMailLinks",
                "deleteExpiredOAuthGrants", "deleteExpiredOAuthTokens", "deleteExpiredSessions", "deleteExpiredUses",
                "deleteSurplusAttempts", "deleteUpgradeCounts",
            ]
        )
    }
}
