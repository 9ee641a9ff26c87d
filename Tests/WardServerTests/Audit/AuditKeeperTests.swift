import Crypto
import Foundation
import Testing
import WardAccounts
import WardServer
import WardTesting

@Suite struct `The keeper of the audit log` {
    @Test func `adds a head to the file later if the file could not be written`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("heads-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("heads")
        let (store, effects) = (MemoryAccountStore(), TestEffects(seed: "heads"))
        let keeper = AuditKeeper(
            store,
            key: Curve25519.Signing.PrivateKey(),
            .init(heads: file.path, retention: 3_600),
            effects: effects.effects,
            logger: .silent
        )
        try await store.write { tx in try tx.append(AuditEvent(.signedIn, at: effects.now, of: nil)) }

        let first = try await keeper.sign(after: nil)
        #expect(first == nil, "the folder is missing")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let second = try await keeper.sign(after: first)
        #expect(second?.number == 1)
        let third = try await keeper.sign(after: second)
        #expect(third == second)
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 1)
    }
}
