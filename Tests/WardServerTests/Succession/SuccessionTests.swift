import Testing
import WardAccounts
import WardCOSE
import WardServer
import WardTesting
import WardWebAuthn

@Suite struct `The change-over to a better algorithm, as a value` {
    private static let effects = TestEffects()
    private static let list: [COSEAlgorithmIdentifier] = [.mlDSA65, .es256, .edDSA]
    private static let now: Int64 = 1_700_000_000
    private static let ada = AccountID.random(using: effects.randomBytes)
    private static let eve = AccountID.random(using: effects.randomBytes)

    private static func passkey(
        _ algorithm: COSEAlgorithmIdentifier = .es256,
        of account: AccountID = ada
    ) throws -> Passkey {
        let record = CredentialRecord(
            id: try #require(CredentialID(effects.randomBytes(32))),
            userHandle: try #require(UserHandle(effects.randomBytes(64))),
            publicKey: try COSEPrivateKey.generate(algorithm).publicKey.encoded,
            signCount: 0,
            uvInitialized: true,
            transports: [.internal],
            backupEligible: true,
            backedUp: true,
            aaguid: try #require(AAGUID([UInt8](1...16))),
            attestationFormat: "none",
            rpID: "localhost"
        )
        return Passkey(record, of: account, named: "Passkey", createdAt: now)
    }

    private static func session(of passkey: Passkey) -> Session {
        Session(
            id: .random(using: effects.randomBytes),
            tokenHash: effects.randomBytes(32),
            accountID: ada,
            createdAt: now - 300,
            authenticatedAt: now - 300,
            method: .passkey,
            passkeyProof: PasskeyProof(by: passkey.record.id, at: now - 300),
            lastSeenAt: now,
            idleExpiresAt: nil,
            expiresAt: now + 1,
            userAgent: ""
        )
    }

    @Test func `a session of the last five minutes that a passkey with a worse algorithm opened may create one`() throws
    {
        let passkey = try Self.passkey(.edDSA)
        let session = Self.session(of: passkey)
        let succession = try #require(
            Succession(in: session, of: passkey, choosingFrom: Self.list, at: Self.now)
        )
        #expect(succession.algorithms == [.mlDSA65, .es256])
        #expect(succession.predecessor == passkey)
    }

    @Test func `every condition is needed`() throws {
        let passkey = try Self.passkey()
        let best = try Self.passkey(.mlDSA65)
        func refuses(
            _ title: Comment,
            _ passkey: Passkey?,
            at now: Int64 = Self.now,
            change: (inout Session) -> Void = { _ in }
        ) throws {
            var session = Self.session(of: try passkey ?? Self.passkey())
            change(&session)
            #expect(Succession(in: session, of: passkey, choosingFrom: Self.list, at: now) == nil, title)
        }
        try refuses("older than five minutes", passkey, at: Self.now + 1)
        try refuses("from the future", passkey, at: Self.now - 301)
        try refuses("opened by a password", passkey) { $0.method = .password }
        try refuses("opened by an unknown passkey", passkey) { $0.passkeyProof = nil }
        try refuses("verified nobody", passkey) { $0.passkeyProof?.userVerified = false }
        try refuses("another passkey than the session's", passkey) { $0.passkeyProof?.credentialID = best.record.id }
        try refuses("a passkey of another account", try Self.passkey(of: Self.eve))
        try refuses("the passkey is deleted", nil)
        try refuses("the passkey has the best algorithm", best)
        var damaged = passkey
        damaged.record.publicKey = [1, 2, 3]
        try refuses("the passkey has no key that can be read", damaged)
    }

    @Test func `only the algorithms before a passkey's own are better, and nobody is moved back from ML-DSA`() {
        #expect(Succession.better(than: .es256, in: Self.list) == [.mlDSA65])
        #expect(Succession.better(than: .mlDSA65, in: Self.list) == [])
        #expect(Succession.better(than: .es384, in: Self.list) == Self.list, "an algorithm that is no longer asked for")
        #expect(Succession.better(than: .mlDSA65, in: [.es256, .rs256]) == [])
        #expect(Succession.better(than: .mlDSA65, in: [.es256, .mlDSA87, .mlDSA65]) == [.mlDSA87])
        #expect(Succession.better(than: nil, in: Self.list) == [])
    }

    @Test func `a passkey is retired only by its successor, on the same kind of authenticator`() throws {
        let first = try Self.passkey()
        var second = try Self.passkey(.mlDSA65)
        second.succeeds = first.record.id
        let pair = (second, first)
        #expect(Succession.retires(pair.0, pair.1))
        func keeps(_ title: Comment, _ change: (inout Passkey, inout Passkey) throws -> Void) rethrows {
            var (new, old) = pair
            try change(&new, &old)
            #expect(!Succession.retires(new, old), title)
        }
        keeps("it succeeds none") { new, _ in new.succeeds = nil }
        try keeps("it succeeds another one") { new, _ in new.succeeds = try Self.passkey().record.id }
        keeps("it succeeds itself") { new, old in
            new.succeeds = new.record.id
            old = new
        }
        keeps("of another account") { _, old in old.accountID = Self.eve }
        keeps("another model") { new, _ in new.record.aaguid = AAGUID([UInt8](2...17)) ?? .zero }
        keeps("an unknown model") { new, old in
            new.record.aaguid = .zero
            old.record.aaguid = .zero
        }
        keeps("synced, and the old one is not") { _, old in old.record.backupEligible = false }
        keeps("not synced, and the old one is") { new, _ in new.record.backupEligible = false }
        let model = VerifiedModel(aaguid: first.record.aaguid, format: "packed", verifiedAt: Self.now)
        keeps("it proves no model, and the old one does") { _, old in old.verifiedModel = model }
        var (newer, older) = pair
        (newer.verifiedModel, older.verifiedModel) = (model, model)
        #expect(Succession.retires(newer, older))
        keeps("it can never verify the person") { new, old in
            new.record.backupEligible = false
            old.record.backupEligible = false
            new.record.uvInitialized = false
        }
    }

    @Test func `a successor takes over the name, unless it has one of its own`() throws {
        var (old, new) = (try Self.passkey(), try Self.passkey(.mlDSA65))
        old.name = "Ward"
        for (name, taken) in [
            ("Ward 2", "Ward"), ("Ward 12", "Ward"), ("Ward", nil), ("Ward ", nil), ("Ward 2 at home", nil),
            ("Laptop", nil), ("Warden 2", nil), ("Ward ٢", nil), ("Ward 2026", nil),
        ] as [(String, String?)] {
            new.name = name
            #expect(Succession.name(of: new, after: old) == taken, "\(name)")
        }
    }
}
