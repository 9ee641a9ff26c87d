import Testing
import WardLog

@testable import WardVault

@Suite struct `A recovery key in a circle` {
    private let fixture: CircleFixture
    private let key: RecoveryKey
    private let other: RecoveryKey
    private let hash = [UInt8](repeating: 9, count: 32)

    init() throws {
        fixture = try CircleFixture()
        key = try RecoveryKey(effects: fixture.environment.effects)
        other = try RecoveryKey(effects: fixture.environment.effects)
    }

    @Test func `has the same public halves whenever it is typed`() throws {
        let recipient = try key.recipient()
        #expect(recipient.id.count == 32 && recipient.suite == 2 && recipient.publicKey.count == 1216)
        #expect(try RecoveryKey(text: key.text).recipient() == recipient)
        #expect(try other.recipient().id != recipient.id)
        #expect(try other.recipient().publicKey != recipient.publicKey)
    }

    @Test func `opens vault keys that are sealed to it`() throws {
        let recipient = try key.recipient()
        let sealed = try fixture.secrets.sealed(to: recipient, vault: fixture.vault, epoch: fixture.epoch)
        func opened(_ key: RecoveryKey) throws -> CircleSecrets? {
            try CircleSecrets.open(
                [sealed],
                for: recipient.id,
                with: key.keyPair(),
                vault: fixture.vault,
                epoch: fixture.epoch
            )
        }
        #expect(try opened(key)?.isSame(as: fixture.secrets) == true)
        #expect(throws: VaultError(.damaged, "")) { try opened(other) }
    }

    @Test func `signs an entry of one vault`() throws {
        let signature = try key.signer().sign(LogEntry.recoveryMessage(hash, vault: fixture.vault))
        let publicKey = try key.recipient().id
        func isValid(_ vault: VaultID, _ hash: [UInt8]) -> Bool {
            let message = LogEntry.recoveryMessage(hash, vault: vault)
            return SignatureScheme.ed25519.isValid(signature, message, publicKey)
        }
        #expect(signature.count == 64 && isValid(fixture.vault, hash))
        #expect(!isValid(VaultID(genesis: [2]), hash) && !isValid(fixture.vault, hash.flipped(at: 0)))
        // A signature of an owner key has another message.
        let owner = LogEntry.ownerMessage(hash, vault: fixture.vault)
        #expect(!SignatureScheme.ed25519.isValid(signature, owner, publicKey))
    }

