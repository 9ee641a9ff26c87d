import Testing
import WardCBOR
import WardLog
import WardTesting

@testable import WardVault

/// A damaged file of a circle is salvaged with what all its devices wrote.
@Suite struct `A salvaged circle` {
    /// What a device's file gives, locked.
    private func salvage(
        _ world: CircleWorld,
        _ number: Int,
        _ words: String = VaultFixture.words
    ) async throws -> Salvage {
        await world[number].lock()
        let found = try await world[number].salvage(with: VaultFixture.passphrase(words))
        #expect(found.outdated.isEmpty && found.lost.isEmpty && found.damagedEntries == 0)
        return found
    }

    /// Writes what was salvaged into a new vault.
    private func rebuilt(_ salvage: Salvage, _ fixture: VaultFixture) async throws -> Vault {
        try await Vault.create(
            at: fixture.location,
            passphrase: VaultFixture.passphrase(),
            holding: salvage,
            effects: fixture.world.effects
        ).vault
    }

    @Test func `has the newest state of what a device wrote that joined`() async throws {
        let world = try await CircleWorld.met(2)
        let edited = try await world[0].add(Item(title: "0", passkeys: [Sample.passkey(number: 1)]))
        let trashed = try await world[0].add(Item(title: "trashed"))
        let purged = try await world[0].add(Item(title: "purged"))
        try await world.meet()
        for number in 1...3 { try await world[1].edit(edited) { $0.title = "\(number)" } }
        try await world[1].edit(edited) { $0.passkeys = [] }
        try await world[1].write { try $0.trash(trashed) }
        try await world[1].write { try $0.purge(purged) }
        try await world.meet()
        for number in 0..<2 {
            let found = try await salvage(world, number)
            #expect(found.items.map(\.title).sorted() == ["3", "before", "trashed"], "\(number)")
            let item = try #require(found.items.first { $0.id == edited })
            #expect(item.passkeys.isEmpty && item.conflicts.isEmpty, "\(number)")
            #expect(found.items.first { $0.id == trashed }?.isInTrash == true, "\(number)")
        }
        try await world.close()
    }

    @Test func `has the newest state of what a device wrote that a recovery key let in`() async throws {
        let world = try await CircleWorld.met(2)
        let id = try #require(try await world[1].summaries().first?.id)
        try await world[1].close()
        for path in [world.fixtures[1].location.device, world.fixtures[1].location.head] {
            try world.fixtures[1].remove(path)
        }
        try await world.reopen(1, trusting: .thisFile)
        await world[1].lock()
        try await world[1].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        for number in 1...3 { try await world[1].edit(id) { $0.title = "\(number)" } }
        let gone = try await world[1].add(Item(title: "gone"))
        try await world[1].write { try $0.purge(gone) }
        let found = try await salvage(world, 1, "recovered")
        #expect(found.items.map(\.title) == ["3"] && found.items.allSatisfy(\.conflicts.isEmpty))
        try await world.close()
    }

