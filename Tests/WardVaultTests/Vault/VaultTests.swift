import Foundation
import Testing
import WardVault

@Suite struct `A vault` {
    @Test func `what was written is there after locking, unlocking and closing`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let item = try Sample.full()
        try await vault.add(item)
        for other in Sample.otherKinds() { try await vault.add(other) }
        await vault.lock()
        try await vault.unlock(with: VaultFixture.passphrase())
        let read = try await vault.item(item.id)
        #expect(read.title == item.title)
        #expect(read.passkeys == item.passkeys)
        #expect(read.codes == item.codes)
        #expect(read.password == item.password)
        #expect(read.sections == item.sections)
        #expect(read.notes == item.notes)
        #expect(read.extensions == item.extensions)
        #expect(read.createdAt == 1_600_000_000)
        #expect(read.modifiedAt == 1_700_000_000)
        #expect(read.change == .created)
        try await vault.close()

        let again = try await fixture.unlocked()
        #expect(try await again.item(item.id) == read)
        #expect(try await again.summaries().count == 1 + Sample.otherKinds().count)
        for other in Sample.otherKinds() {
            let found = try await again.summaries(matching: other.title)
            #expect(try await again.item(#require(found.first).id).sections == other.sections)
        }
        #expect(try await again.verifyLog().revisions == 1 + Sample.otherKinds().count)
        try await again.close()
    }

    @Test func `an item is answered as it was written, without being read again`() async throws {
        let vault = try await VaultFixture().create()
        let sample = try Sample.full()
        let added = try await vault.writeItem { try $0.add(sample) }
        #expect(try await vault.item(sample.id) == added)
        #expect(added.revision != nil)
        let edited = try await vault.writeItem { transaction in
            try transaction.update(sample.id) { $0.title = "first" }
            var item = try transaction.item(sample.id)
            item.tags.append("second")
            return try transaction.replace(item)
        }
        #expect(try await vault.item(sample.id) == edited)
        #expect(edited.title == "first")
        #expect(edited.revision != added.revision)
        #expect(try await vault.history(of: sample.id).count == 2)
        let unchanged = try await vault.writeItem { try $0.item(sample.id) }
        #expect(unchanged == edited)
        #expect(try await vault.verifyLog().revisions == 2)
        try await vault.close()
    }

    @Test func `another passphrase is told from everything else`() async throws {
        let fixture = try VaultFixture()
        try await fixture.create().close()
        #expect(await fixture.refusal("correct horse battery stapl") == .wrongPassphrase)
        #expect(await fixture.refusal("Correct horse battery staple") == .wrongPassphrase)
        #expect(await fixture.refusal() == nil)
    }

    @Test func `letters typed in another way are the same passphrase`() async throws {
        let fixture = try VaultFixture()
        try await Vault.create(
            at: fixture.location,
            passphrase: Passphrase("Grüße ﬁn"),
            environment: fixture.environment
        ).vault.close()
        #expect(await fixture.refusal("Gru\u{308}ße fin") == nil)
        #expect(await fixture.refusal("Gruße fin") == .wrongPassphrase)
        let vault = try fixture.open()
        try await vault.unlock(with: Passphrase(utf8: Array("Grüße ﬁn".utf8)))
        try await vault.close()
    }

    @Test func `a passphrase has at least a character`() {
        #expect(throws: VaultError(.emptyPassphrase, "")) { try Passphrase("") }
        #expect(throws: VaultError(.emptyPassphrase, "")) { try Passphrase(utf8: []) }
    }

    @Test func `there is one vault in one place, and it is open once`() async throws {
        let fixture = try VaultFixture()
        #expect(throws: VaultError(.vaultMissing, "")) { try fixture.open() }
        let vault = try await fixture.create()
        await #expect(throws: VaultError(.vaultExists, "")) { try await fixture.create() }
        #expect(throws: VaultError(.inUse, "")) { try fixture.open() }
        try await vault.close()
        try await fixture.open().close()
    }

    @Test func `a locked vault leaves its file to others, and sees what they did`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        await vault.lock()
        let other = try await fixture.unlocked()
        await #expect(throws: VaultError(.inUse, "")) { try await vault.unlock(with: VaultFixture.passphrase()) }
        try await other.add(Item(title: "by the other"))
        try await other.changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase("another one"))
        await other.lock()
        await #expect(throws: VaultError(.wrongPassphrase, "")) {
            try await vault.unlock(with: VaultFixture.passphrase())
        }
        try await vault.unlock(with: VaultFixture.passphrase("another one"))
        #expect(try await vault.summaries().map(\.title) == ["by the other"])
        await #expect(throws: VaultError(.inUse, "")) {
            try await other.unlock(with: VaultFixture.passphrase("another one"))
        }
        try await vault.close()
        try await other.close()
    }

    @Test func `a locked vault in whose place another one lies does not unlock that one`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        await vault.lock()
        let elsewhere = try VaultFixture()
        try await elsewhere.create().close()
        try FileManager.default.removeItem(atPath: fixture.location.database)
        try FileManager.default.copyItem(atPath: elsewhere.location.database, toPath: fixture.location.database)
        await #expect(throws: VaultError(.conflict, "")) { try await vault.unlock(with: VaultFixture.passphrase()) }
        try FileManager.default.removeItem(atPath: fixture.location.database)
        await #expect(throws: VaultError(.vaultMissing, "")) { try await vault.unlock(with: VaultFixture.passphrase()) }
        try await vault.close()
        await #expect(throws: VaultError(.closed, "")) { try await vault.unlock(with: VaultFixture.passphrase()) }
    }

    @Test func `a locked vault answers nothing, a closed one neither`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "a"))
        await vault.lock()
        #expect(await vault.isLocked)
        await #expect(throws: VaultError(.locked, "")) { try await vault.item(id) }
        await #expect(throws: VaultError(.locked, "")) { try await vault.summaries() }
        await #expect(throws: VaultError(.locked, "")) { try await vault.add(Item(title: "b")) }
        await #expect(throws: VaultError(.locked, "")) { try await vault.status() }
        await #expect(throws: VaultError(.locked, "")) { try await vault.verifyLog() }
        await #expect(throws: VaultError(.locked, "")) { try await vault.secretKey() }
        await #expect(throws: VaultError(.locked, "")) { try await vault.replaceRecoveryKey() }
        try await vault.close()
        try await vault.close()
        await #expect(throws: VaultError(.closed, "")) { try await vault.item(id) }
        await #expect(throws: VaultError(.closed, "")) { try await vault.unlock(with: VaultFixture.passphrase()) }
    }

    @Test func `unlocking an open vault asks for the passphrase all the same`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        try await vault.unlock(with: VaultFixture.passphrase())
        await #expect(throws: VaultError(.wrongPassphrase, "")) {
            try await vault.unlock(with: VaultFixture.passphrase("no"))
        }
        #expect(await !vault.isLocked)
        try await vault.close()
    }

    @Test func `asking again for the passphrase changes nothing`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let before = try fixture.copy()
        try await vault.verify(VaultFixture.passphrase())
        await #expect(throws: VaultError(.wrongPassphrase, "")) {
            try await vault.verify(VaultFixture.passphrase("no"))
        }
        #expect(await !vault.isLocked)
        for path in [\VaultLocation.head, \.device, \.headerCopy] {
            #expect(
                try fixture.read(fixture.location[keyPath: path])
                    == fixture.read(VaultFixture.location(before)[keyPath: path])
            )
        }
        #expect(try await vault.status().entries == 2)
        await vault.lock()
        await #expect(throws: VaultError(.locked, "")) { try await vault.verify(VaultFixture.passphrase()) }
        try await vault.close()
        await #expect(throws: VaultError(.closed, "")) { try await vault.verify(VaultFixture.passphrase()) }
    }

    @Test func `four things that can be wrong have four names`() async throws {
        let fixture = try VaultFixture()
        try await fixture.create().close()
        let first = try fixture.read(fixture.location.database)
        let second = try await fixture.unlocked()
        try await second.add(Item(title: "a"))
        try await second.close()
        let last = try fixture.read(fixture.location.database)

        #expect(await fixture.refusal("no") == .wrongPassphrase)
        try fixture.write(first, to: fixture.location.database)
        #expect(await fixture.refusal() == .rolledBack)
        try fixture.write(last, to: fixture.location.database)
        try Tampering(fixture.location).execute("UPDATE log SET entry = x'00' WHERE position = 1")
        #expect(await fixture.refusal() == .damaged)
        try fixture.write(last, to: fixture.location.database)
        try Tampering(fixture.location).execute("PRAGMA user_version = 2")
        #expect(await fixture.refusal() == .unknownVersion)
        try fixture.write(last, to: fixture.location.database)
        #expect(await fixture.refusal() == nil)
    }

    @Test func `another passphrase takes the place of the first`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "a"))
        await #expect(throws: VaultError(.wrongPassphrase, "")) {
            try await vault.changePassphrase(
                from: VaultFixture.passphrase("no"),
                to: VaultFixture.passphrase("new one")
            )
        }
        try await vault.changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase("new one"))
        #expect(try await vault.verifyLog().entries == 4)
        try await vault.close()
        #expect(await fixture.refusal() == .wrongPassphrase)
        let again = try await fixture.unlocked("new one")
        #expect(try await again.item(id).title == "a")
        try await again.close()
    }

    @Test func `files are for their owner alone`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        try await vault.add(Item(title: "a"))
        for number in 0..<60 { try await vault.add(Item(title: "\(number)")) }
        await vault.lock()
        for path in [
            fixture.location.database, fixture.location.secretKey, fixture.location.device, fixture.location.head,
            fixture.location.headerCopy, fixture.location.index,
        ] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(path)")
        }
        for path in [fixture.location.directory, fixture.location.stateDirectory] {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
        }
        try await vault.close()
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.location.directory).sorted()
        #expect(left == ["secret-key", "vault.db", "vault.lock"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.location.stateDirectory).sorted()
                == ["device", "head", "header", "index"]
        )
    }

    @Test func `nothing of an item is on the disk in clear`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        for _ in 0..<60 {
            try await vault.add(
                Item(
                    title: "Findable title",
                    username: "findable-user",
                    password: Password("findable-pw", changedAt: 1)
                )
            )
        }
        let before = try fixture.read(fixture.location.database + "-wal")
        try await vault.close()
        let all =
            try before + fixture.read(fixture.location.database) + fixture.read(fixture.location.index)
            + fixture.read(fixture.location.device) + fixture.read(fixture.location.head)
        let text = String(decoding: all, as: UTF8.self).lowercased()
        #expect(!text.contains("findable"))
        #expect(text.contains("create table"))
    }
}