    /// A server can seal keys to the public half, so a new device asks for more.
    @Test func `proves which circle belongs to it`() throws {
        let proof = key.circleProof(vault: fixture.vault, circle: hash)
        try key.check(circleProofs: [proof], vault: fixture.vault, circle: hash)
        #expect(proof.count == 32)
        var changed: [[UInt8]] = [[], Array(proof.dropLast()), proof + [0]]
        for index in proof.indices { changed.append(proof.flipped(at: index)) }
        // Who knows the passphrase can store others beside it.
        try key.check(circleProofs: changed + [proof], vault: fixture.vault, circle: hash)
        #expect(throws: VaultError(.forgedVault, "")) {
            try key.check(circleProofs: changed, vault: fixture.vault, circle: hash)
        }
        for wrong in changed {
            #expect(throws: VaultError(.forgedVault, "")) {
                try key.check(circleProofs: [wrong], vault: fixture.vault, circle: hash)
            }
        }
        #expect(throws: VaultError(.forgedVault, "")) {
            try other.check(circleProofs: [proof], vault: fixture.vault, circle: hash)
        }
        #expect(throws: VaultError(.forgedVault, "")) {
            try key.check(circleProofs: [proof], vault: VaultID(genesis: [2]), circle: hash)
        }
        #expect(throws: VaultError(.forgedVault, "")) {
            try key.check(circleProofs: [proof], vault: fixture.vault, circle: hash.flipped(at: 0))
        }
    }

    @Test func `is not shown, and neither are its halves`() throws {
        #expect(isHidden(key, as: "RecoveryKey"))
        #expect(isHidden(try key.keyPair(), as: "HPKEKeyPair"))
    }

    @Test func `is proven although another device made a key beside it`() async throws {
        // Which header is in force is decided by hashes.
        for _ in 0..<4 {
            let world = try await CircleWorld(devices: 3)
            let new = try await world[0].replaceRecoveryKey(VaultFixture.passphrase())
            for number in 1..<3 { try await world[number].rekeyCircle(VaultFixture.passphrase()) }
            try await world.meet()
            try await world[0].rekeyCircle(VaultFixture.passphrase())
            try await world[0].recover(with: new, newPassphrase: VaultFixture.passphrase("words from paper"))
            try await world.meet()
            try await world.close()
        }
    }

    @Test func `that does not open the newest key is noticed, until there is another key`() async throws {
        let world = try await CircleWorld(devices: 2)
        _ = try await world[0].replaceRecoveryKey(VaultFixture.passphrase())
        #expect(try await !world.overview(0).recoveryLacksKey)
        // The second one has the largest epoch, so it is in force.
        for _ in 0..<2 { try await world[1].rekeyCircle(VaultFixture.passphrase()) }
        try await world.meet()
        for number in 0..<2 { #expect(try await world.overview(number).recoveryLacksKey, "device \(number)") }
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        try await world.meet()
        for number in 0..<2 { #expect(try await !world.overview(number).recoveryLacksKey, "device \(number)") }
        try await world.close()
    }

    /// The header in force is from a device that had not heard of the new recovery key.
    @Test func `signs a removal if it is in force, whatever the header has`() async throws {
        let world = try await CircleWorld.met(3)
        let (earlier, lost) = (world.recoveryKey, try await world.id(2))
        let new = try await world[0].replaceRecoveryKey(VaultFixture.passphrase())
        // The second one has the largest epoch, so it is in force.
        for _ in 0..<2 { try await world[1].rekeyCircle(VaultFixture.passphrase()) }
        try await world.meet()
        let header = try await world[0].currentHeader()
        #expect(try header.isSealed(to: earlier) && !header.isSealed(to: new))
        await #expect(throws: VaultError(.wrongRecoveryKey, "")) {
            try await world[0].removeDevices(
                [lost],
                VaultFixture.passphrase(),
                recoveryKey: earlier,
                keepsSecretKey: false
            )
        }
        await #expect(throws: VaultError(.wrongRecoveryKey, "")) { try await world[0].confirmKey(earlier.text) }
        #expect(try await world[0].confirmKey(new.text) == .recoveryKey)
        try await world[0].removeDevices([lost], VaultFixture.passphrase(), recoveryKey: new, keepsSecretKey: false)
        try await world.meet()
        #expect(try await world.members(1) == ["device 0", "device 1"])
        #expect(try await world[0].currentHeader().isSealed(to: new))
        try await world[1].recover(with: new, newPassphrase: VaultFixture.passphrase("words from paper"))
        try await world.close()
    }

    @Test func `and a passphrase together open what two devices changed at the same time`() async throws {
        let world = try await CircleWorld(devices: 3)
        let (words, new) = (VaultFixture.words, "other words")
        let recoveryKey = try await world[0].replaceRecoveryKey(VaultFixture.passphrase())
        try await world[2].changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase(new))
        let device = try await world.id(1)
        try await world[2].removeDevices([device], VaultFixture.passphrase(new), recoveryKey: nil, keepsSecretKey: true)
        try await world.meet()
        for number in [0, 2] {
            // Which header is in force is decided by hashes.
            var codes: [VaultError.Code] = []
            for one in [words, new] {
                do {
                    try await world[number].rekeyCircle(VaultFixture.passphrase(one))
                } catch let error as VaultError {
                    codes.append(error.code)
                }
            }
            #expect(codes.count == 2 && codes.contains(.conflict), "\(codes)")
        }
        var isDone = false
        for one in [words, new] where !isDone {
            do {
                try await world[0].rekeyCircle(VaultFixture.passphrase(one), recoveryKey: recoveryKey)
                isDone = true
            } catch let error as VaultError where error.code == .wrongPassphrase {}
        }
        #expect(isDone)
        try await world.meet()
        for number in [0, 2] {
            let circle = try #require(await world[number].circle())
            #expect(circle.isKeyClean && !circle.isFrozen && !circle.needsPassphraseAgain)
            _ = try await world[number].verifyLog()
        }
        try await world.close()
    }
}
