import HTTPTypes
import Testing
import WardAccounts
import WardAttestation
import WardCOSE
import WardServer
import WardTesting
import WardText
import WardWebAuthn

private typealias Fixture = AttestationRuleFixture

/// A passkey whose model nothing proves, and why.
struct Unproven: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let spoil: @Sendable (inout VirtualAuthenticator, AttestationRuleFixture) throws -> Void

    static let all: [Self] = [
        Self(testDescription: "no attestation") { device, _ in
            device.behaviour.aaguid = Fixture.key
            device.faults.registration = { $0 }
        },
        Self(testDescription: "self attestation") { device, _ in
            device.behaviour.aaguid = Fixture.key
            device.behaviour.attestation = .packedSelf
            device.faults.registration = { $0 }
        },
        Self(testDescription: "a root that nobody lists") { device, _ in
            device.attest(as: Fixture.key, with: try AttestationAuthority("Vendor").device())
        },
        Self(testDescription: "a root of another model") { device, fixture in
            device.attest(as: Fixture.key, with: try fixture.rivals.device())
        },
        Self(testDescription: "a certificate that names another model") { device, fixture in
            device.attest(as: Fixture.key, with: try fixture.vendor.device(naming: Fixture.rival))
        },
        Self(testDescription: "a model that is not listed") { device, fixture in
            device.attest(as: Fixture.unlisted, with: try fixture.vendor.device())
        },
        Self(testDescription: "no model") { device, fixture in
            device.attest(as: .zero, with: try fixture.vendor.device())
        },
        Self(testDescription: "a wrong signature") { device, fixture in
            var broken = try fixture.vendor.device()
            broken.isBroken = true
            device.attest(as: Fixture.key, with: broken)
        },
    ]
}

@Suite struct `Rules that ask for attestation` {
    @Test func `count a passkey whose model is proven, and store the proof`() async throws {
        for names in [false, true] {
            try await Fixture.with([["attestation": "verified"]]) { fixture in
                let ada = fixture.world.visitor()
                let device = try fixture.vendor.device(naming: names ? Fixture.key : nil)
                ada.authenticator.attest(as: Fixture.key, with: device)
                let start = try await ada.beginRegistration(["username": "ada"])
                #expect(start.options.attestation == "direct")
                let made = try ada.authenticator.create(start.options)
                #expect(try await ada.finishRegistration(start.ceremony, made).status == .created)
                let now = fixture.world.effects.now
                let proven = VerifiedModel(aaguid: Fixture.key, format: "packed", verifiedAt: now)
                #expect(try await fixture.verifiedModels(of: "ada") == [proven])
                fixture.world.effects.advance(by: 60)
                #expect(try await ada.elsewhere().signIn()["account"] != nil)
                #expect(try await fixture.verifiedModels(of: "ada") == [proven], "a sign-in changes no proof")
                let passkey = try await ada.get("account/export")["passkeys"]?.arrayValue?.first
                #expect(passkey?["verifiedModel"]?["aaguid"]?.stringValue == Fixture.key.description)
            }
        }
    }

    @Test(arguments: Unproven.all)
    func `refuse a passkey whose model nothing proves`(unproven: Unproven) async throws {
        try await Fixture.with([["attestation": "verified"]]) { fixture in
            let ada = try fixture.owner()
            try unproven.spoil(&ada.authenticator, fixture)
            #expect(try await ada.register("ada").refusal == "422 passkey_not_accepted")
            #expect(try await fixture.store.read { try $0.accounts(limit: 9) }.isEmpty)
        }
    }

