import HTTPTypes
import Testing
import WardAccounts
import WardTesting
import WardText
import WardWebAuthn

/// Numbers that a seed decides.
private struct Dice {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func roll(_ sides: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(sides))
    }
}

/// An account whose owner takes ways away while somebody with a link and a code on paper recovers it.
private final class Race {
    let name: String
    let world: ServiceFixture
    let store: MemoryAccountStore
    let owner: Visitor
    let lost: Visitor
    let second: Visitor
    private let token: LinkToken
    private var codes: [JSONValue] = []
    private var enrolment: Started<PublicKeyCredentialCreationOptions>?
    private var recovery: Started<PublicKeyCredentialCreationOptions>?
    private var wasProven = false
    /// Whether the recovery added its passkey.
    private(set) var isRecovered = false
    /// Whether it did that without a proof, which must never be.
    private(set) var isUnproven = false

    init(_ seed: Int, _ world: ServiceFixture, _ store: MemoryAccountStore) async throws {
        (name, self.world, self.store) = ("person\(seed)", world, store)
        (owner, lost, second) = (world.visitor(), world.visitor(), world.visitor())
        let token = LinkToken.random(using: world.effects.effects.randomBytes)
        self.token = token
        try await owner.register(name)
        try await owner.signIn()
        codes = try await owner.post("account/recovery-codes")["codes"]?.arrayValue ?? []
        let (name, now) = (self.name, world.effects.now)
        try await store.write { tx in
            let account = try #require(try tx.account(username: name))
            // The password itself is in no schedule, so the hash is of nothing.
            try tx.setPassword(PasswordRecord(accountID: account.id, hash: "none", chosenAt: now))
            try tx.setRecoveryLink(
                RecoveryLink(
                    accountID: account.id,
                    source: .operator,
                    tokenHash: token.hash,
                    createdAt: now,
                    expiresAt: now + RecoveryLink.lifetime,
                    needsProof: true
                )
            )
        }
    }

    /// What the owner does, one call after the other, in any order.
    func ownerActs(_ choice: Int) async throws {
        switch choice {
        case 0: try await owner.delete("account/password")
        case 1: try await owner.delete("account/recovery-codes")
        case 2:
            guard let passkey = try await owner.passkeys().first else { return }
            try await owner.delete("account/passkeys/\(passkey)")
        case 3:
            let answer = try await owner.post("registration/options")
            guard let ceremony = answer["ceremony"]?.stringValue, let options = answer["publicKey"] else { return }
            enrolment = Started(ceremony: ceremony, options: try .init(json: options.serialized))
        case 4:
            guard let enrolment, let made = try? second.authenticator.create(enrolment.options) else { return }
            _ = try await owner.finishRegistration(enrolment.ceremony, made)
        default: try await owner.delete("account/recovery")
        }
    }

    /// What the person with the link does; each call is tried whether the one before worked or not.
    func lostActs(_ choice: Int) async throws {
        let token = JSONValue.string(self.token.text)
        switch choice {
        case 0:
            guard let code = codes.popLast() else { return }
            let body: JSONValue = ["token": token, "method": "recovery_code", "code": code]
            let answer = try await lost.post("recovery/proof", body)
            wasProven = wasProven || answer.status == .ok
        case 1:
            let answer = try await lost.post("registration/options", ["recovery": token])
            guard let ceremony = answer["ceremony"]?.stringValue, let options = answer["publicKey"] else { return }
            recovery = Started(ceremony: ceremony, options: try .init(json: options.serialized))
        default:
            guard let recovery, let made = try? lost.authenticator.create(recovery.options) else { return }
            let answer = try await lost.finishRegistration(recovery.ceremony, made)
            guard answer.status == .created else { return }
            isRecovered = true
            isUnproven = isUnproven || !wasProven
        }
    }

    /// What is left of the account at the end.
    func end() async throws -> (passkeys: [Passkey], hasPassword: Bool) {
        let name = name
        return try await store.read { tx in
            let account = try #require(try tx.account(username: name))
            return (try tx.passkeys(of: account.id), try tx.password(of: account.id) != nil)
        }
    }
}

@Suite struct `Recovery and removal at the same time` {
    private static let lanes = 4

    @Test(arguments: 0..<lanes)
    func `lock nobody out and open nothing without a proof, in 1,000 schedules`(lane: Int) async throws {
        let store = MemoryAccountStore()
        let seeds = Array(stride(from: lane, to: 1_000, by: Self.lanes))
        try await withService(store: store) { world in
            var (recovered, emptied) = (0, 0)
            for seed in seeds {
                var dice = Dice(seed + 1)
                let race = try await Race(seed, world, store)
                for _ in 0..<14 {
                    if dice.roll(2) == 0 {
                        try await race.ownerActs(dice.roll(6))
                    } else {
                        try await race.lostActs(dice.roll(3))
                    }
                }
                let (passkeys, hasPassword) = try await race.end()
                #expect(passkeys.contains { $0.record.uvInitialized } || hasPassword, "\(seed): locked out")
                #expect(!race.isUnproven, "\(seed): opened without a proof")
                if race.isRecovered {
                    recovered += 1
                    // All sessions ended, so the owner has one only if nothing was recovered.
                    #expect(try await !race.owner.isSignedIn(), "\(seed)")
                    #expect(try await race.lost.isSignedIn(), "\(seed)")
                    #expect(
                        passkeys.contains { $0.record.id == race.lost.authenticator.credentials.first?.id },
                        "\(seed)"
                    )
                }
                if !hasPassword { emptied += 1 }
            }
            #expect(recovered > seeds.count / 20 && emptied > seeds.count / 20)
        }
    }
}
