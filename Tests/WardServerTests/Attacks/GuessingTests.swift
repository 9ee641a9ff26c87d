import HTTPTypes
import Synchronization
import Testing
import WardServer
import WardTesting

/// Somebody who guesses passwords behind a proxy, from as many addresses as they like.
@Suite struct `Somebody who guesses passwords` {
    private static var behindProxy: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.trustedProxies = ["unix"]
        return configuration
    }

    private static func stranger(_ world: ServiceFixture, _ address: String) -> Visitor {
        let visitor = world.visitor()
        visitor.forwardedFor = address
        return visitor
    }

    private static func guess(_ name: String, _ world: ServiceFixture, from address: String) async throws -> Answer {
        try await stranger(world, address).signIn(name, password: "a wrong guess")
    }

    @Test func `from 200 addresses has ten tries for a name, as from one`() async throws {
        try await withService(Self.behindProxy) { world in
            try await world.visitor().create("ada")
            var refusals: [String: Int] = [:]
            for number in 0..<200 {
                refusals[try await Self.guess("ada", world, from: "198.51.100.\(number)").refusal, default: 0] += 1
            }
            #expect(refusals == ["401 sign_in_failed": 10, "429 too_many_attempts": 190])
            // Without an account it is the same.
            refusals = [:]
            for number in 0..<20 {
                refusals[try await Self.guess("nobody", world, from: "203.0.113.\(number)").refusal, default: 0] += 1
            }
            #expect(refusals == ["401 sign_in_failed": 10, "429 too_many_attempts": 10])
        }
    }

    @Test func `for a week cannot keep out the owner, in a browser that signed in before`() async throws {
        try await withService(Self.behindProxy) { world in
            let ada = Self.stranger(world, "192.0.2.1")
            try await ada.create("ada")
            for half in 0..<14 {
                // Until the name has to wait.
                for _ in 0..<12 { _ = try await Self.guess("ada", world, from: "198.51.100.7") }
                let held = try await Self.guess("ada", world, from: "198.51.100.8")
                #expect(held.refusal == "429 too_many_attempts")
                #expect((held.headers[.retryAfter].flatMap { Int($0) } ?? 0) > 0)
                #expect(try await ada.signIn("ada", password: Visitor.password).status == .ok, "\(half)")
                // Less than a day, so that nothing is forgotten.
                world.effects.advance(by: 43_000)
            }
        }
    }

    @Test func `finds the counts after a restart, and in a second process`() async throws {
        let store = MemoryAccountStore()
        try await withService(store: store) { world in
            try await world.visitor().create("ada")
            for _ in 0..<7 { #expect(try await Self.guess("ada", world, from: "").refusal == "401 sign_in_failed") }
        }
        try await withService(store: store) { world in
            let nobody = try await world.visitor().signIn("nobody", password: Visitor.password)
            #expect(nobody.refusal == "401 sign_in_failed")
            for _ in 0..<3 { #expect(try await Self.guess("ada", world, from: "").refusal == "401 sign_in_failed") }
            #expect(try await Self.guess("ada", world, from: "").refusal == "429 too_many_attempts")
            #expect(try await world.visitor().signIn("ada", password: Visitor.password).status.code == 429)
        }
    }

    @Test func `from one address is limited for all names together, whatever it claims`() async throws {
        var limits = Limits()
        limits.perAddress = .rate(atOnce: 3, perHour: 60)
        try await withService(Self.behindProxy, tryLimits: limits) { world in
            let ada = Self.stranger(world, "192.0.2.1")
            try await ada.create("ada")
            for (number, address) in ["192.0.2.1", "8.8.8.8, 192.0.2.1", "10.0.0.1, 192.0.2.1"].enumerated() {
                #expect(try await Self.guess("n\(number)", world, from: address).refusal == "401 sign_in_failed")
            }
            let limited = try await Self.guess("other", world, from: "1.1.1.1, 192.0.2.1")
            #expect(limited.refusal == "429 too_many_requests" && limited.headers[.retryAfter] == "60")
            #expect(try await Self.guess("other", world, from: "192.0.2.2").refusal == "401 sign_in_failed")
            // A right password of a browser that is not known waits too; the owner's own browser does not.
            let elsewhere = Self.stranger(world, "192.0.2.1")
            #expect(try await elsewhere.signIn("ada", password: Visitor.password).refusal == "429 too_many_requests")
            #expect(try await ada.signIn("ada", password: Visitor.password).status == .ok)
            world.effects.advance(by: 60)
            #expect(try await elsewhere.signIn("ada", password: Visitor.password).status == .ok)
        }
    }

    @Test func `from one IPv6 network is one client`() async throws {
        var limits = Limits()
        limits.perAddress = .rate(atOnce: 3, perHour: 60)
        try await withService(Self.behindProxy, tryLimits: limits) { world in
            for number in 0..<3 {
                let address = "2001:db8:0:ab\(number)\(number)::\(number)"
                let guess = try await Self.guess("n\(number)", world, from: address)
                #expect(guess.refusal == "401 sign_in_failed")
            }
            let limited = try await Self.guess("n4", world, from: "2001:db8:0:abff:ffff::1")
            #expect(limited.refusal == "429 too_many_requests")
            #expect(try await Self.guess("n5", world, from: "2001:db8:0:ac00::1").refusal == "401 sign_in_failed")
        }
    }

    @Test func `from everywhere is limited altogether, and known browsers go on`() async throws {
        var limits = Limits()
        limits.overall = .rate(atOnce: 4, perHour: 3_600)
        try await withService(tryLimits: limits) { world in
            let ada = world.visitor()
            try await ada.create("ada")
            // A right password takes itself back.
            for _ in 0..<6 { try await world.visitor().signIn("ada", password: Visitor.password) }
            for number in 0..<4 {
                #expect(try await Self.guess("n\(number)", world, from: "").refusal == "401 sign_in_failed")
            }
            #expect(try await Self.guess("n5", world, from: "").refusal == "429 too_many_requests")
            #expect(try await ada.signIn("ada", password: Visitor.password).status == .ok)
            world.effects.advance(by: 2)
            #expect(try await Self.guess("n6", world, from: "").refusal == "401 sign_in_failed")
        }
    }

    @Test func `is not limited by address where nobody said which proxies there are`() async throws {
        var limits = Limits()
        limits.perAddress = .rate(atOnce: 1, perHour: 1)
        limits.newAccounts = .rate(atOnce: 1, perHour: 1)
        try await withService(tryLimits: limits) { world in
            for number in 0..<3 {
                let guess = try await Self.guess("n\(number)", world, from: "192.0.2.1")
                #expect(guess.refusal == "401 sign_in_failed")
                let made = try await world.visitor().create("p\(number)")
                #expect(made.status == .created)
            }
        }
    }

    @Test func `with a stolen cookie of a browser has ten tries as well, and holds up nobody else`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            let thief = world.visitor()
            thief.device = ada.device
            for _ in 0..<10 {
                #expect(try await thief.signIn("ada", password: "a wrong guess").refusal == "401 sign_in_failed")
            }
            #expect(try await thief.signIn("ada", password: "a wrong guess").refusal == "429 too_many_attempts")
            #expect(try await world.visitor().signIn("ada", password: Visitor.password).status == .ok)
            // It lets nobody in.
            #expect(try await !thief.isSignedIn())
        }
    }

    @Test func `gains nothing by a browser's cookie of another account, of another service, or of their own making`()
        async throws
    {
        let elsewhere = Box()
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            elsewhere.device.withLock { $0 = ada.device }
        }
        try await withService { world in
            let ada = world.visitor()
            try await ada.create("ada")
            let eve = world.visitor()
            try await eve.create("eve")
            for _ in 0..<10 { _ = try await Self.guess("ada", world, from: "") }
            let own = try #require(ada.device)
            let other = elsewhere.device.withLock { $0 }
            let changed = String(own.dropLast(2)) + (own.hasSuffix("AA") ? "BB" : "AA")
            for device in [
                eve.device, other, changed, "ward-device=", "ward-device=....", "ward-device=AAAA",
            ] {
                eve.device = device
                #expect(try await eve.signIn("ada", password: "a wrong guess").refusal == "429 too_many_attempts")
            }
            // A browser that more than one person uses is known to each of them.
            eve.device = ada.device
            try await eve.signIn("eve", password: Visitor.password)
            #expect(try await eve.signIn("ada", password: Visitor.password).status == .ok)
        }
    }

    private final class Box: Sendable { let device = Mutex<String?>(nil) }

    @Test func `finds no cookie of a browser that scripts can read, and none that ends soon`() async throws {
        var configuration = ServerConfiguration(rpID: "example.com", origins: ["https://example.com"])
        configuration.trustedProxies = ["none"]
        try await withService(configuration) { world in
            let made = try await world.visitor().register("ada")
            let cookie = try #require(made.headers[values: .setCookie].last)
            #expect(cookie.hasPrefix("__Host-ward-device="))
            #expect(cookie.hasSuffix("; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax; Secure"))
        }
    }
}

