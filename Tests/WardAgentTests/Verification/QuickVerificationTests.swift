import Foundation
import Testing
@testable import WardAgent
import WardVault
import WardWebAuthn

/// Fingers as told.
private struct ScriptedReader: FingerprintReader {
    func verify(_ waiting: @escaping @Sendable () -> Void) async -> FingerprintResult { .unavailable(.noReader) }
    func problem() async -> FingerprintProblem? { .noReader }
}

/// An open vault with a PIN, and the one who counts.
private struct PINFixture {
    let folder = NSTemporaryDirectory() + "pin-\(UUID().uuidString.prefix(8))"
    let clock = ManualClock()
    let vault: Vault
    let quick: QuickVerification
    static let pin = Array("2580".utf8)

    init() async throws {
        let location = VaultLocation(directory: folder + "/data", stateDirectory: folder + "/state")
        let environment = VaultEnvironment(stretch: { passphrase, salt in
            Array((passphrase + salt + [UInt8](repeating: 0, count: 32)).prefix(32))
        })
        vault = try await Vault.create(
            at: location,
            passphrase: Passphrase("a passphrase"),
            environment: environment
        ).vault
        quick = QuickVerification(reader: ScriptedReader(), now: { [clock] in clock.now })
        let verifier = try PINVerifier(PIN(new: Self.pin), .live)
        quick.passphraseWasRight()
        try await quick.change(vault) { $0.pin = verifier }
    }

    func close() async throws {
        try await vault.close()
        try FileManager.default.removeItem(atPath: folder)
    }
}

@Suite(.agents, .timeLimit(.minutes(15))) struct `Verification without the passphrase` {
    @Test func `a burst of PINs has no more tries than a series`() async throws {
        let fixture = try await PINFixture()
        let right = Count()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                group.addTask {
                    let guess = number == 11 ? PINFixture.pin : Array("31\(10 + number)".utf8)
                    if try await fixture.quick.check(pin: guess, of: fixture.vault) == nil { right.up() }
                }
            }
            try await group.waitForAll()
        }
        // The right one came early enough, or too late as well.
        #expect(right.value <= 1)
        #expect(fixture.quick.refusal == .tooManyTries || right.value == 1)
        for _ in 0..<5 { _ = try await fixture.quick.check(pin: Array("3999".utf8), of: fixture.vault) }
        #expect(fixture.quick.refusal == .tooManyTries)
        #expect(try await fixture.quick.check(pin: PINFixture.pin, of: fixture.vault) == 0)
        try await fixture.close()
    }

    @Test func `files that are changed while the vault is open change nothing`() async throws {
        let fixture = try await PINFixture()
        let path = fixture.folder + "/state/" + VerificationSettings.record
        let old = try Data(contentsOf: URL(fileURLWithPath: path))
        let other = try PINVerifier(PIN(new: "1379".utf8), .live)
        try await fixture.quick.change(fixture.vault) { $0.pin = other }
        for _ in 0..<4 { _ = try await fixture.quick.check(pin: PINFixture.pin, of: fixture.vault) }
        try old.write(to: URL(fileURLWithPath: path))
        #expect(try await fixture.quick.check(pin: PINFixture.pin, of: fixture.vault) == 0)
        #expect(fixture.quick.refusal == .tooManyTries)
        try await fixture.close()
    }

    @Test func `a locked vault has nothing set up, and the passphrase alone makes it count again`() async throws {
        let fixture = try await PINFixture()
        #expect(await fixture.quick.isReady(fixture.vault))
        await fixture.vault.lock()
        fixture.quick.locked()
        #expect(await !fixture.quick.isReady(fixture.vault))
        #expect(try await fixture.quick.check(pin: PINFixture.pin, of: fixture.vault) == 0)
        try await fixture.vault.unlock(with: Passphrase("a passphrase"))
        #expect(await fixture.quick.isReady(fixture.vault))
        fixture.clock.advance(.seconds(14 * 86_400))
        #expect(await !fixture.quick.isReady(fixture.vault))
        fixture.quick.passphraseWasRight()
        #expect(await fixture.quick.isReady(fixture.vault))
        try await fixture.close()
    }

    @Test func `what was set up is read by the next agent, and by no other vault`() async throws {
        let (fixture, other) = (try await PINFixture(), try await PINFixture())
        let next = QuickVerification(reader: ScriptedReader(), now: { .now })
        #expect(await next.settings(of: fixture.vault).pin != nil)
        #expect(await !next.isReady(fixture.vault), "the passphrase was not typed for this agent")
        let name = "/state/" + VerificationSettings.record
        try FileManager.default.removeItem(atPath: other.folder + name)
        try FileManager.default.copyItem(atPath: fixture.folder + name, toPath: other.folder + name)
        let foreign = QuickVerification(reader: ScriptedReader(), now: { .now })
        #expect(await foreign.settings(of: other.vault).isEmpty)
        try await fixture.close()
        try await other.close()
    }
}
