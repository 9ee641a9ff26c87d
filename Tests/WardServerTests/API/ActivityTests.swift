import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

@Suite struct `Recent activity` {
    @Test func `shows what happened to one's own account, newest first, and to no other`() async throws {
        try await withService { world in
            let (ada, bob) = (world.visitor(), world.visitor())
            try await ada.register("ada")
            try await bob.register("bob")
            world.effects.advance(by: 1)
            try await ada.signIn()
            let answer = try await ada.get("account/activity")
            let events = answer["activity"]?.arrayValue ?? []
            #expect(events.map { $0["event"] } == ["signed_in", "signed_in", "account_created"])
            let passkey = try await ada.passkeys().first ?? ""
            #expect(events.map { $0["passkey"] } == Array(repeating: .string(passkey), count: 3))
            #expect(events.map { $0["method"] } == ["passkey", "passkey", .null])
            #expect(events.allSatisfy { $0["actor"] == "owner" })
            #expect(events[0]["time"] != events[1]["time"] && answer["next"] == .null)
            // Random text may have the three letters too.
            let words = answer.text.split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
            #expect(!words.contains("ada") && !answer.text.contains("number"))
            #expect(try await world.visitor().get("account/activity").refusal == "401 not_signed_in")
        }
    }

    @Test func `says in which session each thing was done`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            let other = ada.elsewhere()
            try await other.signIn("ada", password: Visitor.password)
            let session = try await ada.session()
            let second = try await other.session()
            #expect(session != nil && second != nil && session != second)
            try await ada.patch("account", ["displayName": "Ada"])
            try await ada.put("account/password", ["password": "another teapot 41 lanterns"])
            try await ada.register()
            let again = ada.elsewhere()
            try await again.signIn()
            let third = try await again.session()
            try await again.post("sign-out")
            let events = try await ada.activity()
            #expect(
                events == [
                    ["signed_out", third], ["signed_in", third], ["passkey_added", session], ["password_set", session],
                    ["account_renamed", session], ["signed_in", second], ["signed_in", session],
                    ["account_created", nil],
                ]
            )
        }
    }

    @Test func `comes in pages, at most the newest 500 events`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            for name in 1...508 { try await ada.patch("account", ["displayName": .string("Ada \(name)")]) }
            #expect(try await ada.get("account/activity")["activity"]?.arrayValue?.count == 100)
            var (ids, next) = ([JSONValue](), "")
            repeat {
                let answer = try await ada.get("account/activity?limit=99\(next)")
                ids += (answer["activity"]?.arrayValue ?? []).compactMap { $0["id"] }
                next = (answer["next"]?.stringValue).map { "&after=\($0)" } ?? ""
            } while !next.isEmpty && ids.count < 600
            #expect(ids.count == 500 && Set(ids).count == 500)
            for query in ["limit=0", "limit=101", "limit=", "after=1", "after=\(String(repeating: "A", count: 23))"] {
                #expect(try await ada.get("account/activity?\(query)").refusal == "400 malformed_request", "\(query)")
            }
        }
    }

    @Test func `has addresses only if the service keeps them`() async throws {
        for isKept in [false, true] {
            var configuration = ServerConfiguration()
            configuration.trustedProxies = ["unix"]
            configuration.auditsAddresses = isKept
            try await withService(configuration) { world in
                let ada = world.visitor()
                ada.forwardedFor = "10.9.8.7, 192.0.2.1"
                try await ada.register("ada")
                ada.forwardedFor = "2001:db8:1:2345:6789::1"
                try await ada.patch("account", ["displayName": "Ada"])
                try await ada.post("sign-out")
                ada.forwardedFor = nil
                try await ada.signIn()
                let events = try await ada.get("account/activity")["activity"]?.arrayValue ?? []
                let prefix: JSONValue = "2001:db8:1:2300::/56"
                let expected: [JSONValue] = [.null, prefix, prefix, "192.0.2.1", "192.0.2.1"]
                #expect(events.map { $0["address"] } == (isKept ? expected : Array(repeating: .null, count: 5)))
                let bob = world.visitor()
                bob.forwardedFor = "192.0.2.2"
                try await bob.create("bob")
                let more = try await bob.get("account/activity")["activity"]?.arrayValue ?? []
                #expect(more.map { $0["address"] } == Array(repeating: isKept ? "192.0.2.2" : .null, count: 2))
            }
        }
    }

    @Test func `says from which session and address the other sessions were ended`() async throws {
        var configuration = ServerConfiguration()
        configuration.trustedProxies = ["unix"]
        configuration.auditsAddresses = true
        try await withService(configuration) { world in
            let ada = world.visitor()
            ada.forwardedFor = "192.0.2.1"
            try await ada.create("ada")
            let other = ada.elsewhere()
            other.forwardedFor = "192.0.2.2"
            try await other.signIn("ada", password: Visitor.password)
            #expect(try await ada.delete("account/sessions")["ended"] == 1)
            let event = try await ada.get("account/activity")["activity"]?.arrayValue?.first
            #expect(event?["event"] == "sessions_ended" && event?["address"] == "192.0.2.1")
            let session = try await ada.session()
            #expect(session != nil && event?["session"]?.stringValue == session)
            // Without another session nothing ends, and nothing is recorded.
            #expect(try await ada.delete("account/sessions")["ended"] == 0)
            #expect(try await ada.get("account/activity")["activity"]?.arrayValue?.first?["id"] == event?["id"])
        }
    }

    @Test func `gives the list of sessions the addresses that they began from, only if the service keeps them`()
        async throws
    {
        for isKept in [false, true] {
            var configuration = ServerConfiguration()
            configuration.trustedProxies = ["unix"]
            configuration.auditsAddresses = isKept
            try await withService(configuration) { world in
                let ada = world.visitor()
                ada.forwardedFor = "192.0.2.1"
                try await ada.create("ada")
                let other = ada.elsewhere()
                other.forwardedFor = "2001:db8:1:2345:6789::1"
                // The list has the oldest one first.
                world.effects.advance(by: 1)
                try await other.signIn("ada", password: Visitor.password)
                let bob = world.visitor()
                bob.forwardedFor = nil
                try await bob.create("bob")
                let sessions = try await ada.get("account/sessions")["sessions"]?.arrayValue ?? []
                let expected: [JSONValue] = ["192.0.2.1", "2001:db8:1:2300::/56"]
                #expect(sessions.map { $0["address"] } == (isKept ? expected : [.null, .null]))
                #expect(try await bob.get("account/sessions")["sessions"]?.arrayValue?.first?["address"] == .null)
            }
        }
    }

    @Test func `needs proxies to keep addresses`() throws {
        var configuration = ServerConfiguration()
        configuration.auditsAddresses = true
        #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
        configuration.trustedProxies = ["none"]
        try configuration.validate()
    }

    @Test func `says how many wrong passwords came before a sign-in, and strangers add no rows`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            let device = ada.device
            for _ in 0..<4 { try await world.visitor().signIn("ADA", password: "a wrong guess at it") }
            #expect(try await store.read { try $0.auditEnd() }.number == 2)
            // In a browser that signed in before, the wrong passwords have a count of their own.
            try await ada.signIn("ada", password: "a slip of the finger")
            try await ada.signIn("ada", password: Visitor.password)
            try await ada.register()
            try await ada.signIn()
            ada.device = nil
            try await ada.signIn("ada", password: Visitor.password)
            ada.device = device
            try await ada.signIn()
            let events = try await ada.get("account/activity")["activity"]?.arrayValue ?? []
            let signIns = events.filter { $0["event"] == "signed_in" }
            #expect(signIns.map { $0["wrongPasswords"] } == [0, 4, 4, 4, 0])
        }
    }

    @Test func `is part of the export`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let shown = try await ada.get("account/activity")["activity"]
            #expect(shown != nil)
            #expect(try await ada.get("account/export")["activity"] == shown)
        }
    }
}

extension Visitor {
    /// The ID of the own session.
    fileprivate func session() async throws -> String? {
        let sessions = try await get("account/sessions")["sessions"]?.arrayValue ?? []
        return sessions.first { $0["current"] == true }?["id"]?.stringValue
    }

    /// What happened, and in which session.
    fileprivate func activity() async throws -> [[String?]] {
        (try await get("account/activity")["activity"]?.arrayValue ?? []).map {
            [$0["event"]?.stringValue, $0["session"]?.stringValue]
        }
    }
}
