import Foundation
import Testing
import WardLog
import WardSync

@testable import WardVault

/// A removed device has kept its files, and its holder knows the passphrase. Keys and files are real.
@Suite struct `A removed device whose holder knows the passphrase` {
    /// It admits a new device as of the time before its removal, and the holder of the folder brings that to the others.
    @Test func `admits itself under another key, and gets nothing`() async throws {
        let world = try await CircleWorld.met(3)
        var thief = try await world[2].stolen(knowing: VaultFixture.words)
        let oldSecretKey = try await world[2].secretKey()
        let lost = thief.id
        try await world[0].removeDevices([lost], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        for number in [0, 1, 0] { try await world.sync(number) }
        let before = try await world.view(0)
        // The admission is right by all that it knows.
        var stranger = try thief.stranger()
        let admission = try thief.write(.circle(.admit(stranger.device.circleDevice(), name: [])))
        #expect(thief.graph.stands(admission.entry.hash))
        try stranger.graph.take(admission.entry)
        stranger.owners = []
        let begin = try stranger.write(.circle(.joinAdmitted(admission.entry.hash)))
        let edit = try stranger.edit(Item(title: "of the stranger"))
        for number in 0..<2 {
            let report = try await world[number].take([admission, begin, edit])
            #expect(report.taken == 3)
            #expect(try await world.view(number) == before)
            try await world[number].add(Item(title: "after \(number)"))
            try await world.sync(number)
        }
        try await world[1].rekeyCircle(VaultFixture.passphrase())
        try await world[1].add(Item(title: "after the next key"))
        for number in [1, 0] { try await world.sync(number) }
        // With every key that they have or get, they read what was there before the removal, and what they wrote themselves.
        let records = try world.records()
        let opened = try thief.openedKeys(by: [thief.device, stranger.device], in: records)
        #expect(thief.titles(with: opened, in: records).subtracting(["of the stranger"]) == ["before"])
        // The headers since then do not open with what they had: not with the former Secret Key and the passphrase.
        let header = try await world[0].currentHeader()
        let stretched = try thief.environment.stretch(VaultFixture.passphrase(), header.derivation)
        #expect(throws: VaultError(.wrongPassphrase, "")) { try header.unlockKeys(stretched, oldSecretKey) }
        try await world.close()
    }

    /// It signs again what it signed before, in the same words and in others, and admits itself under the key that it had.
    @Test func `does not come back under the key that it had`() async throws {
        let world = try await CircleWorld.met(3)
        let thief = try await world[2].stolen(knowing: VaultFixture.words)
        let lost = thief.id
        try await world[0].removeDevices([lost], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        for number in [0, 1, 0] { try await world.sync(number) }
        let before = try await world.view(0)
        var knowing = thief
        for record in try world.records() { _ = try? knowing.graph.take(record.entry) }
        let own = try knowing.device.circleDevice()
        for operation in [
            LogOperation.circle(.admit(own, name: [])), .circle(.joinRecovered(own)),
            .enrol(device: own.publicKey, certificate: [UInt8](repeating: 1, count: 64)), .ignorable(130, [:]),
        ] {
            for attacker in [thief, knowing] {
                let record = try attacker.signed(attacker.draft(operation, recovery: nil))
                for number in 0..<2 { _ = try await world[number].take([record]) }
                for number in 0..<2 { #expect(try await world.view(number) == before) }
            }
        }
        try await world.close()
    }

    /// The folder's holder keeps the removal from a device, which goes on writing with the former key.
    @Test func `reads with the folder's holder what a device writes that has not heard of the removal, and no more`()
        async throws
    {
        let world = try await CircleWorld.met(3)
        let thief = try await world[2].stolen()
        let lost = thief.id
        try await world[0].removeDevices([lost], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        try await world[0].add(Item(title: "of who removed it"))
        // Device 1 syncs with another folder, so to say: it gets nothing.
        try await world[1].add(Item(title: "written for the thief too"))
        let held = try await world[1].records(after: 0)
        let former = try thief.openedKeys(by: [thief.device], in: held)
        #expect(thief.titles(with: former, in: held).contains("written for the thief too"))
        for number in [0, 1] { try await world.sync(number) }
        try await world[1].add(Item(title: "after it heard"))
        for number in [1, 0] { try await world.sync(number) }
        let records = try world.records()
        let opened = thief.titles(with: try thief.openedKeys(by: [thief.device], in: records), in: records)
        #expect(opened == ["before", "written for the thief too"])
        #expect(try await world.titles(0).count == 4)
        try await world.close()
    }

    /// Each of the two new keys was sealed to the device that the other side removed.
    @Test func `reads nothing that is written after the next key, where two removals beside each other left it one`()
        async throws
    {
        let world = try await CircleWorld.met(4)
        let thieves = try await [world[2].stolen(), world[3].stolen()]
        let lost = thieves.map(\.id)
        for number in 0..<2 {
            try await world[number].removeDevices(
                [lost[number]],
                VaultFixture.passphrase(),
                recoveryKey: nil,
                keepsSecretKey: false
            )
        }
        for number in [0, 1, 0] {
            let report = try await world.sync(number)
            #expect(report.troubles.isEmpty && report.missing.isEmpty, "\(number)")
        }
        for number in 0..<2 {
            #expect(try await !world.overview(number).isKeyClean)
            try await world[number].add(Item(title: "held back on \(number)"))
            #expect(try await world.sync(number).written == 0)
        }
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        #expect(try await world.overview(0).isKeyClean)
        try await world[0].add(Item(title: "with a clean key"))
        for number in [0, 1, 0] { try await world.sync(number) }
        let expected = ["before", "held back on 0", "held back on 1", "with a clean key"]
        for number in 0..<2 { #expect(try await world.titles(number) == expected, "\(number)") }
        let records = try world.records()
        let opened = try thieves.map { thief in
            thief.titles(with: try thief.openedKeys(by: [thief.device], in: records), in: records)
        }
        #expect(opened.allSatisfy { !$0.contains("with a clean key") })
        // What was written meanwhile is sealed with the key that one of them has, and is in the folder now.
        #expect(opened.contains { $0.isSuperset(of: ["held back on 0", "held back on 1"]) })
        try await world.close()
    }

    /// The list of devices would show the name of one that the person trusts.
    @Test func `does not give itself another name beside its removal`() async throws {
        let world = try await CircleWorld.met(3)
        var thief = try await world[2].stolen()
        let lost = thief.id
        try await world[0].removeDevices([lost], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        let name = try DeviceName.seal("device 0", of: lost, thief.vault, thief.keys, thief.environment)
        let renamed = try thief.write(DeviceName.entry(name))
        #expect(try await world[1].take([renamed]).taken == 1)
        #expect(try await world.overview(1).devices.filter { $0.name == "device 0" }.count == 2)
        for number in [0, 1] { try await world.sync(number) }
        #expect(try await world.overview(1).devices.first { $0.id == lost }?.name == "device 2")
        try await world.close()
    }
}
