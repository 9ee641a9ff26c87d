import Foundation
import Synchronization
import Testing
import WardTesting
import WardVault

/// What a vault must hold, whatever happened to it: everything acknowledged, and of what was under way all or nothing.
private struct Promise: Sendable {
    /// The acknowledged titles of items by ID; `nil` for removed items.
    var acknowledged: [ItemID: String?] = [:]
    /// The change that was under way: what it would make of items.
    var pending: [ItemID: String?] = [:]
    /// Passphrases that may open the vault.
    var passphrases = [VaultFixture.words]

    /// Whether contents keep the promise.
    func isKept(by found: [ItemID: String]) -> Bool {
        func holds(_ expected: [ItemID: String?]) -> Bool {
            let there = expected.compactMapValues { $0 }
            return found == there
        }
        return holds(acknowledged) || holds(acknowledged.merging(pending) { $1 })
    }
}

/// A person's day, step by step, saying what was promised when.
private final class Day: Sendable {
    let promise = Mutex(Promise())

    func run(_ fixture: VaultFixture, lockAtEnd: Bool = true) async throws {
        let vault = try await fixture.create()
        var ids: [ItemID] = []
        for number in 0..<4 {
            let item = Item(title: "item \(number)", notes: SecretText(String(repeating: "n", count: number * 700)))
            ids.append(item.id)
            try await step([item.id: item.title]) { try await vault.add(item) }
        }
        let (first, second, third) = (ids[0], ids[1], ids[2])
        try await step([first: "changed"]) { try await vault.edit(first) { $0.title = "changed" } }
        let batch = (0..<3).map { Item(title: "batch \($0)") }
        try await step(Dictionary(uniqueKeysWithValues: batch.map { ($0.id, $0.title) })) {
            try await vault.write { transaction in for item in batch { try transaction.add(item) } }
        }
        try await step([second: nil]) { try await vault.write { try $0.purge(second) } }
        promise.withLock { $0.passphrases.append("another one") }
        try await vault.changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase("another one"))
        _ = promise.withLock { $0.passphrases.removeFirst() }
        await vault.saveIndexNow()
        try await step([third: "after the index"]) { try await vault.edit(third) { $0.title = "after the index" } }
        await vault.lock()
        try await vault.unlock(with: VaultFixture.passphrase("another one"))
        try await step([first: "last"]) { try await vault.edit(first) { $0.title = "last" } }
        if lockAtEnd { try await vault.close() }
    }

    private func step(_ change: [ItemID: String?], _ body: () async throws -> Void) async throws {
        promise.withLock { $0.pending = change }
        try await body()
        promise.withLock { promise in
            promise.acknowledged.merge(change) { $1 }
            promise.pending = [:]
        }
    }
}

extension VaultFixture {
    /// What a vault in another folder holds.
    fileprivate func contents(of folder: URL, passphrases: [String]) async throws -> [ItemID: String] {
        let vault = try Vault.open(at: VaultFixture.location(folder), environment: environment)
        do {
            var refusal: VaultError?
            for words in passphrases {
                do {
                    try await vault.unlock(with: VaultFixture.passphrase(words))
                    refusal = nil
                    break
                } catch let error as VaultError {
                    guard error.code == .wrongPassphrase else { throw error }
                    refusal = error
                }
            }
            if let refusal { throw refusal }
            var found: [ItemID: String] = [:]
            for summary in try await vault.summaries() { found[summary.id] = try await vault.item(summary.id).title }
            #expect(try await vault.status().unreadable.isEmpty)
            #expect(try await vault.verifyLog().entries > 0)
            try await vault.close()
            return found
        } catch {
            try? await vault.close()
            throw error
        }
    }
}