@Suite struct `New accounts from one address` {
    private static var behindProxy: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.trustedProxies = ["unix"]
        return configuration
    }

    @Test func `are limited, with a passkey and with a password, for free names and for taken ones`() async throws {
        var limits = Limits()
        limits.newAccounts = .rate(atOnce: 3, perHour: 60)
        try await withService(Self.behindProxy, tryLimits: limits) { world in
            func visitor(_ address: String) -> Visitor {
                let visitor = world.visitor()
                visitor.forwardedFor = address
                return visitor
            }
            #expect(try await visitor("192.0.2.1").register("ada").status == .created)
            #expect(try await visitor("8.8.8.8, 192.0.2.1").create("bob").status == .created)
            #expect(try await visitor("192.0.2.1").create("bob").refusal == "409 username_taken")
            let limited = try await visitor("192.0.2.1").create("carol")
            #expect(limited.refusal == "429 too_many_requests" && limited.headers[.retryAfter] == "60")
            #expect(try await visitor("192.0.2.1").register("carol").refusal == "429 too_many_requests")
            // Somebody else can, and who is there already adds passkeys.
            let carol = visitor("192.0.2.2")
            #expect(try await carol.register("carol").status == .created)
            carol.forwardedFor = "192.0.2.1"
            carol.authenticator = VirtualAuthenticator(origin: world.origins[0])
            #expect(try await carol.register().status == .created)
            world.effects.advance(by: 60)
            #expect(try await visitor("192.0.2.1").register("dora").status == .created)
        }
    }
}
