import Foundation
import Testing
import WardVault

@Suite struct `Keys that a person brings` {
    private let fixture: VaultFixture
    private let other: VaultFixture

    init() throws {
        fixture = try VaultFixture()
        other = try VaultFixture()
    }

    @Test func `are compared with those of the vault`() async throws {
        let (vault, recoveryKey) = try await fixture.createWithKey()
        let (stranger, strangersKey) = try await other.createWithKey()
        #expect(try await vault.confirmKey(recoveryKey.text) == .recoveryKey)
        #expect(try await vault.confirmKey(vault.secretKey().text) == .secretKey)
        let secretKey = try await stranger.secretKey()
        await #expect(throws: VaultError(.wrongRecoveryKey, "")) { try await vault.confirmKey(strangersKey.text) }
        await #expect(throws: VaultError(.wrongSecretKey, "")) { try await vault.confirmKey(secretKey.text) }
        await #expect(throws: VaultError(.wrongSecretKey, "")) { try await vault.adoptSecretKey(secretKey) }
        await #expect(throws: VaultError(.wrongRecoveryKey, "")) { try await vault.confirmKey("") }
        try await vault.close()
        try await stranger.close()
    }

    @Test func `are missed where a copy shall have one`() async throws {
        let vault = try await fixture.create()
        try fixture.remove(fixture.location.secretKey)
        let place = fixture.folder.path + "/copy.db"
        await #expect(throws: VaultError(.secretKeyMissing, "")) {
            try await vault.backUp(BackupRequest(path: place, includesSecretKey: true))
        }
        #expect(!FileManager.default.fileExists(atPath: place))
        _ = try await vault.backUp(BackupRequest(path: place))
        try await vault.close()
    }

    /// The second file is there only after a change that a power cut interrupted.
    @Test func `are another vault's also where the second file cannot be read`() async throws {
        try await fixture.create().close()
        try await other.create().close()
        try fixture.write(try other.read(other.location.secretKey), to: fixture.location.secretKey)
        #expect(await fixture.refusal() == .wrongSecretKey)
        let second = fixture.location.secretKey + ".pending"
        try FileManager.default.createSymbolicLink(atPath: second, withDestinationPath: second)
        #expect(await fixture.refusal() == .wrongSecretKey)
    }
}