@Suite(.serialized) struct `Power cuts` {
    @Test func `before any step that writes the vault is whole: all that was promised, and nothing half done`()
        async throws
    {
        let day = Day()
        let images = Mutex<[(promise: Promise, folder: URL)]>([])
        let copier = Mutex<(@Sendable () -> Void)?>(nil)
        let fixture = try VaultFixture { _ in copier.withLock { $0 }?() }
        copier.withLock { copier in
            copier = { [unowned fixture] in
                guard let folder = try? fixture.copy() else { return }
                let promise = day.promise.withLock { $0 }
                images.withLock { $0.append((promise, folder)) }
            }
        }
        try await day.run(fixture)
        let all = images.withLock { $0 }
        #expect(all.count > 40)
        for (number, image) in all.enumerated() {
            guard VaultFixture.location(image.folder).hasVault else {
                // Before the vault was in its place there was none: making one must work.
                #expect(image.promise.acknowledged.isEmpty)
                let vault = try await Vault.create(
                    at: VaultFixture.location(image.folder),
                    passphrase: VaultFixture.passphrase(),
                    environment: VaultEnvironment(effects: fixture.world.effects, stretch: fixture.environment.stretch)
                ).vault
                try await vault.close()
                continue
            }
            let quiet = try VaultFixture()
            let found = try await quiet.contents(of: image.folder, passphrases: image.promise.passphrases)
            #expect(image.promise.isKept(by: found), "image \(number)")
        }
        copier.withLock { $0 = nil }
    }

    @Test(arguments: [true, false])
    func `a disk that refuses at the n-th step loses nothing`(once: Bool) async throws {
        var reachedEnd = false
        for limit in 0..<200 where !reachedEnd {
            let day = Day()
            let left = Mutex(limit)
            let fixture = try VaultFixture { _ in
                try left.withLock { left in
                    defer { left -= 1 }
                    if left == 0 || left < 0 && !once { throw POSIXError(.EIO) }
                }
            }
            do {
                try await day.run(fixture)
                reachedEnd = left.withLock { $0 } >= 0
            } catch {
                #expect(error is VaultError)
            }
            guard fixture.location.hasVault else { continue }
            let promise = day.promise.withLock { $0 }
            let found = try await VaultFixture().contents(of: fixture.folder, passphrases: promise.passphrases)
            #expect(promise.isKept(by: found), "limit \(limit)")
        }
        #expect(reachedEnd)
    }

    @Test func `a vault goes on after a disk refused once`() async throws {
        let fails = Mutex(false)
        let fixture = try VaultFixture { step in
            if step == .commit, fails.withLock({ $0 }) { throw POSIXError(.EIO) }
        }
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "a"))
        fails.withLock { $0 = true }
        await #expect(throws: VaultError(.unavailable, "")) { try await vault.edit(id) { $0.title = "b" } }
        await #expect(throws: VaultError(.unavailable, "")) { try await vault.replaceRecoveryKey() }
        #expect(try await vault.item(id).title == "a")
        fails.withLock { $0 = false }
        try await vault.edit(id) { $0.title = "c" }
        #expect(try await vault.verifyLog().revisions == 2)
        try await vault.close()
        let again = try await fixture.unlocked()
        #expect(try await again.item(id).title == "c")
        try await again.close()
    }

    @Test func `a head that cannot be remembered is said, and caught up with`() async throws {
        let fails = Mutex(false)
        let fixture = try VaultFixture { step in
            if step == .head, fails.withLock({ $0 }) { throw POSIXError(.EIO) }
        }
        let vault = try await fixture.create()
        fails.withLock { $0 = true }
        try await vault.add(Item(title: "a"))
        #expect(try await vault.status().isHeadBehind)
        fails.withLock { $0 = false }
        try await vault.add(Item(title: "b"))
        #expect(try await !vault.status().isHeadBehind)
        fails.withLock { $0 = true }
        try await vault.add(Item(title: "c"))
        try await vault.close()
        let again = try await fixture.unlocked()
        #expect(try await again.summaries().count == 3)
        try await again.close()
    }
}
