import Foundation
import Testing
import WardLog
import WardTesting
import WardVault

/// A vault under `Tests/TestVectors/vault`, whose every secret is known.
struct FormatVectors: Codable, Equatable {
    /// An item as it must be read.
    struct Entry: Codable, Hashable {
        /// The item ID in hexadecimal.
        var item: String
        /// How many revisions it has.
        var number: Int
        /// Its encoding in hexadecimal.
        var encoding: String
        /// Its title, for people.
        var title: String
    }

    var passphrase: String
    var secretKey: String
    var recoveryKey: String
    var vault: String
    var items: [Entry]
    /// Names of items that were removed for good, in hexadecimal.
    var removed: [String]
    /// How many entries the log has.
    var entries: Int

    static let folder: URL = {
        let source = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let tests = source.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return tests.appendingPathComponent("TestVectors/vault", isDirectory: true)
    }()

    /// The vaults that were written: `small` before headers had a proof for the recovery key, `proven` after.
    static let all = ["small", "proven"]

    static func load(_ name: String) throws -> FormatVectors {
        let data = try Data(contentsOf: folder.appendingPathComponent("\(name)/expected.json"))
        return try JSONDecoder().decode(FormatVectors.self, from: data)
    }

    /// A copy of the vault's files that may be written to.
    static func copy(_ vector: String, to fixture: VaultFixture) throws {
        try FileManager.default.createDirectory(atPath: fixture.location.directory, withIntermediateDirectories: true)
        for (name, path) in [("vault.db", fixture.location.database), ("secret-key", fixture.location.secretKey)] {
            let bytes = try fixture.read(folder.appendingPathComponent("\(vector)/\(name)").path)
            try fixture.write(bytes, to: path)
        }
    }

    /// The day of the vector: a vault with items of every kind, a change, a removal, something in the trash, another header,
    /// and a second device.
    ///
    /// The clock stands still and random bytes repeat, so everything written down here is the same every time.
    static func make(in fixture: VaultFixture) async throws -> FormatVectors {
        let world = TestEffects(now: 1_800_000_000, seed: "ward vault vectors 1")
        let words = "Grüße, correct horse battery staple"
        let environment = VaultEnvironment(effects: world.effects)
        var (vault, recoveryKey) = try await Vault.create(
            at: fixture.location,
            passphrase: Passphrase(words),
            environment: environment
        )
        func id() -> ItemID { ItemID(effects: world.effects) }
        let full = try Sample.full(id: id())
        try await vault.add(full)
        let others = Sample.otherKinds { id() }
        try await vault.write { transaction in for item in others { try transaction.add(item, change: .imported) } }
        let notes = SecretText(String(repeating: "A long note. ", count: 500))
        let long = try await vault.add(Item(.note, title: "long", notes: notes, id: id()))
        let gone = try await vault.add(Item(title: "gone", id: id()))
        world.advance(by: 100)
        try await vault.edit(full.id) { item in
            item.title = "Example, changed"
            item.password?.change(to: "a newer one", at: 1_800_000_100)
        }
        try await vault.write { try $0.trash(long) }
        try await vault.write { try $0.purge(gone) }
        try await vault.changePassphrase(from: Passphrase(words), to: Passphrase(words))
        try await vault.close()
        world.advance(by: 100)
        try fixture.remove(fixture.location.stateDirectory)
        vault = try Vault.open(at: fixture.location, environment: environment)
        try await vault.unlock(with: Passphrase(words), trusting: .thisFile)
        try await vault.edit(others[0].id) { $0.notes = "from the second device" }
        var entries: [Entry] = []
        for item in [full.id, long] + others.map(\.id) { entries.append(try await Entry(item, of: vault)) }
        let vectors = FormatVectors(
            passphrase: words,
            secretKey: try await vault.secretKey().text,
            recoveryKey: recoveryKey.text,
            vault: hex(vault.id.bytes),
            items: entries.sorted { $0.item < $1.item },
            removed: [hex(gone.bytes)],
            entries: try await vault.status().entries
        )
        try await vault.close()
        return vectors
    }
}

extension FormatVectors.Entry {
    /// What a vault has.
    init(_ id: ItemID, of vault: Vault) async throws {
        let stored = try await vault.item(id)
        item = hex(id.bytes)
        number = try await vault.history(of: id).count
        encoding = hex(try stored.encoded())
        title = stored.title
    }
}
