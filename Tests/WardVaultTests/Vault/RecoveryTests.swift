import Foundation
import Testing
import WardVault

@Suite struct `Recovery` {
    @Test func `the recovery key opens the vault and sets a passphrase`() async throws {
        let bench = try Bench()
        let (vault, key) = try await bench.createWithKey()
        let id = try await vault.add(Item(title: "a"))
        #expect(try await vault.isRecoveryKey(key))
        try await vault.close()

        let again = try bench.open()
        #expect(try await again.isRecoveryKey(RecoveryKey(text: key.text.lowercased())))
        try await again.recover(with: key, newPassphrase: Bench.passphrase("a new one"))
        #expect(try await again.item(id).title == "a")
        #expect(try await again.verifyLog().entries == 4)
        try await again.close()
        #expect(await bench.refusal() == .wrongPassphrase)
        #expect(await bench.refusal("a new one") == nil)
    }

    @Test func `another recovery key is told from a damaged vault`() async throws {
        let bench = try Bench()
        let other = try Bench()
        let vault = try await bench.create()
        let (otherVault, key) = try await other.createWithKey()
        #expect(try await !vault.isRecoveryKey(key))
        await vault.lock()
        await #expect(throws: VaultError(.wrongRecoveryKey, "")) {
            try await vault.recover(with: key, newPassphrase: Bench.passphrase())
        }
        #expect(await vault.isLocked)
        try await vault.close()
        try await otherVault.close()
    }

    @Test func `a replaced recovery key opens nothing more`() async throws {
        let bench = try Bench()
        let (vault, old) = try await bench.createWithKey()
        let new = try await vault.replaceRecoveryKey()
        #expect(try await !vault.isRecoveryKey(old))
        #expect(try await vault.isRecoveryKey(new))
        await vault.lock()
        await #expect(throws: VaultError(.wrongRecoveryKey, "")) {
            try await vault.recover(with: old, newPassphrase: Bench.passphrase("x"))
        }
        try await vault.recover(with: new, newPassphrase: Bench.passphrase("x"))
        try await vault.close()
        #expect(await bench.refusal("x") == nil)
    }

    @Test func `a vault from before there were proofs is recovered only when somebody says that it is theirs`()
        async throws
    {
        let expected = try FormatVectors.load("small")
        let key = try RecoveryKey(text: expected.recoveryKey)
        let bench = try Bench()
        try FormatVectors.copy("small", to: bench)
        let file = try bench.read(bench.location.database)
        let vault = try Vault.open(at: bench.location, environment: bench.environment)
        #expect(await !vault.isProven)
        let outline = try await vault.outline(with: key)
        #expect(!outline.isProven)
        #expect(outline.items == expected.items.count)
        #expect(outline.changedAt == 1_800_000_200)
        await #expect(throws: VaultError(.unprovenVault, "")) {
            try await vault.recover(with: key, newPassphrase: Bench.passphrase(), trusting: .thisFile)
        }
        // Locked, it has nothing to prove with.
        #expect(try await vault.confirm(key))
        #expect(await !vault.isProven)
        #expect(try bench.read(bench.location.database) == file)
        try await vault.recover(
            with: key,
            newPassphrase: Bench.passphrase(),
            trusting: .thisFile,
            acceptingUnproven: true
        )
        #expect(await vault.isProven)
        try await vault.close()
        try FileManager.default.removeItem(atPath: bench.location.stateDirectory)
        let again = try bench.open()
        #expect(try await again.outline(with: key).isProven)
        try await again.recover(with: key, newPassphrase: Bench.passphrase("x"), trusting: .thisFile)
        try await again.close()
    }

    @Test func `an open vault from before there were proofs gains one when its recovery key is typed`() async throws {
        let expected = try FormatVectors.load("small")
        let other = try Bench()
        let (foreign, foreignKey) = try await other.createWithKey()
        try await foreign.close()
        let bench = try Bench()
        try FormatVectors.copy("small", to: bench)
        let vault = try Vault.open(at: bench.location)
        try await vault.unlock(with: Passphrase(expected.passphrase), trusting: .thisFile)
        try await vault.changePassphrase(from: Passphrase(expected.passphrase), to: Bench.passphrase())
        #expect(try await !vault.confirm(foreignKey))
        #expect(await !vault.isProven)
        #expect(try await vault.confirm(RecoveryKey(text: expected.recoveryKey)))
        #expect(await vault.isProven)
        #expect(try await vault.verifyLog().entries == expected.entries + 3)
        let generations = try await vault.status().entries
        #expect(try await vault.confirm(RecoveryKey(text: expected.recoveryKey)))
        #expect(try await vault.status().entries == generations)
        try await vault.close()
    }

    @Test func `without the Secret Key no passphrase opens the vault, and the recovery key makes a new one`()
        async throws
    {
        let bench = try Bench()
        let (vault, key) = try await bench.createWithKey()
        let secretKey = try await vault.secretKey().text
        try await vault.close()
        try bench.remove(bench.location.secretKey)
        #expect(await bench.refusal() == .secretKeyMissing)

        let again = try bench.open()
        try await again.recover(with: key, newPassphrase: Bench.passphrase("x"))
        #expect(try await again.secretKey().text != secretKey)
        try await again.close()
        #expect(await bench.refusal("x") == nil)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: bench.location.directory).sorted()
                == ["secret-key", "vault.db", "vault.lock"]
        )
    }

    @Test func `another vault's Secret Key is named, and set aside when one is recovered`() async throws {
        let bench = try Bench()
        let other = try Bench()
        let (vault, key) = try await bench.createWithKey()
        try await vault.close()
        try await other.create().close()
        try bench.write(other.read(other.location.secretKey), to: bench.location.secretKey)
        #expect(await bench.refusal() == .wrongSecretKey)
        let again = try bench.open()
        try await again.recover(with: key, newPassphrase: Bench.passphrase("x"))
        try await again.close()
        #expect(await bench.refusal("x") == nil)
        #expect(try bench.read(bench.location.secretKey + ".old") == other.read(other.location.secretKey))
    }

    @Test func `a Secret Key from paper takes its place`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
        let text = try await vault.secretKey().text
        try await vault.close()
        try bench.remove(bench.location.secretKey)
        let again = try bench.open()
        let otherBench = try Bench()
        let other = try await otherBench.create()
        let foreign = try await other.secretKey()
        try await other.close()
        await #expect(throws: VaultError(.wrongSecretKey, "")) { try await again.adoptSecretKey(foreign) }
        try await again.adoptSecretKey(SecretKey(text: text.lowercased()))
        try await again.adoptSecretKey(SecretKey(text: text))
        try await again.unlock(with: Bench.passphrase())
        try await again.close()
        #expect(!FileManager.default.fileExists(atPath: bench.location.secretKey + ".old"))
    }

    @Test func `a new vault never overwrites the Secret Key of an old one`() async throws {
        let bench = try Bench()
        try await bench.create().close()
        let key = try bench.read(bench.location.secretKey)
        try FileManager.default.moveItem(atPath: bench.location.database, toPath: bench.location.database + ".moved")
        try await bench.create().close()
        #expect(try bench.read(bench.location.secretKey) != key)
        #expect(try bench.read(bench.location.secretKey + ".old") == key)
    }

    @Test func `on another device only the file, the Secret Key and consent are needed`() async throws {
        let bench = try Bench()
        let vault = try await bench.create()
        let id = try await vault.add(Item(title: "a"))
        let first = try await vault.status().device
        try await vault.close()
        try FileManager.default.removeItem(atPath: bench.location.stateDirectory)
        #expect(await bench.refusal() == .unknownDevice)
        let second = try await bench.unlocked(trusting: .thisFile)
        #expect(try await second.item(id).title == "a")
        let status = try await second.status()
        #expect(status.devices.count == 2)
        #expect(status.device != first)
        try await second.add(Item(title: "b"))
        #expect(try await second.verifyLog().devices.count == 2)
        try await second.close()
        #expect(await bench.refusal() == nil)
    }
}
