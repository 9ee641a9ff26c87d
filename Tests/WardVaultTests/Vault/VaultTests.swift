import Foundation
import Testing
import WardVault

@Suite struct `A vault` {
    @Test func `what was written is there after locking, unlocking and closing`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
        let item = try Sample.full()
        try await vault.add(item)
        for other in Sample.otherKinds() { try await vault.add(other) }
        await vault.lock()
        try await vault.unlock(with: Bench.passphrase())
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

        let again = try await bench.unlocked()
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
        let vault = try await Bench().create()
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
        let bench = try Bench()
        try await bench.create().close()
        #expect(await bench.refusal("correct horse battery stapl") == .wrongPassphrase)
        #expect(await bench.refusal("Correct horse battery staple") == .wrongPassphrase)
        #expect(await bench.refusal() == nil)
    }

    @Test func `letters typed in another way are the same passphrase`() async throws {
        let bench = try Bench()
        try await Vault.create(
            at: bench.location,
            passphrase: Passphrase("Grüße ﬁn"),
            environment: bench.environment
        ).vault.close()
        #expect(await bench.refusal("Gru\u{308}ße fin") == nil)
        #expect(await bench.refusal("Gruße fin") == .wrongPassphrase)
        let vault = try bench.open()
        try await vault.unlock(with: Passphrase(utf8: Array("Grüße ﬁn".utf8)))
        try await vault.close()
    }

    @Test func `a passphrase has at least a character`() {
        #expect(throws: VaultError(.emptyPassphrase, "")) { try Passphrase("") }
        #expect(throws: VaultError(.emptyPassphrase, "")) { try Passphrase(utf8: []) }
    }

    @Test func `there is one vault in one place, and it is open once`() async throws {
        let bench = try Bench()
        #expect(throws: VaultError(.vaultMissing, "")) { try bench.open() }
        let vault = try await bench.create()
        await #expect(throws: VaultError(.vaultExists, "")) { try await bench.create() }
        #expect(throws: VaultError(.inUse, "")) { try bench.open() }
        try await vault.close()
        try await bench.open().close()
    }

    @Test func `a locked vault leaves its file to others, and sees what they did`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
        await vault.lock()
        let other = try await bench.unlocked()
        await #expect(throws: VaultError(.inUse, "")) { try await vault.unlock(with: Bench.passphrase()) }
        try await other.add(Item(title: "by the other"))
        try await other.changePassphrase(from: Bench.passphrase(), to: Bench.passphrase("another one"))
        await other.lock()
        await #expect(throws: VaultError(.wrongPassphrase, "")) { try await vault.unlock(with: Bench.passphrase()) }
        try await vault.unlock(with: Bench.passphrase("another one"))
        #expect(try await vault.summaries().map(\.title) == ["by the other"])
        await #expect(throws: VaultError(.inUse, "")) { try await other.unlock(with: Bench.passphrase("another one")) }
        try await vault.close()
        try await other.close()
    }

    @Test func `a locked vault in whose place another one lies does not unlock that one`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
        await vault.lock()
        let elsewhere = try Bench()
        try await elsewhere.create().close()
        try FileManager.default.removeItem(atPath: bench.location.database)
        try FileManager.default.copyItem(atPath: elsewhere.location.database, toPath: bench.location.database)
        await #expect(throws: VaultError(.conflict, "")) { try await vault.unlock(with: Bench.passphrase()) }
        try FileManager.default.removeItem(atPath: bench.location.database)
        await #expect(throws: VaultError(.vaultMissing, "")) { try await vault.unlock(with: Bench.passphrase()) }
        try await vault.close()
        await #expect(throws: VaultError(.closed, "")) { try await vault.unlock(with: Bench.passphrase()) }
    }

    @Test func `a locked vault answers nothing, a closed one neither`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
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
        await #expect(throws: VaultError(.closed, "")) { try await vault.unlock(with: Bench.passphrase()) }
    }

    @Test func `unlocking an open vault asks for the passphrase all the same`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
        try await vault.unlock(with: Bench.passphrase())
        await #expect(throws: VaultError(.wrongPassphrase, "")) {
            try await vault.unlock(with: Bench.passphrase("no"))
        }
        #expect(await !vault.isLocked)
        try await vault.close()
    }

    @Test func `asking again for the passphrase changes nothing`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
        let before = try bench.copy()
        try await vault.verify(Bench.passphrase())
        await #expect(throws: VaultError(.wrongPassphrase, "")) { try await vault.verify(Bench.passphrase("no")) }
        #expect(await !vault.isLocked)
        for path in [\VaultLocation.head, \.device, \.headerCopy] {
            #expect(try bench.read(bench.location[keyPath: path]) == bench.read(Bench.location(before)[keyPath: path]))
        }
        #expect(try await vault.status().entries == 2)
        await vault.lock()
        await #expect(throws: VaultError(.locked, "")) { try await vault.verify(Bench.passphrase()) }
        try await vault.close()
        await #expect(throws: VaultError(.closed, "")) { try await vault.verify(Bench.passphrase()) }
    }

    @Test func `four things that can be wrong have four names`() async throws {
        let bench = try Bench()
        try await bench.create().close()
        let first = try bench.read(bench.location.database)
        let second = try await bench.unlocked()
        try await second.add(Item(title: "a"))
        try await second.close()
        let last = try bench.read(bench.location.database)

        #expect(await bench.refusal("no") == .wrongPassphrase)
        try bench.write(first, to: bench.location.database)
        #expect(await bench.refusal() == .rolledBack)
        try bench.write(last, to: bench.location.database)
        try Tampering(bench.location).execute("UPDATE log SET entry = x'00' WHERE position = 1")
        #expect(await bench.refusal() == .damaged)
        try bench.write(last, to: bench.location.database)
        try Tampering(bench.location).execute("PRAGMA user_version = 2")
        #expect(await bench.refusal() == .unknownVersion)
        try bench.write(last, to: bench.location.database)
        #expect(await bench.refusal() == nil)
    }

    @Test func `a lock that comes while the vault unlocks wins`() async throws {
        let bench = try Bench()
        try await bench.create().close()
        let gate = DispatchSemaphore(value: 0)
        let started = DispatchSemaphore(value: 0)
        var environment = bench.environment
        let stretch = try #require(environment.stretch)
        environment.stretch = { passphrase, salt in
            started.signal()
            gate.wait()
            return stretch(passphrase, salt)
        }
        let vault = try Vault.open(at: bench.location, environment: environment)
        let unlocking = Task { try await vault.unlock(with: Bench.passphrase()) }
        await Task.detached { started.waitForever() }.value
        await vault.lock()
        gate.signal()
        await #expect(throws: VaultError(.locked, "")) { try await unlocking.value }
        #expect(await vault.isLocked)
        try await vault.close()
    }

    @Test func `another passphrase takes the place of the first`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
        let id = try await vault.add(Item(title: "a"))
        await #expect(throws: VaultError(.wrongPassphrase, "")) {
            try await vault.changePassphrase(from: Bench.passphrase("no"), to: Bench.passphrase("new one"))
        }
        try await vault.changePassphrase(from: Bench.passphrase(), to: Bench.passphrase("new one"))
        #expect(try await vault.verifyLog().entries == 4)
        try await vault.close()
        #expect(await bench.refusal() == .wrongPassphrase)
        let again = try await bench.unlocked("new one")
        #expect(try await again.item(id).title == "a")
        try await again.close()
    }

    @Test func `files are for their owner alone`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
        try await vault.add(Item(title: "a"))
        for number in 0..<60 { try await vault.add(Item(title: "\(number)")) }
        await vault.lock()
        for path in [
            bench.location.database, bench.location.secretKey, bench.location.device, bench.location.head,
            bench.location.headerCopy, bench.location.index,
        ] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(path)")
        }
        for path in [bench.location.directory, bench.location.stateDirectory] {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
        }
        try await vault.close()
        let left = try FileManager.default.contentsOfDirectory(atPath: bench.location.directory).sorted()
        #expect(left == ["secret-key", "vault.db", "vault.lock"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: bench.location.stateDirectory).sorted()
                == ["device", "head", "header", "index"]
        )
    }

    @Test func `nothing of an item is on the disk in clear`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
        for _ in 0..<60 {
            try await vault.add(
                Item(
                    title: "Findable title",
                    username: "findable-user",
                    password: Password("findable-pw", changedAt: 1)
                )
            )
        }
        let before = try bench.read(bench.location.database + "-wal")
        try await vault.close()
        let all =
            try before + bench.read(bench.location.database) + bench.read(bench.location.index)
            + bench.read(bench.location.device) + bench.read(bench.location.head)
        let text = String(decoding: all, as: UTF8.self).lowercased()
        #expect(!text.contains("findable"))
        #expect(text.contains("create table"))
    }
}

extension DispatchSemaphore {
    /// Waits in a place where blocking is allowed.
    fileprivate func waitForever() { wait() }
}
