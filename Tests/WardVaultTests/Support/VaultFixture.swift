import Crypto
import Foundation
import Synchronization
import Testing
import WardTesting
import WardVault

/// A folder with a vault, a clock that moves only when a test moves it, and a passphrase that is cheap to stretch.
final class VaultFixture: Sendable {
    let folder: URL
    let world: TestEffects
    let environment: VaultEnvironment
    private let stretched: StretchCount

    static let words = "correct horse battery staple"

    init(now: Int64 = 1_700_000_000, beforeWrite: @escaping @Sendable (WriteStep) throws -> Void = { _ in }) throws {
        folder = Self.fastFolder.appendingPathComponent("ward-vault-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let world = TestEffects(now: now, seed: UUID().uuidString)
        let stretched = StretchCount()
        self.world = world
        self.stretched = stretched
        environment = VaultEnvironment(
            effects: world.effects,
            beforeWrite: beforeWrite,
            stretch: { passphrase, salt in
                stretched.count.withLock { $0 += 1 }
                return Array(SHA256.hash(data: passphrase + salt))
            },
            checkpointDelay: nil
        )
    }

    /// In memory where the system has such a place: these tests flush to the disk many thousand times.
    private static let fastFolder: URL = {
        let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        return FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
    }()

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// How often a passphrase was stretched here, which takes long in a real vault.
    var stretches: Int { stretched.count.withLock { $0 } }

    private final class StretchCount: Sendable { let count = Mutex(0) }

    var location: VaultLocation { Self.location(folder) }

    static func location(_ folder: URL) -> VaultLocation {
        VaultLocation(directory: folder.path + "/data", stateDirectory: folder.path + "/state")
    }

    static func passphrase(_ words: String = VaultFixture.words) throws -> Passphrase { try Passphrase(words) }

    /// A new vault, unlocked.
    func create() async throws -> Vault { try await createWithKey().vault }

    func createWithKey() async throws -> (vault: Vault, recoveryKey: RecoveryKey) {
        try await Vault.create(at: location, passphrase: Self.passphrase(), environment: environment)
    }

    /// The vault, locked.
    func open() throws -> Vault { try Vault.open(at: location, environment: environment) }

    /// The vault, unlocked.
    func unlocked(_ words: String = VaultFixture.words, trusting trust: Vault.Trust = .known) async throws -> Vault {
        let vault = try open()
        do {
            try await vault.unlock(with: Self.passphrase(words), trusting: trust)
            return vault
        } catch {
            try? await vault.close()
            throw error
        }
    }

    /// The code of the error with which opening and unlocking ends; `nil` when it does not.
    func refusal(_ words: String = VaultFixture.words, trusting trust: Vault.Trust = .known) async -> VaultError.Code? {
        do {
            try await unlocked(words, trusting: trust).close()
            return nil
        } catch {
            return (error as? VaultError)?.code
        }
    }

    /// A copy of everything, under another folder.
    func copy() throws -> URL {
        let target = folder.appendingPathComponent("copy-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        for name in ["data", "state"] {
            let source = folder.appendingPathComponent(name)
            guard FileManager.default.fileExists(atPath: source.path) else { continue }
            try FileManager.default.copyItem(at: source, to: target.appendingPathComponent(name))
        }
        return target
    }

    func read(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }
}

extension Vault {
    /// Adds an item and returns its ID.
    @discardableResult
    func add(_ item: Item) throws -> ItemID {
        try write { try $0.add(item) }
        return item.id
    }

    /// Changes an item.
    func edit(_ id: ItemID, _ body: @Sendable (inout Item) throws -> Void) throws {
        try write { try $0.update(id) { try body(&$0) } }
    }
}
