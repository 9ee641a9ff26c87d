import Crypto
import Foundation
import Synchronization
import Testing
@testable import WardVault

/// Stretching a passphrase takes a tenth of a second. A vault can be locked in that time, and also unlocked again.
///
/// One after the other: while a passphrase is stretched, each test keeps one of the two threads that all tests share.
@Suite(.serialized) struct `A vault that is locked while a passphrase is checked` {
    /// Does something while a passphrase is stretched, once.
    private final class Interruption: Sendable {
        private let action = Mutex<(@Sendable () async -> Void)?>(nil)

        func begin(_ action: @escaping @Sendable () async -> Void) { self.action.withLock { $0 = action } }

        func stretched() {
            let action = action.withLock { action in
                defer { action = nil }
                return action
            }
            guard let action else { return }
            let done = DispatchSemaphore(value: 0)
            Task.detached {
                await action()
                done.signal()
            }
            done.wait()
        }
    }

    private let fixture: VaultFixture
    private let interruption = Interruption()

    init() throws { fixture = try VaultFixture() }

    /// The vault, locked.
    private func open() async throws -> Vault {
        try await fixture.create().close()
        return try Vault.open(at: fixture.location, environment: interrupted(fixture.environment))
    }

    private func interrupted(_ environment: VaultEnvironment) -> VaultEnvironment {
        var environment = environment
        environment.stretch = { [interruption] passphrase, salt in
            interruption.stretched()
            return Array(SHA256.hash(data: passphrase + salt))
        }
        return environment
    }

    @Test func `stays locked`() async throws {
        let vault = try await open()
        interruption.begin { await vault.lock() }
        await #expect(throws: VaultError(.locked, "")) { try await vault.unlock(with: VaultFixture.passphrase()) }
        #expect(await vault.isLocked)
        try await vault.close()
    }

    @Test func `is not taken for one that was open all the time`() async throws {
        let vault = try await open()
        try await vault.unlock(with: VaultFixture.passphrase())
        try await vault.verify(VaultFixture.passphrase())
        let again: @Sendable () async -> Void = {
            await vault.lock()
            try? await vault.unlock(with: VaultFixture.passphrase())
        }
        interruption.begin(again)
        await #expect(throws: VaultError(.locked, "")) { try await vault.verify(VaultFixture.passphrase()) }
        interruption.begin(again)
        await #expect(throws: VaultError(.locked, "")) {
            try await vault.changePassphrase(
                from: VaultFixture.passphrase(),
                to: VaultFixture.passphrase("another battery of horses")
            )
        }
        #expect(await vault.isLocked == false)
        try await vault.close()
        #expect(await fixture.refusal() == nil)
    }

    /// A sync goes on while a passphrase is stretched.
    @Test func `changes no header that another device changed meanwhile`() async throws {
        let world = try await CircleWorld.met(2)
        let words = ["another battery of horses", "a third battery of horses"]
        try await world[0].changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase(words[0]))
        try await world.sync(0)
        try await world[1].close()
        let vault = try Vault.open(
            at: world.fixtures[1].location,
            environment: interrupted(world.fixtures[1].environment)
        )
        try await vault.unlock(with: VaultFixture.passphrase())
        let records = try world.records()
        interruption.begin { _ = try? await vault.take(records) }
        await #expect(throws: VaultError(.conflict, "")) {
            try await vault.changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase(words[1]))
        }
        try await vault.verify(VaultFixture.passphrase(words[0]))
        await #expect(throws: VaultError(.wrongPassphrase, "")) {
            try await vault.verify(VaultFixture.passphrase(words[1]))
        }
        for other in [vault, world[0]] { try await other.close() }
    }
}