    /// The entry that admits the device is damaged. The vault's keys still show what its revisions were made from.
    @Test func `has the newest revision of a device that nothing in the file admits`() async throws {
        let world = try await CircleWorld.met(2)
        let id = try await world[0].add(Item(title: "0"))
        try await world.meet()
        for number in 1...3 { try await world[1].edit(id) { $0.title = "\(number)" } }
        try await world.meet()
        let own = try await world[0].records(after: 0)
        let admission = try #require(
            own.first { record in
                if case .circle(.admit) = record.entry.entry.operation { true } else { false }
            }
        )
        let position = try #require(try await world[0].positions(of: [admission.entry.hash]).first)
        try await world[0].close()
        try Tampering(world.fixtures[0].location).execute("UPDATE log SET entry = x'00' WHERE position = \(position)")
        let vault = try world.fixtures[0].open()
        let found = try await vault.salvage(with: VaultFixture.passphrase())
        #expect(found.damagedEntries == 1)
        #expect(found.items.map(\.title).sorted() == ["3", "before"] && found.items.allSatisfy(\.conflicts.isEmpty))
        try await vault.close()
        try await world[1].close()
    }

    /// It removes an item for good, and writes another one again and again, before the owner removes it without having seen that.
    @Test func `keeps what a stolen device removed beside its removal, and its last word only`() async throws {
        let world = try await CircleWorld.met(3)
        let flooded = try await world[0].add(Item(title: "mine"))
        let gone = try await world[0].add(Item(title: "mine too"))
        try await world.meet()
        var thief = try await world[2].stolen()
        var records: [LogRecord] = []
        for number in 0..<20 { records.append(try thief.edit(Item(title: "flood \(number)", id: flooded))) }
        let heads = thief.graph.heads(of: gone.logged).map(\.hash)
        records.append(try thief.write(.purge(item: gone.logged, parents: heads)))
        #expect(try await world[0].take(records).taken == 21)
        let lost = thief.id
        try await world[1].removeDevices([lost], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: true)
        for number in [1, 0] { try await world.sync(number) }
        #expect(try await world.titles(0) == ["before", "mine", "mine too"])
        let found = try await salvage(world, 0)
        #expect(found.items.contains { $0.id == gone && $0.title == "mine too" })
        let item = try #require(found.items.first { $0.id == flooded })
        let texts = item.conflicts.compactMap { $0.text?.revealed } + [item.title]
        #expect(texts.sorted() == ["flood 19", "mine"])
        try await world.close()
    }

    /// The owner never signed it.
    @Test func `does not believe a stolen device that it removed the others`() async throws {
        let world = try await CircleWorld.met(2)
        let id = try await world[0].add(Item(title: "0"))
        try await world.meet()
        var thief = try await world[1].stolen()
        let owner = try OwnerKey(thief.environment)
        thief.owners = [owner]
        var header = try await world[0].currentHeader()
        header.generation += 1
        let encoded = try header.encoded(thief.keys)
        let keys = CircleKeysRecord(
            epoch: thief.keys.epoch + 1,
            owner: owner.publicKey,
            header: header.generation,
            headerHash: VaultHeader.hash(encoded),
            sealed: []
        )
        let first = try await world.id(0)
        let removal = try thief.write(.circle(.remove([first], keys)), blob: encoded)
        #expect(try await world[0].take([removal]).taken == 1)
        for number in 1...3 { try await world[0].edit(id) { $0.title = "\(number)" } }
        let found = try await salvage(world, 0)
        #expect(found.items.map(\.title).sorted() == ["3", "before"] && found.items.allSatisfy(\.conflicts.isEmpty))
        try await world.close()
    }

    /// Two notes of this size do not fit into one item.
    @Test func `leaves out what would make an item too large`() async throws {
        let world = try await CircleWorld.met(2)
        let id = try await world[0].add(Item(title: "large"))
        try await world.meet()
        for (number, letter) in ["a", "b"].enumerated() {
            try await world[number].edit(id) { $0.notes = SecretText(String(repeating: letter, count: 600_000)) }
        }
        for number in [0, 1, 0] { try await world.sync(number) }
        let found = try await salvage(world, 0)
        #expect(found.withoutConflicts == [id])
        let fixture = try VaultFixture()
        let made = try await rebuilt(found, fixture)
        #expect(try await made.item(id).notes.revealed.count == 600_000)
        #expect(try await made.summaries().map(\.title).sorted() == ["before", "large"])
        try await made.close()
        try await world.close()
    }

    @Test func `has all files, also more than a person can attach`() async throws {
        let world = try await CircleWorld.met(2)
        let id = try await world[0].add(Item(title: "files"))
        try await world.meet()
        for device in 0..<2 {
            try await world[device].edit(id) { item in
                item.attachments = (UInt8(0)..<9).map { Attachment(name: "\($0)", content: [UInt8(device), $0]) }
            }
        }
        for number in [0, 1, 0] { try await world.sync(number) }
        let found = try await salvage(world, 0)
        #expect(found.lostAttachments.isEmpty && found.withoutConflicts.isEmpty)
        let fixture = try VaultFixture()
        let made = try await rebuilt(found, fixture)
        let attachments = try await made.item(id).attachments
        #expect(attachments.count == 18)
        var contents: Set<[UInt8]> = []
        for attachment in attachments { contents.insert(try await made.content(of: attachment, in: id)) }
        #expect(contents.count == 18)
        try await made.close()
        try await world.close()
    }

    @Test func `has no file whose size is another one than a device wrote`() async throws {
        let world = try await CircleWorld.met(2)
        var item = Item(title: "files")
        item.attachments = [Attachment(name: "scan", content: [1, 2, 3])]
        let id = try await world[0].add(item)
        try await world.meet()
        var forged = try await world[0].item(id)
        let honest = try #require(forged.attachments.first)
        let fields = try #require(honest.cbor.mapValue)
        let value = CBORValue.map(fields.map { $0.key == 4 ? CBORPair(key: 4, value: 1_000) : $0 })
        forged.attachments = [try Attachment(value)]
        var thief = try await world[1].stolen()
        let record = try thief.edit(forged, naming: [try #require(honest.hash)])
        #expect(try await world[0].take([record]).taken == 1)
        let found = try await salvage(world, 0)
        #expect(found.lostAttachments == [id: ["scan"]])
        let fixture = try VaultFixture()
        let made = try await rebuilt(found, fixture)
        #expect(try await made.item(id).attachments.isEmpty)
        try await made.close()
        try await world.close()
    }
}
