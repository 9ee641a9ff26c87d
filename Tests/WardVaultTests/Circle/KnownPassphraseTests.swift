import Testing
import WardLog

@testable import WardVault

/// A thief has a device and knows the passphrase, so the thief can do what the owner can. Keys and files are real.
@Suite struct `A stolen device whose holder knows the passphrase` {
    /// In a circle of two the thief removes the person's device, and the recovery key takes the vault back.
    @Test func `removes all other devices, and a recovery key in force takes the vault back`() async throws {
        let world = try await CircleWorld.met(2)
        let (mine, stolen) = (try await world.id(0), try await world.id(1))
        try await world[1].removeDevices([mine], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        try await world[1].add(Item(title: "of the thief"))
        for number in [1, 0] { try await world.sync(number) }
        #expect(try await !world.overview(0).isMember)
        #expect(try await world.titles(0) == ["before"])
        // The person brings a new device with the recovery key, and removes the stolen one.
        await world[0].lock()
        let mineAgain = try VaultFixture.passphrase("only I know this")
        try await world[0].recover(with: world.recoveryKey, newPassphrase: mineAgain)
        #expect(try await world.overview(0).isMember)
        try await world[0].removeDevices([stolen], mineAgain, recoveryKey: world.recoveryKey, keepsSecretKey: false)
        try await world[0].add(Item(title: "mine again"))
        for number in [0, 1, 0, 1] { try await world.sync(number) }
        #expect(try await world.overview(0).isMember)
        #expect(try await !world.overview(1).isMember)
        #expect(try await !world.titles(1).contains("mine again"))
        try await world.close()
    }

    /// One of the others says that it heard of the removal, before it hears of what the thief removes.
    @Test func `removes nobody if its own removal reached the other devices first`() async throws {
        let world = try await CircleWorld.met(3)
        let (mine, other, stolen) = try await (world.id(0), world.id(1), world.id(2))
        try await world[0].removeDevices([stolen], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        for number in [0, 1] { try await world.sync(number) }
        try await world[1].add(Item(title: "of the witness"))
        for number in [1, 0] { try await world.sync(number) }
        let last = try await world[2].lastOwnSequence()
        try await world[2].removeDevices(
            [mine, other],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: false
        )
        let late = try await world[2].records(after: last)
        let removal = try #require(late.first).entry.hash
        for number in 0..<2 {
            let before = try await world.view(number)
            #expect(try await world[number].take(late).taken == late.count)
            #expect(try await world.view(number) == before)
            #expect(try await world[number].void([removal]) == [removal])
            try await world[number].add(Item(title: "on \(number)"))
        }
        for number in [0, 1, 0] { try await world.sync(number) }
        #expect(try await world.titles(0) == ["before", "of the witness", "on 0", "on 1"])
        try await world.close()
    }

    /// Then nothing in the vault tells the thief from the person.
    @Test func `replaces the recovery key, and the earlier one opens nothing more`() async throws {
        let world = try await CircleWorld.met(2)
        let mine = try await world.id(0)
        _ = try await world[1].replaceRecoveryKey(VaultFixture.passphrase())
        try await world[1].removeDevices([mine], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        for number in [1, 0] { try await world.sync(number) }
        #expect(try await !world.overview(0).isMember)
        await world[0].lock()
        await #expect(throws: VaultError(.wrongRecoveryKey, "")) {
            try await world[0].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("mine"))
        }
        // What the person's device had is still there.
        try await world[0].unlock(with: VaultFixture.passphrase())
        #expect(try await world.titles(0) == ["before"])
        try await world.close()
    }

    /// A header with settings that are easy to guess at is not taken, whoever signed it: the vault could not be opened with it.
    @Test func `does not get a header with weaker settings of Argon2id onto other devices`() async throws {
        let world = try await CircleWorld.met(2)
        var thief = try await world[1].stolen(knowing: VaultFixture.words)
        var weak = try await world[0].currentHeader()
        weak.generation += 1
        weak.derivation.passes = 1
        let encoded = try weak.encoded(thief.keys)
        let operation = LogOperation.header(generation: weak.generation, hash: VaultHeader.hash(encoded))
        let record = try thief.write(operation, blob: encoded)
        #expect(thief.graph.stands(record.entry.hash))
        let report = try await world[0].take([record])
        #expect(report.taken == 0 && report.troubles == [.damagedHeader(entry: record.entry.hash)])
        try await world.reopen(0)
        #expect(try await world.titles(0) == ["before"])
        try await world.close()
    }

    /// The body of the header says more than its entry. No other header could follow it, and nobody could be removed.
    @Test(arguments: [5, 1_000_000_000, UInt64.max])
    func `does not get a header onto other devices that has another number than its entry`(number: UInt64) async throws
    {
        let world = try await CircleWorld.met(2)
        var thief = try await world[1].stolen(knowing: VaultFixture.words)
        var header = try await world[0].currentHeader()
        let next = header.generation + 1
        header.generation = number
        let encoded = try header.encoded(thief.keys)
        let record = try thief.write(.header(generation: next, hash: VaultHeader.hash(encoded)), blob: encoded)
        #expect(thief.graph.stands(record.entry.hash))
        let report = try await world[0].take([record])
        #expect(report.taken == 0 && report.troubles == [.damagedHeader(entry: record.entry.hash)])
        try await world[0].changePassphrase(
            from: VaultFixture.passphrase(),
            to: VaultFixture.passphrase("a new one of mine")
        )
        try await world[0].removeDevices(
            [world.id(1)],
            VaultFixture.passphrase("a new one of mine"),
            recoveryKey: nil,
            keepsSecretKey: false
        )
        #expect(try await world.members(0) == ["device 0"])
        try await world.close()
    }

    /// An earlier header has the same owner keys.
    @Test(arguments: [false, true])
    func `does not take the owner keys away with a header that has others in their places`(isOnPaper: Bool) async throws
    {
        let world = try await CircleWorld.met(2)
        var thief = try await world[1].stolen(knowing: VaultFixture.words)
        var header = try await world[0].currentHeader()
        header.generation += 1
        header.circle?.owners[0].sealed[5] ^= 1
        header.circle?.recovery[0].owners[0].key.ciphertext[5] ^= 1
        let encoded = try header.encoded(thief.keys)
        let operation = LogOperation.header(generation: header.generation, hash: VaultHeader.hash(encoded))
        let record = try thief.write(operation, blob: encoded)
        #expect(try await world[0].take([record]).hasNewHeader)
        var words = VaultFixture.words
        if isOnPaper {
            words = "recovered"
            try await world[0].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase(words))
        }
        try await world[0].removeDevices(
            [world.id(1)],
            VaultFixture.passphrase(words),
            recoveryKey: nil,
            keepsSecretKey: false
        )
        #expect(try await world.members(0) == ["device 0"])
        try await world.reopen(0, words)
        try await world.close()
    }

