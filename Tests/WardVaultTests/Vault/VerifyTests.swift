import Crypto
import Foundation
import GRDB
import Testing
import WardCBOR
import WardVault

/// What somebody with the file may change so that the vault still opens with its index, and what the whole log tells then.
@Suite struct `The whole log, read again` {
    private func make(_ fixture: VaultFixture) async throws {
        let vault = try await fixture.create()
        var item = Item(title: "Passport")
        item.attachments = [Attachment(name: "scan", content: [UInt8](repeating: 7, count: 100_000))]
        let id = try await vault.add(item)
        try await vault.edit(id) { $0.notes = "renewed" }
        try await vault.edit(id) { $0.notes = "renewed twice" }
        try await vault.close()
    }

    private static let content = "(SELECT position FROM log ORDER BY length(blob) DESC LIMIT 1)"
    private static let lastChange = "(SELECT max(position) FROM log WHERE previous > 0)"

    @Test(arguments: [
        ("UPDATE log SET previous = previous - 1 WHERE position = \(lastChange)", "leads elsewhere"),
        ("UPDATE log SET previous = 1 WHERE position = \(content)", "leads elsewhere"),
        ("UPDATE log SET blob = CAST(x'00' || blob AS BLOB) WHERE position = \(content)", "attached file was changed"),
        ("UPDATE log SET blob = CAST(x'00' || blob AS BLOB) WHERE position = 4", "was changed"),
        ("UPDATE log SET blob = NULL WHERE position = 4", "is missing"),
        ("UPDATE log SET blob = NULL WHERE position = \(content)", "the content of an attached file is missing"),
        ("UPDATE log SET blob = x'00' WHERE position = 1", "encrypted data that it must not have"),
    ])
    func `finds what was changed`(sql: String, words: String) async throws {
        let fixture = try VaultFixture()
        try await make(fixture)
        try Tampering(fixture.location).run { try $0.execute(sql: sql) }
        let vault = try await fixture.unlocked()
        let error = await #expect(throws: VaultError.self) { try await vault.verifyLog() }
        #expect(error?.code == .damaged && error?.detail.contains(words) == true, "\(error?.detail ?? "")")
        try? await vault.close()
    }

    @Test func `has no gap`() async throws {
        let fixture = try VaultFixture()
        try await make(fixture)
        let sql = "UPDATE log SET position = position + 1 WHERE position = (SELECT max(position) FROM log)"
        try Tampering(fixture.location).run { try $0.execute(sql: sql) }
        let vault = try await fixture.unlocked(trusting: .thisFile)
        let error = await #expect(throws: VaultError.self) { try await vault.verifyLog() }
        #expect(error?.code == .damaged && error?.detail.contains("is missing before") == true)
        try? await vault.close()
    }

    @Test func `is not begun for a header of a later version, although an older one is kept beside it`() async throws {
        let fixture = try VaultFixture()
        try await fixture.create().close()
        let tampering = Tampering(fixture.location)
        var parts = try #require(
            try CBORValue.decode(Array(tampering.header().dropLast(32)), rules: .webAuthn).arrayValue
        )
        parts[1] = 2
        let body = CBORValue.array(parts).encoded()
        try tampering.setHeader(body + Array(SHA256.hash(data: body)))
        #expect(await fixture.refusal() == .unknownVersion)
    }
}
