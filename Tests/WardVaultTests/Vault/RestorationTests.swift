import Foundation
import Testing
import WardVault

@Suite struct `Bringing back a copy` {
    private let fixture: VaultFixture
    private let other: VaultFixture

    init() throws {
        fixture = try VaultFixture()
        other = try VaultFixture()
    }

    private var place: String { fixture.folder.path + "/copy.db" }

    /// A vault, closed, and a copy of it without its Secret Key.
    private func prepare() async throws -> SecretKey {
        let vault = try await fixture.create()
        _ = try await vault.backUp(BackupRequest(path: place))
        let key = try await vault.secretKey()
        try await vault.close()
        return key
    }

    private func restoration(_ key: SecretKey? = nil, needsKey: Bool = true, at location: VaultLocation? = nil) throws
        -> VaultRestoration
    {
        try VaultRestoration(
            from: place,
            at: location ?? fixture.location,
            secretKey: key,
            needsSecretKey: needsKey,
            environment: fixture.environment
        )
    }

    @Test func `needs the Secret Key, and the right one`() async throws {
        let key = try await prepare()
        let stranger = try await other.create()
        let strangersKey = try await stranger.secretKey()
        try await stranger.close()
        let elsewhere = VaultFixture.location(fixture.folder.appendingPathComponent("elsewhere"))
        #expect(throws: VaultError(.secretKeyMissing, "")) { try restoration(at: elsewhere) }
        #expect(throws: VaultError(.wrongSecretKey, "")) { try restoration(strangersKey, at: elsewhere) }
        try restoration(needsKey: false, at: elsewhere).discard()
        try restoration(key, at: elsewhere).discard()
    }

    @Test func `replaces a vault only where that was said, and none that another program has open`() async throws {
        _ = try await prepare()
        let first = try restoration()
        try await first.vault.unlock(with: VaultFixture.passphrase(), trusting: .thisFile)
        await #expect(throws: VaultError(.vaultExists, "")) { try await first.place(replacing: false) }
        first.discard()
        let open = try await fixture.unlocked()
        let second = try restoration()
        try await second.vault.unlock(with: VaultFixture.passphrase(), trusting: .thisFile)
        await #expect(throws: VaultError(.inUse, "")) { try await second.place(replacing: true) }
        second.discard()
        try await open.close()
        #expect(await fixture.refusal() == nil)
    }
}