    /// Two devices made keys at the same time. The header in force has those of one side, and the recovery key opens the others too.
    @Test func `does not make a recovery key open a wrong key beside the one in force`() async throws {
        let world = try await CircleWorld.met(2)
        let stolen = try await world[1].stolen(knowing: VaultFixture.words)
        let (thief, record) = try await world[1].rekeyed(
            by: stolen,
            VaultFixture.words,
            handingOver: stolen.keys,
            deceiving: world.recoveryKey
        )
        #expect(thief.graph.stands(record.entry.hash))
        // The second one has the largest epoch, so it is in force.
        for _ in 0..<2 { try await world[0].rekeyCircle(VaultFixture.passphrase()) }
        #expect(try await world[0].take([record]).taken == 1)
        let name = thief.keys.current
        let right = try #require(thief.keys.locked(name))
        #expect(try await !world[0].openedKeys(world.recoveryKey).has(name))
        // The members got the right one, and the next header has it.
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        let opened = try await world[0].openedKeys(world.recoveryKey)
        #expect(opened.locked(name)?.isEqual(to: right) == true)
        try await world.close()
    }

    /// A member compares only the key in force with a header. The earlier keys in it are for who does not have them.
    @Test func `does not make a recovery key open a wrong earlier key that the header in force has`() async throws {
        let world = try await CircleWorld.met(2)
        let id = try await world[0].add(Item(title: "earlier"))
        try await world.meet()
        let stolen = try await world[1].stolen(knowing: VaultFixture.words)
        let name = stolen.keys.current
        let right = try #require(stolen.keys.locked(name))
        let record = try await world[1].rekeyed(
            by: stolen,
            VaultFixture.words,
            handingOver: stolen.keys.forging(name)
        ).record
        #expect(try await world[0].take([record]).taken == 1)
        let opened = try await world[0].openedKeys(world.recoveryKey)
        #expect(opened.locked(name)?.isEqual(to: right) == true)
        // The passphrase opens the keys of the header as they are, and the recovery key puts that right.
        try await world.reopen(0)
        try await world[0].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        #expect(try await world[0].item(id).title == "earlier")
        try await world.reopen(0, "recovered")
        #expect(try await world[0].item(id).title == "earlier")
        #expect(try await world[0].damagedItems().isEmpty)
        try await world.close()
    }

