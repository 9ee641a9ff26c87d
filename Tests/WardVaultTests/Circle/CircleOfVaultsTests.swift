import Foundation
import Testing
import WardLog
import WardSync
import WardTesting
import WardWebAuthn

@testable import WardVault

/// Vaults with real files whose devices sync through one folder.
@Suite struct `A circle of vaults` {
    @Test func `begins with one device, and the vault stays as it was`() async throws {
        let world = try await CircleWorld(devices: 1)
        #expect(try await world.titles(0) == ["before"])
        let circle = try await world.overview(0)
        #expect(circle.devices.map(\.name) == ["device 0"] && circle.isMember && circle.isKeyClean && !circle.isFrozen)
        try await world[0].add(Item(title: "after"))
        try await world.reopen(0)
        #expect(try await world.titles(0) == ["after", "before"])
        #expect(try await world.overview(0).isMember)
        _ = try await world[0].verifyLog()
        await #expect(throws: VaultError(.conflict, "")) {
            try await world[0].beginCircle(VaultFixture.passphrase(), recoveryKey: nil, deviceName: "again")
        }
        try await world.close()
    }

    @Test func `needs the passphrase and the vault's recovery key to begin, or makes a new one`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let other = try RecoveryKey(effects: fixture.environment.effects)
        await #expect(throws: VaultError(.wrongPassphrase, "")) {
            try await vault.beginCircle(VaultFixture.passphrase("no"), recoveryKey: nil, deviceName: "one")
        }
        await #expect(throws: VaultError(.wrongRecoveryKey, "")) {
            try await vault.beginCircle(VaultFixture.passphrase(), recoveryKey: other, deviceName: "one")
        }
        #expect(try await vault.circle() == nil)
        let new = try await vault.beginCircle(VaultFixture.passphrase(), recoveryKey: nil, deviceName: "one")
        #expect(try await vault.isRecoveryKey(#require(new)))
        #expect(try await !vault.isRecoveryKey(other))
        try await vault.close()
    }

    @Test func `takes a new device that a member admits`() async throws {
        let world = try await CircleWorld(devices: 3)
        for number in 0..<3 { try await world[number].add(Item(title: "from \(number)")) }
        try await world.meet()
        for number in 0..<3 {
            #expect(try await world.titles(number) == ["before", "from 0", "from 1", "from 2"], "\(number)")
            #expect(try await world.members(number) == ["device 0", "device 1", "device 2"], "\(number)")
            _ = try await world[number].verifyLog()
            try await world.reopen(number)
            #expect(try await world.titles(number).count == 4)
        }
        try await world.close()
    }

    @Test func `gives a removed device nothing of what is written later`() async throws {
        let world = try await CircleWorld(devices: 3)
        try await world[2].add(Item(title: "from the lost one"))
        try await world.meet()
        let lost = try await world.id(2)
        let secretKey = try await world[0].secretKey()
        try await world[0].removeDevices([lost], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        try await world[0].add(Item(title: "secret"))
        try await world.meet()
        #expect(try await world.titles(1) == ["before", "from the lost one", "secret"])
        #expect(try await world.titles(2) == ["before", "from the lost one"])
        #expect(try await world.members(1) == ["device 0", "device 1"])
        let overview = try await world.overview(2)
        #expect(!overview.isMember && overview.devices.first?.status == .removed)
        await #expect(throws: VaultError(.notInCircle, "")) { try await world[2].add(Item(title: "no")) }
        #expect(try await !world[0].secretKey().isSame(as: secretKey))
        #expect(try await world[1].secretKey().isSame(as: world[0].secretKey()))
        for number in 0..<3 {
            #expect(try await world[number].damagedItems().isEmpty)
            try await world.reopen(number)
            _ = try await world[number].verifyLog()
        }
        #expect(try await world.titles(1).count == 3)
        #expect(try await world.titles(2).count == 2)
        _ = try await world[1].verifyLog()
        try await world.close()
    }

    @Test func `drops what a removed device wrote beside its removal`() async throws {
        let world = try await CircleWorld(devices: 3)
        try await world[2].add(Item(title: "beside"))
        let lost = try await world.id(2)
        try await world[0].removeDevices([lost], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        try await world.sync(0)
        // The removed device does not send what it wrote, and others would not count it.
        let late = try await world[2].records(after: 0).suffix(1)
        try await world.meet()
        #expect(try await world.titles(1) == ["before"])
        #expect(try await world.overview(1).devices.map(\.lateRevisions) == [0, 0, 0])
        let report = try await world[1].take(Array(late))
        #expect(report.taken == 1)
        #expect(try await world.titles(1) == ["before"])
        // The removed device comes last.
        #expect(try await world.overview(1).devices.map(\.lateRevisions) == [0, 0, 1])
        let overview = try await world.overview(2)
        #expect(overview.lateRevisions == 1 && overview.devices.map(\.lateRevisions) == [1, 0, 0])
        try await world.close()
    }

    @Test func `changes the passphrase on all devices`() async throws {
        let world = try await CircleWorld(devices: 2)
        try await world[1].changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase("new words"))
        try await world.meet()
        for number in 0..<2 { try await world.reopen(number, "new words") }
        await #expect(throws: VaultError(.wrongPassphrase, "")) {
            try await world[0].rekeyCircle(VaultFixture.passphrase())
        }
        try await world[0].rekeyCircle(VaultFixture.passphrase("new words"))
        try await world[0].add(Item(title: "new key"))
        try await world.meet()
        #expect(try await world.titles(1) == ["before", "new key"])
        try await world.close()
    }

    @Test func `comes to one state after two changes of the keys at the same time`() async throws {
        let world = try await CircleWorld(devices: 2)
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        try await world[1].rekeyCircle(VaultFixture.passphrase())
        try await world[0].add(Item(title: "zero"))
        try await world[1].add(Item(title: "one"))
        try await world.meet()
        for number in 0..<2 {
            #expect(try await world.titles(number) == ["before", "one", "zero"], "\(number)")
            #expect(try await !world.overview(number).needsPassphraseAgain, "nobody changed it")
            try await world.reopen(number)
            #expect(try await world.titles(number) == ["before", "one", "zero"], "\(number)")
        }
        // Both owner keys must sign, and both are there.
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        try await world[0].add(Item(title: "after"))
        try await world.meet()
        #expect(try await world.titles(1) == ["after", "before", "one", "zero"])
        for number in 0..<2 { _ = try await world[number].verifyLog() }
        try await world.close()
    }

    /// What it wrote before its return is named by what it writes after it, and nobody else has it.
    @Test func `hears at once of a removed device that comes back with a recovery key`() async throws {
        let world = try await CircleWorld.met(2)
        let removed = try await world.id(1)
        try await world[1].add(Item(title: "beside the removal"))
        try await world[0].removeDevices([removed], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        for number in [0, 1] { try await world.sync(number) }
        #expect(try await !world.overview(1).isMember)
        try await world[1].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        for number in [1, 0, 1, 0] { try await world.sync(number) }
        let back = try await world.id(1)
        #expect(back != removed)
        for number in 0..<2 {
            let circle = try await world.overview(number)
            #expect(circle.isMember && circle.devices.first { $0.id == back }?.status == .member, "\(number)")
        }
        #expect(try await world.sync(0).missing == [])
        try await world.close()
    }

    /// Everybody who was ever in it has the vault's first key, which admitted devices before there was a circle.
    @Test func `admits a device beside any number of devices that are not in it`() async throws {
        let world = try await CircleWorld.met(2)
        let thief = try await world[1].stolen()
        var graph = LogGraph(thief.vault, circle: thief.graph.circleRoot)
        try graph.take(#require(try await world[0].records(after: 0).first).entry)
        let chain = LogChain(graph)
        let strangers = try (0..<300).map { _ in
            let device = try DeviceFile(thief.environment)
            let message = LogEntry.certificateMessage(device: device.key.publicKey, nonce: chain.nonce)
            let certificate = try thief.keys.authority(nonce: chain.nonce).sign(message)
            let operation = LogOperation.enrol(device: device.key.publicKey, certificate: certificate)
            let entry = try chain.next(operation, by: device.device, now: thief.environment.effects.now())
            return LogRecord(entry: try entry.signed(vault: thief.vault, by: device.key.sign), blob: nil)
        }
        #expect(try await world[0].take(strangers).taken == strangers.count)
        try await world.join(by: 0)
        #expect(try await world.members(2) == ["device 0", "device 1", "device 2"])
        #expect(try await world.titles(2) == ["before"])
        try await world.close()
    }

    /// Neither device could change the circle as the one that it was.
    @Test(arguments: [0, 1]) func `of two that removed each other goes on with the recovery key`(mine: Int) async throws
    {
        let world = try await CircleWorld(devices: 2)
        let ids = [try await world.id(0), try await world.id(1)]
        for number in 0..<2 {
            try await world[number].removeDevices(
                [ids[1 - number]],
                VaultFixture.passphrase(),
                recoveryKey: nil,
                keepsSecretKey: true
            )
            try await world[number].add(Item(title: "of \(number)"))
        }
        try await world.meet()
        #expect(try await world.overview(mine).isFrozen)
        try await world[mine].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        try await world.meet()
        let back = try await world.id(mine)
        #expect(back != ids[mine])
        for number in 0..<2 {
            let circle = try await world.overview(number)
            #expect(!circle.isFrozen && circle.isMember, "\(number)")
            let members = Set(circle.devices.filter { $0.status == .member }.map(\.id))
            #expect(members == [back, ids[1 - mine]], "\(number)")
            #expect(try await world.titles(number) == ["before", "of 0", "of 1"], "\(number)")
        }
        // The person decides which one stays.
        try await world[mine].removeDevices(
            [ids[1 - mine]],
            VaultFixture.passphrase("recovered"),
            recoveryKey: nil,
            keepsSecretKey: false
        )
        #expect(try await world.overview(mine).devices.filter { $0.status == .member }.map(\.id) == [back])
        try await world.reopen(mine, "recovered")
        #expect(try await world.titles(mine) == ["before", "of 0", "of 1"])
        try await world.close()
    }

    /// It is no member until the question is answered, so it cannot be removed before.
    @Test func `goes on with the recovery key on a device of which the admission is in question`() async throws {
        let world = try await CircleWorld(devices: 2)
        // The second device does not hear of the third one.
        try await world.join(by: 0)
        let ids = try await [world.id(0), world.id(1), world.id(2)]
        for number in 0..<2 {
            try await world[number].removeDevices(
                [ids[1 - number]],
                VaultFixture.passphrase(),
                recoveryKey: nil,
                keepsSecretKey: true
            )
        }
        for number in [0, 1, 2] { try await world.sync(number) }
        let question = try await world.overview(2)
        #expect(question.isFrozen)
        #expect(question.devices.first { $0.id == ids[2] }?.status == .disputed)
        try await world[2].add(Item(title: "while in question"))
        try await world[2].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        try await world.meet()
        let back = try await world.id(2)
        #expect(back != ids[2])
        for number in 0..<3 {
            let circle = try await world.overview(number)
            #expect(!circle.isFrozen && circle.isMember && circle.isKeyClean, "\(number)")
            let members = Set(circle.devices.filter { $0.status == .member }.map(\.id))
            #expect(members == [ids[0], ids[1], back], "\(number)")
            #expect(try await world.titles(number) == ["before", "while in question"], "\(number)")
            _ = try await world[number].verifyLog()
        }
        try await world.reopen(2, "recovered")
        try await world[2].add(Item(title: "yes"))
        try await world.meet()
        for number in 0..<3 {
            #expect(try await world.titles(number) == ["before", "while in question", "yes"], "\(number)")
        }
        try await world.close()
    }

    @Test func `asks if two devices remove each other, and a recovery key decides`() async throws {
        let world = try await CircleWorld(devices: 2)
        let (zero, one) = (try await world.id(0), try await world.id(1))
        try await world[0].removeDevices([one], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        try await world[1].removeDevices([zero], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        try await world.meet()
        for number in 0..<2 { #expect(try await world.overview(number).isFrozen, "\(number)") }
        await #expect(throws: VaultError(.conflict, "")) {
            try await world[0].rekeyCircle(VaultFixture.passphrase())
        }
        try await world.close()

        let decided = try await CircleWorld(devices: 2)
        let (two, three) = (try await decided.id(0), try await decided.id(1))
        try await decided[0].removeDevices(
            [three],
            VaultFixture.passphrase(),
            recoveryKey: decided.recoveryKey,
            keepsSecretKey: true
        )
        try await decided[1].removeDevices([two], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        try await decided.meet()
        #expect(try await decided.members(0) == ["device 0"])
        #expect(try await decided.overview(0).isMember)
        #expect(try await !decided.overview(1).isMember)
        try await decided.close()
    }

    /// The answer may say that what a device removed is still there.
    @Test func `clears nothing while there is a question`() async throws {
        let world = try await CircleWorld.met(3)
        let often = try await world[0].add(Item(title: "0"))
        let removed = try await world[0].add(Item(title: "removed"))
        for number in 1...120 { try await world[0].edit(often) { $0.title = "\(number)" } }
        try await world[0].write { try $0.purge(removed) }
        let ids = try await [world.id(0), world.id(1)]
        for number in 0..<2 {
            try await world[number].removeDevices(
                [ids[1 - number]],
                VaultFixture.passphrase(),
                recoveryKey: nil,
                keepsSecretKey: true
            )
        }
        try await world.meet()
        #expect(try await world.overview(0).isFrozen)
        for day in 0..<100 {
            for fixture in world.fixtures { fixture.world.advance(by: 86_400) }
            try await world[0].add(Item(title: "day \(day)"))
        }
        try await world[0].emptyExpiredTrash()
        // Contents are cleared with every sixteenth revision: here the 128th and the 144th.
        for number in 121...127 { try await world[0].edit(often) { $0.title = "\(number)" } }
        #expect(try await world[0].verifyLog().cleared == 0)
        try await world[2].rekeyCircle(VaultFixture.passphrase())
        try await world.meet()
        #expect(try await !world.overview(0).isFrozen)
        try await world[0].emptyExpiredTrash()
        #expect(try await world[0].verifyLog().cleared == 1)
        for number in 128...143 { try await world[0].edit(often) { $0.title = "\(number)" } }
        #expect(try await world[0].verifyLog().cleared > 1)
        try await world.close()
    }

    /// The operation that makes its removal count came after the removal.
    @Test func `tells a device that it is out if only a later removal decides that`() async throws {
        let world = try await CircleWorld.met(3)
        let devices = try await (world.id(0), world.id(1), world.id(2))
        try await world[2].removeDevices([devices.1], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        try await world[2].removeDevices(
            [devices.0],
            VaultFixture.passphrase(),
            recoveryKey: world.recoveryKey,
            keepsSecretKey: true
        )
        try await world[0].removeDevices([devices.2], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        for number in [0, 1, 2, 1, 0] { try await world.sync(number) }
        for number in 0..<3 {
            let circle = try await world.overview(number)
            let members = circle.devices.filter { $0.status == .member }.map(\.id)
            #expect(members == [devices.2], "device \(number)")
            #expect(circle.isMember == (number == 2), "device \(number)")
        }
        try await world.close()
    }

    @Test func `renames a device`() async throws {
        let world = try await CircleWorld(devices: 2)
        try await world[1].renameDevice("the \u{202E}desk\n")
        try await world.meet()
        #expect(try await world.members(0) == ["device 0", "the desk"])
        try await world.close()
    }

    @Test func `a device whose admission is in question loses nothing that others build on`() async throws {
        let world = try await CircleWorld(devices: 2)
        let id = try #require(try await world[0].summaries().first).id
        // The second device does not hear of the third one.
        try await world.join(by: 0)
        try await world[2].write { try $0.update(id, change: .edited) { $0.tags = ["of the third"] } }
        try await world[2].removeDevices(
            [world.id(1)],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: true
        )
        try await world[1].removeDevices(
            [world.id(0)],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: true
        )
        for number in [1, 2, 0, 1] { try await world.sync(number) }
        #expect(try await world.overview(2).isFrozen)
        let third = try await world.id(2)
        #expect(try await world.overview(1).devices.first { $0.id == third }?.status == .disputed)
        // The first device knows what the third one wrote, and builds on it.
        try await world[0].write { try $0.update(id, change: .edited) { $0.title = "after" } }
        try await world[2].add(Item(title: "while in question"))
        #expect(try await world.titles(2).contains("while in question"))
        try await world[0].removeDevices(
            [world.id(1)],
            VaultFixture.passphrase(),
            recoveryKey: nil,
            keepsSecretKey: true
        )
        for number in [0, 2, 0] { try await world.sync(number) }
        for number in [0, 2] {
            #expect(try await world.titles(number).contains("while in question"))
            let item = try await world[number].item(id)
            #expect(item.title == "after")
            #expect(item.tags == ["of the third"])
        }
        try await world.close()
    }

    /// The third device removes the second one, which has removed it. The first one lets both stay.
    private func removeBack(_ second: DeviceID, _ world: CircleWorld) async throws {
        try await world[2].removeDevices([second], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        for number in [2, 0] { try await world.sync(number) }
        #expect(try await world.overview(0).isFrozen)
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        for number in [0, 1, 2, 0, 1] { try await world.sync(number) }
    }

    @Test func `what was removed for good stays removed, if an answer lets the device stay that wrote it`() async throws
    {
        let world = try await CircleWorld(devices: 3)
        try await world.meet()
        let ids = try await [world.id(1), world.id(2)]
        let old = try await world[0].item(#require(try await world[0].summaries().first).id)
        try await world[2].write { try $0.update(old.id, change: .edited) { $0.tags = ["of the third"] } }
        for number in [2, 0] { try await world.sync(number) }
        try await world[0].write {
            try $0.trash(old.id)
            try $0.purge(old.id)
        }
        try await world.sync(0)
        // The second device removes the third one, whose tag does not count for it, and knows that the item was removed for good.
        try await world[1].removeDevices([ids[1]], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        try await world.sync(1)
        #expect(try await world.titles(1) == [])
        var again = old
        again.title = "again"
        let new = again
        _ = try await world[1].write { try $0.add(new) }
        try await world.sync(1)
        try await removeBack(ids[0], world)
        for number in 0..<3 {
            let item = try await world[number].item(old.id)
            #expect(item.title == "again" && item.tags == [], "device \(number)")
        }
        try await world.close()
    }

    @Test func `what a removed device wrote is not lost, if an answer lets the device stay`() async throws {
        let world = try await CircleWorld(devices: 3)
        try await world.meet()
        let ids = try await [world.id(1), world.id(2)]
        let id = try #require(try await world[0].summaries().first).id
        try await world[1].removeDevices([ids[1]], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        try await world[2].write { try $0.update(id, change: .edited) { $0.tags = ["of the third"] } }
        try await world.sync(2)
        try await world.sync(1)
        // The third device is out for the second one, so its tag does not count.
        try await world[1].write { try $0.update(id, change: .edited) { $0.title = "after" } }
        #expect(try await world[1].item(id).tags == [])
        try await world.sync(1)
        // The third device removes the second one too, and knows nothing of its own removal. The first one lets both stay.
        try await removeBack(ids[0], world)
        for number in 0..<3 {
            let item = try await world[number].item(id)
            #expect(item.title == "after")
            #expect(item.tags == ["of the third"])
        }
        try await world.close()
    }

    @Test func `a list shows what an item is after somebody removed for good what it was made from`() async throws {
        let world = try await CircleWorld(devices: 3)
        let id = try #require(try await world[0].summaries().first).id
        try await world[0].write { try $0.update(id, change: .edited) { $0.tags = ["x"] } }
        try await world.meet()
        try await world[0].write { try $0.update(id, change: .edited) { $0.tags = [] } }
        try await world[1].write { try $0.update(id, change: .edited) { $0.title = "after" } }
        // It knows neither of the two.
        try await world[2].write { try $0.purge(id) }
        for number in [0, 1, 0] { try await world.sync(number) }
        #expect(try await world[0].summary(id).tags == [])
        await world[0].saveIndexNow()
        try await world.meet()
        for number in 0..<3 {
            let item = try await world[number].item(id)
            #expect(item.tags == ["x"])
            let summary = try await world[number].summary(id)
            #expect(summary == ItemSummary(item))
        }
        // The index on the disk is from before.
        try await world.reopen(0)
        #expect(try await world[0].summary(id).tags == ["x"])
        try await world.close()
    }
}

extension SecretKey {
    fileprivate func isSame(as other: SecretKey) -> Bool { bytes.isEqual(to: other.bytes) }
}
