import Crypto
import Foundation
import Testing
import WardVault
import WardWebAuthn

/// A process that is killed at any moment, again and again.
@Suite struct `Kill -9` {
    private static var environment: VaultEnvironment {
        VaultEnvironment(effects: .live, stretch: { Array(SHA256.hash(data: $0 + $1)) })
    }

    /// Adds items until something kills the process, and says on disk which were acknowledged.
    ///
    /// The time counts from the beginning, or from an item: on a busy machine nothing is written for a long while.
    private static func work(in folder: String, microseconds: UInt32, afterItem first: Int?) async throws {
        let location = VaultFixture.location(URL(fileURLWithPath: folder))
        let acknowledged = unsafe open(folder + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        func killSoon() {
            Thread.detachNewThread {
                usleep(microseconds)
                kill(getpid(), SIGKILL)
            }
        }
        if first == nil { killSoon() }
        let vault = try Vault.open(at: location, environment: environment)
        try await vault.unlock(with: Passphrase(VaultFixture.words))
        for number in 0... {
            let item = Item(title: "item", notes: SecretText(String(repeating: "n", count: number % 7 * 300)))
            try await vault.write { try $0.add(item) }
            if number == first { killSoon() }
            let line = Array((item.id.text + "\n").utf8)
            _ = unsafe write(acknowledged, line, line.count)
            if number % 20 == 19 {
                await vault.lock()
                try await vault.unlock(with: Passphrase(VaultFixture.words))
            }
        }
    }

    @Test func `in a loop: the vault opens, and nothing acknowledged is lost`() async throws {
        let fixture = try VaultFixture()
        let folder = fixture.folder.path
        try await Vault.create(
            at: fixture.location,
            passphrase: VaultFixture.passphrase(),
            environment: Self.environment
        )
        .vault.close()
        let isThorough = ProcessInfo.processInfo.environment["WARD_THOROUGH"] != nil
        var last = 0
        for round in 0..<(isThorough ? 300 : 25) {
            let microseconds = UInt32.random(in: 1_000...60_000)
            let first = round.isMultiple(of: 2) ? nil : Int.random(in: 0..<20)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [folder = folder as String, microseconds = microseconds as UInt32, first = first as Int?] in
                try await Self.work(in: folder, microseconds: microseconds, afterItem: first)
            }
            let text = (try? String(contentsOfFile: folder + "/acknowledged", encoding: .utf8)) ?? ""
            let acknowledged = Set(text.split(separator: "\n").compactMap { ItemID(text: String($0)) })
            let vault = try Vault.open(at: fixture.location, environment: Self.environment)
            try await vault.unlock(with: VaultFixture.passphrase())
            let found = try await Set(vault.summaries().map(\.id))
            #expect(acknowledged.isSubset(of: found), "round \(round)")
            #expect(found.count <= acknowledged.count + round + 1)
            #expect(try await vault.verifyLog().revisions == found.count)
            try await vault.close()
            last = found.count
        }
        #expect(last > 0)
    }
}