    /// A header with another proof, or with none, is in force, and later headers had the proof from it.
    @Test(arguments: [[UInt8](repeating: 7, count: 32), nil], [false, true])
    func `does not make a recovery key look like that of another circle`(proof: [UInt8]?, isRemoved: Bool) async throws
    {
        let world = try await CircleWorld.met(2)
        let root = try #require(try await world[0].circleRoot())
        var thief = try await world[1].stolen(knowing: VaultFixture.words)
        var header = try await world[0].currentHeader()
        header.generation += 1
        header.circle?.recovery[0].proof = proof
        let encoded = try header.encoded(thief.keys)
        let operation = LogOperation.header(generation: header.generation, hash: VaultHeader.hash(encoded))
        let record = try thief.write(operation, blob: encoded)
        #expect(try await world[0].take([record]).hasNewHeader)
        if isRemoved {
            try await world[0].removeDevices(
                [world.id(1)],
                VaultFixture.passphrase(),
                recoveryKey: nil,
                keepsSecretKey: false
            )
            let right = world.recoveryKey.circleProof(vault: thief.vault, circle: root)
            #expect(try await world[0].currentHeader().circle?.recovery.map(\.proof) == [right])
        }
        #expect(try await world[0].confirm(world.recoveryKey))
        await world[0].lock()
        #expect(try await world[0].outline(with: world.recoveryKey).isProven)
        try await world[0].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        #expect(try await world.titles(0) == ["before"])
        try await world.close()
    }

    /// Who has nothing but the vault key, as with a recovery key, would open nothing, or other keys.
    @Test(arguments: 0..<4)
    func `does not get a header onto other devices that does not open with its vault key`(fault: Int) async throws {
        let world = try await CircleWorld.met(2)
        var thief = try await world[1].stolen(knowing: VaultFixture.words)
        var header = try await world[0].currentHeader()
        header.generation += 1
        switch fault {
        case 0: header.circle?.keys[20] ^= 1
        case 1: header.circle?.secretKey[20] ^= 1
        case 2:
            let forged = try thief.keys.forging(.first)
            header.circle?.keys = try HeaderCircle.sealed(forged, thief.vault, thief.environment)
        default:
            let other = try SecretKey(effects: thief.environment.effects)
            header.circle?.secretKey = try HeaderCircle.sealed(
                other,
                with: thief.keys,
                thief.vault,
                thief.environment
            )
        }
        let encoded = try header.encoded(thief.keys)
        let operation = LogOperation.header(generation: header.generation, hash: VaultHeader.hash(encoded))
        let record = try thief.write(operation, blob: encoded)
        #expect(thief.graph.stands(record.entry.hash))
        let report = try await world[0].take([record])
        #expect(report.taken == 0 && report.troubles == [.damagedHeader(entry: record.entry.hash)])
        try await world[0].removeDevices(
            [world.id(1)],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: false
        )
        try await world[0].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        try await world.reopen(0, "recovered")
        #expect(try await world.members(0) == ["device 0"])
        try await world.close()
    }

    /// Devices that changed the circle at the same time have keys that others lack. That is no damage.
    @Test func `does not make a device say that a header is damaged whose key it was not given`() async throws {
        let world = try await CircleWorld.met(2)
        var thief = try await world[1].stolen(knowing: VaultFixture.words)
        var header = try await world[0].currentHeader()
        header.generation += 1
        header.epoch += 1
        let encoded = try header.encoded(thief.keys)
        let operation = LogOperation.header(generation: header.generation, hash: VaultHeader.hash(encoded))
        let record = try thief.write(operation, blob: encoded)
        let report = try await world[0].take([record])
        #expect(report.taken == 0 && report.troubles == [.lacksHeaderKey(entry: record.entry.hash)])
        try await world.reopen(0)
        #expect(try await world.titles(0) == ["before"])
        try await world.close()
    }
}
