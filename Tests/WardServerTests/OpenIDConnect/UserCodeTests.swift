import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText

/// The code that a person types, and people who guess.
@Suite struct `The code of a device` {
    @Test func `has only letters that are easy to type, each as often as the others`() {
        var state: UInt64 = 1
        var counts: [Character: Int] = [:]
        for _ in 0..<5_000 {
            let code = UserCode { count in
                (0..<count).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return UInt8(truncatingIfNeeded: state >> 56)
                }
            }
            for letter in code.text where letter != "-" { counts[letter, default: 0] += 1 }
        }
        #expect(Set(counts.keys) == Set("BCDFGHJKLMNPQRSTVWXZ"))
        // 2,000 each are expected, give or take 44; without the check of fairness some have 2,200.
        #expect(counts.values.allSatisfy { (1_850...2_150).contains($0) }, "\(counts)")
    }

    @Test(arguments: ["WDJB-MJHT", "wdjbmjht", " w d j b . m j h t ", "WDJB MJHT", "W0D1J2B-MJHT", "ＷＤＪＢーｍｊｈｔ"])
    func `is read as people type it`(text: String) {
        #expect(UserCode(typed: text)?.text == "WDJB-MJHT")
    }

    @Test(arguments: [
        "", "WDJB-MJH", "WDJB-MJHTB", String(repeating: "W", count: 65), "AEIO-UYAE",
        "WDJB-MJHT" + String(repeating: " ", count: 56),
    ])
    func `is eight letters`(text: String) {
        #expect(UserCode(typed: text) == nil)
    }

    @Test func `is guessed a few times by one person, one address, and all people together`() async throws {
        var limits = Limits()
        limits.userCodes = .rate(atOnce: 3, perHour: 1)
        limits.userCodesOfAddress = .rate(atOnce: 5, perHour: 1)
        limits.allUserCodes = .rate(atOnce: 6, perHour: 1)
        try await withProvider(tryLimits: limits, trustedProxies: ["unix"]) { world, store in
            try await store.write { tx in
                var wiki = try #require(try tx.oauthClient(id: "wiki"))
                wiki.allowsDevices = true
                try tx.update(wiki)
            }
            let code = try await ClientFixture(world: world, address: "203.0.113.1").beginDevice().text("user_code")
            func person(_ name: String, at address: String) async throws -> Visitor {
                let visitor = world.visitor()
                visitor.forwardedFor = address
                try await visitor.register(name)
                return visitor
            }
            let ada = try await person("ada", at: "192.0.2.1")
            #expect(try await ada.answerDevice("WDJB", true).code == "user_code_not_valid", "guesses nothing")
            #expect(try await ada.answerDevice("WDJB-MJHT", true).code == "user_code_not_valid")
            // The page counts the same way.
            #expect(try await ada.get("/device?user_code=WDJB-MJHV").text.contains("data-testid=\"device-refusal\""))
            #expect(try await ada.answerDevice("WDJB-MJHW", true).code == "user_code_not_valid")
            #expect(try await ada.answerDevice(code, true).status == .tooManyRequests, "the right one tells nothing")
            let page = try await ada.get("/device?user_code=\(code ?? "")")
            #expect(page.text.contains("data-testid=\"device-refusal\"") && !page.text.contains("The wiki"))

            let bob = try await person("bob", at: "192.0.2.1")
            for _ in 0..<2 { #expect(try await bob.answerDevice("WDJB-MJHT", true).status == .badRequest) }
            #expect(try await bob.answerDevice(code, true).status == .tooManyRequests, "the address")
            let eve = try await person("eve", at: "198.51.100.1")
            #expect(try await eve.answerDevice("WDJB-MJHT", true).status == .badRequest)
            let dan = try await person("dan", at: "203.0.113.9")
            #expect(try await dan.answerDevice(code, true).status == .tooManyRequests, "all people together")
            world.effects.advance(by: 3_600)
            let other = try await ClientFixture(world: world, address: "203.0.113.1").beginDevice().text("user_code")
            #expect(try await dan.answerDevice(other, true).status == .noContent)
        }
    }

    @Test func `is asked only of people who are signed in, and answered only from the service's pages`() async throws {
        try await withProvider { world, _ in
            let stranger = world.visitor()
            let page = try await stranger.get("/device?user_code=WDJB-MJHT&lang=")
            #expect(page.status == .ok && page.text.contains("data-testid=\"sign-in\""))
            #expect(try await stranger.answerDevice("WDJB-MJHT", true).status == .unauthorized)
            let ada = try await world.person()
            #expect(try await ada.get("/device").text.contains("name=\"user_code\""))
            // A page with two codes looks neither of them up.
            let twice = try await ada.get("/device?user_code=WDJB-MJHT&user_code=WDJB-MJHV")
            #expect(!twice.text.contains("data-testid=\"device-refusal\""))
            ada.origin = "https://evil.example"
            #expect(try await ada.answerDevice("WDJB-MJHT", true).status == .forbidden)
            ada.origin = ClientFixture.issuer
            #expect(try await ada.post("device", ["userCode": "WDJB-MJHT"]).status == .badRequest)
            #expect(try await ada.post("device", ["allow": true]).status == .badRequest)
        }
    }
}
