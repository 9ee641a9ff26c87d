import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

@Suite struct `A store in trouble` {
    @Test(arguments: [StoreError(.unavailable, detail: "SQLite 13"), StoreError(.busy)])
    func `that cannot write still shows what is there`(failure: StoreError) async throws {
        let store = CountingStore(MemoryAccountStore())
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            // Long enough that the use of the session would be recorded.
            world.effects.advance(by: 3_600)
            store.failWrites(with: failure)
            for path in ["account", "account/sessions", "account/export", "/account"] {
                #expect(try await ada.get(path).status == .ok, "\(path)")
            }
            store.failWrites(with: nil)
            #expect(try await ada.isSignedIn())
        }
    }

    @Test func `that is busy says when to come again`() async throws {
        let store = CountingStore(MemoryAccountStore())
        try await withService(store: store) { world in
            store.failWrites(with: StoreError(.busy))
            let answer = try await world.visitor().post("sign-in/options", ["username": "ada"])
            #expect(answer.refusal == "503 unavailable")
            #expect(answer.headers[.retryAfter] == "2")
        }
    }

    @Test func `is swept in slices, to the end`() async throws {
        let store = MemoryAccountStore()
        let count = Sweeping.slice * 2 + 7
        try await store.write { tx in
            for index in 0..<count {
                try tx.insert(CeremonyRecord(id: [UInt8(index >> 8), UInt8(index & 0xff)], payload: [], expiresAt: 1))
            }
        }
        #expect(try await Sweeping.sweep(store, at: 2).ceremonies == count)
        #expect(try await store.read { try $0.ceremonyCount() } == 0)
    }
}
