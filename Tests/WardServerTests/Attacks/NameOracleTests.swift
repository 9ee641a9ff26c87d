import HTTPTypes
import Synchronization
import Testing
import WardAccounts
import WardRelyingParty
import WardTesting
import WardText
import WardWebAuthn

/// A stranger asks for sign-in options with names, and answers with what anybody can make up.
@Suite struct `A stranger who asks for names` {
    private static let secret = [UInt8](0..<32)

    /// What real accounts of a service have, in parts of 100.
    private static let mixture: [(parts: Int, lists: [[DecoyShapes.Credential]])] = [
        (55, [[.init(idLength: 32, transports: [.hybrid, .internal])]]),
        (20, [[.init(idLength: 20, transports: [])]]),
        (15, [Array(repeating: .init(idLength: 64, transports: [.usb, .nfc]), count: 2)]),
        (10, [Array(repeating: .init(idLength: 16, transports: [.internal]), count: 3)]),
    ]

    /// Fills a store with accounts, each second one with a password only.
    private static func fill(_ store: MemoryAccountStore, accounts: Int) async throws {
        let effects = TestEffects(seed: "accounts")
        try await store.write { tx in
            _ = try tx.insertSecret(named: "decoys", secret)
            for number in 0..<accounts {
                let account = Account(
                    id: .random(using: effects.randomBytes),
                    username: try Username("person\(number)"),
                    displayName: "Person",
                    userHandle: .random(effects.effects),
                    createdAt: 0
                )
                try tx.insert(account)
                guard number.isMultiple(of: 2) else { continue }
                var part = number / 2 % 100
                let list =
                    mixture.first { entry in
                        part -= entry.parts
                        return part < 0
                    }?.lists.first ?? []
                for credential in list {
                    let id = try #require(CredentialID(effects.randomBytes(credential.idLength)))
                    let record = CredentialRecord(
                        id: id,
                        userHandle: account.userHandle,
                        publicKey: [],
                        signCount: 0,
                        uvInitialized: true,
                        transports: credential.transports,
                        backupEligible: false,
                        backedUp: false,
                        aaguid: .zero,
                        attestationFormat: "fido-u2f",
                        rpID: "localhost"
                    )
                    try tx.insert(Passkey(record, of: account.id, named: "Passkey", createdAt: 0))
                }
            }
        }
    }

    private static func shape(of answer: Answer) -> [DecoyShapes.Credential] {
        (answer["publicKey", "allowCredentials"]?.arrayValue ?? []).map { item in
            let transports = item["transports"]?.arrayValue?.compactMap(\.stringValue) ?? []
            return .init(
                idLength: item["id"]?.base64URLValue?.count ?? 0,
                transports: transports.map { AuthenticatorTransport(rawValue: $0) }
            )
        }
    }

    /// Pearson's statistic of two samples.
    private static func chiSquare(
        _ one: [[DecoyShapes.Credential]],
        _ other: [[DecoyShapes.Credential]]
    ) -> (statistic: Double, classes: Int) {
        let classes = Set(one + other)
        let total = Double(one.count + other.count)
        var statistic = 0.0
        for list in classes {
            let both = Double(one.count { $0 == list } + other.count { $0 == list })
            for sample in [one, other] {
                let expected = both * Double(sample.count) / total
                let difference = Double(sample.count { $0 == list }) - expected
                statistic += difference * difference / expected
            }
        }
        return (statistic, classes.count)
    }

    /// 3 degrees of freedom: a chance in 1,000 beyond 16.27.
    private static let critical = 16.27

    @Test func `sees the same distribution for names that exist and names that do not`() async throws {
        let store = MemoryAccountStore()
        try await Self.fill(store, accounts: 600)
        try await withService(store: store) { world in
            let stranger = world.visitor()
            var (known, unknown): ([[DecoyShapes.Credential]], [[DecoyShapes.Credential]]) = ([], [])
            for number in 0..<600 {
                for prefix in ["person", "nobody"] {
                    let answer = try await stranger.post("sign-in/options", ["username": .string("\(prefix)\(number)")])
                    if prefix == "person" {
                        known.append(Self.shape(of: answer))
                    } else {
                        unknown.append(Self.shape(of: answer))
                    }
                }
            }
            let (statistic, classes) = Self.chiSquare(known, unknown)
            #expect(classes == 4)
            #expect(statistic < Self.critical)
            // The measure is sharp enough: other decoys than the service's own fail it.
            let foreign = try #require(DecoyCredentials(secret: Self.secret))
            let guessed = (0..<600).map { foreign.credentials(for: "nobody\($0)").map(DecoyShapes.Credential.init) }
            #expect(Self.chiSquare(known, guessed).statistic > 10 * Self.critical)
        }
    }

    @Test func `sees the same decoys after a restart with more accounts`() async throws {
        let store = MemoryAccountStore()
        try await Self.fill(store, accounts: 100)
        let seen = Mutex<[[JSONValue?]]>([])
        for name in ["late", "later"] {
            try await withService(store: store) { world in
                let stranger = world.visitor()
                var answers: [JSONValue?] = []
                for number in 0..<50 {
                    let answer = try await stranger.post("sign-in/options", ["username": .string("nobody\(number)")])
                    answers.append(answer["publicKey", "allowCredentials"])
                }
                try await stranger.register(name)
                let kept = answers
                seen.withLock { $0.append(kept) }
            }
        }
        let all = seen.withLock { $0 }
        #expect(all[0] == all[1] && Set(all[0]).count == 50)
    }

    @Test func `gets the IDs of an account whose credentials may not be discoverable`() async throws {
        let store = MemoryAccountStore()
        try await Self.fill(store, accounts: 200)
        let ids = try await store.read { tx in
            try tx.account(username: "person0").map { try tx.passkeys(of: $0.id).map(\.record.id.base64URL) } ?? []
        }
        try await withService(store: store) { world in
            let answer = try await world.visitor().post("sign-in/options", ["username": "person0"])
            let listed = answer["publicKey", "allowCredentials"]?.arrayValue?.compactMap { $0["id"]?.stringValue }
            #expect(listed == ids && !ids.isEmpty)
        }
    }

    @Test func `does not learn from a made-up signature that a passkey was never verified`() async throws {
        let store = MemoryAccountStore()
        try await withService(.requiringVerification, store: store) { world in
            let ada = world.visitor()
            try await ada.register("ada")
            // As an earlier version stored it: bound to one device, made without verification.
            try await store.write { tx in
                let account = try #require(try tx.account(username: "ada"))
                var passkey = try #require(try tx.passkeys(of: account.id).first)
                passkey.record.uvInitialized = false
                passkey.record.backupEligible = false
                passkey.record.backedUp = false
                _ = try tx.update(passkey)
            }
            var refusals: [String] = []
            for name in ["ada", "nobody"] {
                refusals.append(try await world.visitor().signInAsStranger(to: name).refusal)
            }
            #expect(refusals == ["401 sign_in_failed", "401 sign_in_failed"])
            // Only the owner, whose signature is right, hears why.
            #expect(try await ada.elsewhere().signIn("ada").code == "user_not_verified")
        }
    }
}