    @Test(arguments: Unproven.all)
    func `take an unproven passkey before their day, and do not count it from then on`(
        unproven: Unproven
    ) async throws {
        try await Fixture.with([["attestation": "verified", "from": Fixture.day(10)]]) { fixture in
            let (ada, bob) = (try fixture.owner(), try fixture.owner())
            try unproven.spoil(&ada.authenticator, fixture)
            let start = try await ada.beginRegistration(["username": "ada"])
            #expect(start.options.attestation == "direct", "the rule is announced")
            let made = try ada.authenticator.create(start.options)
            #expect(try await ada.finishRegistration(start.ceremony, made).status == .created)
            #expect(try await fixture.verifiedModels(of: "ada") == [nil])
            #expect(try await ada.get("account")["policy", "needs"] == "attested_passkey")
            try await bob.register("bob")
            #expect(try await bob.get("account")["policy"] == .null)

            fixture.world.effects.advance(by: 10 * 86_400)
            #expect(try await bob.elsewhere().signIn()["account"] != nil)
            let begun = try await ada.elsewhere().signIn()
            #expect(begun["next"] == [["method": "new_passkey"]])
            let other = try fixture.owner()
            let enrolment = try await other.beginRegistration(["flow": try #require(begun["flow"])])
            #expect(enrolment.options.attestation == "direct")
            let proven = try other.authenticator.create(enrolment.options)
            #expect(try await other.finishRegistration(enrolment.ceremony, proven).status == .created)
            #expect(try await other.elsewhere().signIn()["account"] != nil)
        }
    }

    @Test func `ask for it only of accounts that they are about`() async throws {
        try await Fixture.with([["groups": ["staff"], "attestation": "verified", "from": Fixture.day(1)]]) { fixture in
            for name in ["ada", "bob"] {
                let visitor = fixture.world.visitor()
                let start = try await visitor.beginRegistration(["username": .string(name)])
                #expect(start.options.attestation == "none", "a new account is in no group")
                let made = try visitor.authenticator.create(start.options)
                #expect(try await visitor.finishRegistration(start.ceremony, made).status == .created)
                if name == "ada" { try await fixture.join("staff", name) }
                try await visitor.signIn()
                let next = try await visitor.beginRegistration([:])
                let expected: AttestationConveyancePreference = name == "ada" ? .direct : .none
                #expect(next.options.attestation == expected)
            }
        }
    }

    @Test(arguments: [
        ("FIDO_CERTIFIED_L1", "L1", true), ("FIDO_CERTIFIED_L1", "L1plus", false), ("FIDO_CERTIFIED_L2", "L1", true),
        ("FIDO_CERTIFIED_L2", "L2plus", false), ("FIDO_CERTIFIED_L3plus", "L3plus", true),
        ("FIDO_CERTIFIED", "FIDO_CERTIFIED", true), ("FIDO_CERTIFIED", "L1", false),
        ("NOT_FIDO_CERTIFIED", "FIDO_CERTIFIED", false),
    ])
    func `can ask for a certification`(status: String, level: String, isEnough: Bool) async throws {
        let rules: JSONValue = [["certification": .string(level)]]
        try await Fixture.with(rules, reports: [(status: status, from: "2023-01-01")]) { fixture in
            let ada = try fixture.owner()
            let answer = try await ada.register("ada")
            #expect(isEnough ? answer.status == .created : answer.refusal == "422 passkey_not_accepted")
            let bob = fixture.world.visitor()
            bob.authenticator.behaviour.aaguid = Fixture.key
            #expect(try await bob.register("bob").refusal == "422 passkey_not_accepted", "it needs a proof too")
        }
    }

    @Test(arguments: [
        ("REVOKED", false), ("USER_VERIFICATION_BYPASS", false), ("ATTESTATION_KEY_COMPROMISE", false),
        ("USER_KEY_REMOTE_COMPROMISE", false), ("USER_KEY_PHYSICAL_COMPROMISE", false), ("UPDATE_AVAILABLE", true),
    ])
    func `do not count a model from the day on which it is reported as unsafe`(status: String, counts: Bool)
        async throws
    {
        let reports = Fixture.certified + [(status: status, from: "2023-11-20")]
        try await Fixture.with([["attestation": "verified"]], reports: reports) { fixture in
            let ada = try fixture.owner()
            try await ada.register("ada")
            #expect(try await ada.elsewhere().signIn()["account"] != nil)
            fixture.world.effects.advance(by: 7 * 86_400)
            let answer = try await ada.elsewhere().signIn()
            #expect(counts ? answer["account"] != nil : answer["next"] == [["method": "new_passkey"]])
            let late = try await fixture.owner().register("bob")
            #expect(counts ? late.status == .created : late.refusal == "422 passkey_not_accepted")
        }
    }

    @Test func `end an open session of a passkey that does not count: after the grace, and when the model is revoked`()
        async throws
    {
        let rules: JSONValue = [["attestation": "verified", "from": Fixture.day(1), "graceDays": 1]]
        let reports = Fixture.certified + [(status: "REVOKED", from: "2023-11-18")]
        try await Fixture.with(rules, reports: reports) { fixture in
            let (proven, unproven) = (try fixture.owner(), fixture.world.visitor())
            try await proven.register("ada")
            try await unproven.register("bob")
            // 2023-11-14 is day 0, so the grace ends with day 1 and the report takes effect on day 4.
            let midnight: (Int64) -> Int64 = { (1_700_000_000 / 86_400 + $0) * 86_400 }
            for (time, isProvenOpen, isUnprovenOpen) in [
                (midnight(2) - 1, true, true), (midnight(2), true, false), (midnight(4) - 1, true, false),
                (midnight(4), false, false),
            ] {
                fixture.world.effects.advance(by: time - fixture.world.effects.now)
                #expect(try await proven.isSignedIn() == isProvenOpen, "\(time)")
                #expect(try await unproven.isSignedIn() == isUnprovenOpen, "\(time)")
            }
        }
    }

    @Test func `and name models count only these, and of these only proven ones`() async throws {
        for (model, isListed) in [(Fixture.key, true), (Fixture.rival, false)] {
            let rules: JSONValue = [
                ["attestation": "verified", "authenticators": .array([.string(model.description)])]
            ]
            try await Fixture.with(rules) { fixture in
                let answer = try await fixture.owner().register("ada")
                #expect(isListed ? answer.status == .created : answer.refusal == "422 passkey_not_accepted")
                let liar = fixture.world.visitor()
                liar.authenticator.behaviour.aaguid = model
                #expect(try await liar.register("bob").refusal == "422 passkey_not_accepted")
            }
        }
    }

    @Test func `keep a proven passkey of a model that another rule without attestation names`() throws {
        var (claimed, proven) = (PasskeyEvidence(), PasskeyEvidence())
        claimed.authenticators = [Fixture.key]
        proven.needsVerifiedModel = true
        proven.certification = .level2
        for both in [claimed.and(proven), proven.and(claimed)] {
            #expect(both.needsVerifiedModel && both.certification == .level2 && both.authenticators == [Fixture.key])
        }
        var stricter = proven
        stricter.certification = .level3
        #expect(proven.and(stricter).certification == .level3 && stricter.and(proven).certification == .level3)
    }

    @Test func `let nobody make a passkey without a prompt, because no browser attests it`() async throws {
        try await Fixture.with([["attestation": "verified", "from": Fixture.day(10)]]) { fixture in
            let ada = fixture.world.visitor()
            try await ada.create("ada")
            let silent: JSONValue = ["mediation": "conditional"]
            #expect(try await ada.post("registration/options", silent).refusal == "422 passkey_not_accepted")
        }
        var configuration = ServerConfiguration()
        configuration.algorithms = try AlgorithmList(settingText: "ML-DSA-65,ES256,RS256")
        try await Fixture.with([["attestation": "verified"]], configuration) { fixture in
            let ada = try fixture.owner()
            ada.authenticator.behaviour.algorithms = [.es256]
            try await ada.register("ada")
            fixture.world.effects.advance(by: 1)
            #expect(try await ada.signIn()["canUpgrade"] == false)
            let silent: JSONValue = ["mediation": "conditional"]
            #expect(try await ada.post("registration/options", silent).refusal == "422 passkey_not_accepted")
        }
    }

    @Test func `are told to the people who run the service, with who is ready`() async throws {
        try await Fixture.with([["attestation": "verified", "from": Fixture.day(10)]]) { fixture in
            try await fixture.owner().register("ada")
            try await fixture.world.visitor().register("bob")
            let signer = try AttestationAuthority("Metadata")
            let models = [
                ListedModel(aaguid: Fixture.key, roots: [fixture.vendor.certificate], reports: Fixture.certified)
            ]
            let now = fixture.world.effects.now
            let anchors = try TrustAnchors(der: [signer.certificate])
            let blob = try MetadataBLOB(verifying: try signer.blob(models), anchors: anchors, at: now)
            let known = KnownModels(blob.entries, at: now)
            let rules: JSONValue = [
                ["attestation": "verified"], ["certification": "L1plus", "passkeys": "device_bound"],
            ]
            let policy = try SignInPolicy(json: ["rules": rules])
            let lines = try await fixture.store.read { tx in
                var report = PolicyReport(policy, known)
                for account in try tx.accounts(limit: 9) { try await report.count(account, in: tx) }
                return report.lines
            }
            #expect(lines.map(\.ready) == [1, 0])
            #expect(lines.map { $0.notReady.sorted() } == [["bob"], ["ada", "bob"]])
            #expect(
                lines.map(\.demand) == [
                    "a passkey, with attestation",
                    "a passkey that stays on one device, with attestation, certified L1+ or higher",
                ]
            )
        }
    }
}
