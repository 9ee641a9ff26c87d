import Foundation
import Testing
import WardVault

@Suite struct `Recovery` {
    @Test func `the recovery key opens the vault and sets a passphrase`() async throws {
        let fixture = try VaultFixture()
        let (vault, key) = try await fixture.createWithKey()
        let id = try await vault.add(Item(title: "a"))
        #expect(try await vault.isRecoveryKey(key))
        try await vault.close()

        let again = try fixture.open()
        #expect(try await again.isRecoveryKey(RecoveryKey(text: key.text.lowercased())))
        try await again.recover(with: key, newPassphrase: VaultFixture.passphrase("a new one"))
        #expect(try await again.item(id).title == "a")
        #expect(try await again.verifyLog().entries == 4)
        try await again.close()
        #expect(await fixture.refusal() == .wrongPassphrase)
        #expect(await fixture.refusal("a new one") == nil)
    }

    @Test func `another recovery key is told from a damaged vault`() async throws {
        let fixture = try VaultFixture()
        let other = try VaultFixture()
        let vault = try await fixture.create()
        let (otherVault, key) = try await other.createWithKey()
        #expect(try await !vault.isRecoveryKey(key))
        await vault.lock()
        await #expect(throws: VaultError(.wrongRecoveryKey, "")) {
            try await vault.recover(with: key, newPassphrase: VaultFixture.passphrase())
        }
        #expect(await vault.isLocked)
        try await vault.close()
        try await otherVault.close()
    }

    @Test func `a replaced recovery key opens nothing more`() async throws {
        let fixture = try VaultFixture()
        let (vault, old) = try await fixture.createWithKey()
        let new = try await vault.replaceRecoveryKey()
        #expect(try await !vault.isRecoveryKey(old))
        #expect(try await vault.isRecoveryKey(new))
        await vault.lock()
        await #expect(throws: VaultError(.wrongRecoveryKey, "")) {
            try await vault.recover(with: old, newPassphrase: VaultFixture.passphrase("x"))
        }
        try await vault.recover(with: new, newPassphrase: VaultFixture.passphrase("x"))
        try await vault.close()
        #expect(await fixture.refusal("x") == nil)
    }

    @Test func `a vault from before there were proofs is recovered only when somebody says that it is theirs`()
        async throws
    {
        let expected = try FormatVectors.load("small")
        let key = try RecoveryKey(text: expected.recoveryKey)
        let fixture = try VaultFixture()
        try FormatVectors.copy("small", to: fixture)
        let file = try fixture.read(fixture.location.database)
        let vault = try Vault.open(at: fixture.location, environment: fixture.environment)
        #expect(await !vault.isProven)
        let outline = try await vault.outline(with: key)
        #expect(!outline.isProven)
        #expect(outline.items == expected.items.count)
        #expect(outline.changedAt == 1_800_000_200)
        await #expect(throws: VaultError(.unprovenVault, "")) {
            try await vault.recover(with: key, newPassphrase: VaultFixture.passphrase(), trusting: .thisFile)
        }
        // Locked, it has nothing to prove with.
        #expect(try await vault.confirm(key))
        #expect(await !vault.isProven)
        #expect(try fixture.read(fixture.location.database) == file)
        try await vault.recover(
            with: key,
            newPassphrase: VaultFixture.passphrase(),
            trusting: .thisFile,
            acceptingUnproven: true
        )
        #expect(await vault.isProven)
        try await vault.close()
        try FileManager.default.removeItem(atPath: fixture.location.stateDirectory)
        let again = try fixture.open()
        #expect(try await again.outline(with: key).isProven)
        try await again.recover(with: key, newPassphrase: VaultFixture.passphrase("x"), trusting: .thisFile)
        try await again.close()
    }

    @Test func `an open vault from before there were proofs gains one when its recovery key is typed`() async throws {
        let expected = try FormatVectors.load("small")
        let other = try VaultFixture()
        let (foreign, foreignKey) = try await other.createWithKey()
        try await foreign.close()
        let fixture = try VaultFixture()
        try FormatVectors.copy("small", to: fixture)
        let vault = try Vault.open(at: fixture.location)
        try await vault.unlock(with: Passphrase(expected.passphrase), trusting: .thisFile)
        try await vault.changePassphrase(from: Passphrase(expected.passphrase), to: VaultFixture.passphrase())
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
        let fixture = try VaultFixture()
        let (vault, key) = try await fixture.createWithKey()
        let secretKey = try await vault.secretKey().text
        try await vault.close()
        try fixture.remove(fixture.location.secretKey)
        #expect(await fixture.refusal() == .secretKeyMissing)

        let again = try fixture.open()
        try await again.recover(with: key, newPassphrase: VaultFixture.passphrase("x"))
        #expect(try await again.secretKey().text != secretKey)
        try await again.close()
        #expect(await fixture.refusal("x") == nil)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.location.directory).sorted()
                == ["secret-key", "vault.db", "vault.lock"]
        )
    }

    @Test func `another vault's Secret Key is named, and set aside when one is recovered`() async throws {
        let fixture = try VaultFixture()
        let other = try VaultFixture()
        let (vault, key) = try await fixture.createWithKey()
        try await vault.close()
        try await other.create().close()
        try fixture.write(other.read(other.location.secretKey), to: fixture.location.secretKey)
        #expect(await fixture.refusal() == .wrongSecretKey)
        let again = try fixture.open()
        try await again.recover(with: key, newPassphrase: VaultFixture.passphrase("x"))
        try await again.close()
        #expect(await fixture.refusal("x") == nil)
        #expect(try fixture.read(fixture.location.secretKey + ".old") == other.read(other.location.secretKey))
    }

    @Test func `a Secret Key from paper takes its place`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let text = try await vault.secretKey().text
        try await vault.close()
        try fixture.remove(fixture.location.secretKey)
        let again = try fixture.open()
        let otherBench = try VaultFixture()
        let other = try await otherBench.create()
        let foreign = try await other.secretKey()
        try await other.close()
        await #expect(throws: VaultError(.wrongSecretKey, "")) { try await again.adoptSecretKey(foreign) }
        try await again.adoptSecretKey(SecretKey(text: text.lowercased()))
        try await again.adoptSecretKey(SecretKey(text: text))
        try await again.unlock(with: VaultFixture.passphrase())
        try await again.close()
        #expect(!FileManager.default.fileExists(atPath: fixture.location.secretKey + ".old"))
    }

    @Test func `a new vault never overwrites the Secret Key of an old one`() async throws {
        let fixture = try VaultFixture()
        try await fixture.create().close()
        let key = try fixture.read(fixture.location.secretKey)
        try FileManager.default.moveItem(
            atPath: fixture.location.database,
            toPath: fixture.location.database + ".moved"
        )
        try await fixture.create().close()
        #expect(try fixture.read(fixture.location.secretKey) != key)
        #expect(try fixture.read(fixture.location.secretKey + ".old") == key)
    }

    @Test func `on another device only the file, the Secret Key and consent are needed`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "a"))
        let first = try await vault.status().device
        try await vault.close()
        try FileManager.default.removeItem(atPath: fixture.location.stateDirectory)
        #expect(await fixture.refusal() == .unknownDevice)
        let second = try await fixture.unlocked(trusting: .thisFile)
        #expect(try await second.item(id).title == "a")
        let status = try await second.status()
        #expect(status.devices.count == 2)
        #expect(status.device != first)
        try await second.add(Item(title: "b"))
        #expect(try await second.verifyLog().devices.count == 2)
        try await second.close()
        #expect(await fixture.refusal() == nil)
    }
}
