import Foundation
import Testing
import WardTesting
import WardVault

@Suite struct `An attachment` {
    private static let day: Int64 = 86_400
    private let scan = [UInt8](repeating: 7, count: 100_000) + Array("%PDF".utf8)

    /// A vault with one item that has a file.
    private func prepare(_ fixture: VaultFixture) async throws -> (vault: Vault, id: ItemID) {
        let vault = try await fixture.create()
        var item = Item(title: "Passport")
        item.attachments = [Attachment(name: "scan.pdf", type: "application/pdf", content: scan)]
        return (vault, try await vault.add(item))
    }

    private func contents(_ vault: Vault, _ id: ItemID, at revision: Item? = nil) async throws -> [String: [UInt8]] {
        let item = if let revision { revision } else { try await vault.item(id) }
        var contents: [String: [UInt8]] = [:]
        for attachment in item.attachments {
            contents[attachment.name] = try await vault.content(of: attachment, in: id)
        }
        return contents
    }

    @Test func `is there after locking and opening, and in the log's report`() async throws {
        let fixture = try VaultFixture()
        let (vault, id) = try await prepare(fixture)
        #expect(try await contents(vault, id) == ["scan.pdf": scan])
        await vault.lock()
        try await vault.unlock(with: VaultFixture.passphrase())
        let attachment = try #require(try await vault.item(id).attachments.first)
        #expect(attachment.type == "application/pdf")
        #expect(attachment.size == scan.count)
        #expect(attachment.addedAt == 1_700_000_000)
        #expect(try await contents(vault, id) == ["scan.pdf": scan])
        #expect(try await vault.verifyLog().attachments == 1)
        try await vault.close()
        // Without the index too, which only saves time.
        try? fixture.remove(fixture.location.index)
        let again = try await fixture.unlocked()
        #expect(try await contents(again, id) == ["scan.pdf": scan])
        try await again.close()
    }

    @Test func `is not written again with a change of its item`() async throws {
        let fixture = try VaultFixture()
        let (vault, id) = try await prepare(fixture)
        for number in 0..<20 { try await vault.edit(id) { $0.title = "Passport \(number)" } }
        #expect(try await vault.verifyLog().attachments == 1)
        try await vault.close()
        #expect(try fixture.read(fixture.location.database).count < 2 * scan.count)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: fixture.location.database)).range(of: Data(scan.suffix(8))) == nil
        )
    }

    @Test func `that was removed is in the history and comes back with a revision`() async throws {
        let (vault, id) = try await prepare(try VaultFixture())
        let first = try await vault.item(id)
        try await vault.edit(id) { $0.attachments = [] }
        #expect(try await contents(vault, id).isEmpty)
        let old = try await vault.item(id, revision: try #require(first.revision))
        #expect(try await contents(vault, id, at: old) == ["scan.pdf": scan])
        try await vault.write { try $0.revert(id, to: try #require(first.revision)) }
        #expect(try await contents(vault, id) == ["scan.pdf": scan])
        #expect(try await vault.verifyLog().attachments == 1)
        try await vault.close()
    }

    @Test func `is refused beyond the limits, and nothing is written then`() async throws {
        let (vault, id) = try await prepare(try VaultFixture())
        let large = [UInt8](repeating: 1, count: Attachment.maximumSize)
        try await vault.edit(id) { $0.attachments = [Attachment(name: "largest", content: large)] }
        await #expect(throws: VaultError(.attachmentTooLarge, "")) {
            try await vault.edit(id) { $0.attachments.append(Attachment(name: "too large", content: large + [1])) }
        }
        await #expect(throws: VaultError(.tooManyAttachments, "")) {
            try await vault.edit(id) { item in
                for number in 0..<8 { item.attachments.append(Attachment(name: "\(number)", content: large)) }
            }
        }
        await #expect(throws: VaultError(.tooManyAttachments, "")) {
            try await vault.edit(id) { item in
                for number in 0..<16 { item.attachments.append(Attachment(name: "\(number)", content: [])) }
            }
        }
        #expect(try await contents(vault, id) == ["largest": large])
        #expect(try await vault.history(of: id).count == 2)
        try await vault.edit(id) { $0.attachments.append(Attachment(name: "empty", content: [])) }
        #expect(try await contents(vault, id) == ["largest": large, "empty": []])
        try await vault.close()
    }

    @Test func `belongs to its item alone`() async throws {
        let (vault, id) = try await prepare(try VaultFixture())
        let foreign = try await vault.item(id).attachments
        let other = try await vault.add(Item(title: "other"))
        await #expect(throws: VaultError(.conflict, "")) { try await vault.edit(other) { $0.attachments = foreign } }
        try await vault.close()
    }

    @Test(arguments: [
        ("../../etc/passwd", "passwd"), ("b\\c.txt", "bc.txt"), ("..", "attachment"), (".bashrc", "bashrc"),
        ("", "attachment"),
        ("-rf", "rf"), ("~", "attachment"), ("a\u{202e}fdp.exe", "afdp.exe"), ("line\nfeed.txt", "line feed.txt"),
        ("/", "attachment"),
        ("\u{1b}[31m.txt", "[31m.txt"), (String(repeating: "é", count: 200), String(repeating: "é", count: 127)),
        ("scan.pdf", "scan.pdf"),
    ])
    func `has a name that is safe as a path`(name: String, expected: String) {
        let attachment = Attachment(name: name, content: [])
        #expect(attachment.fileName == expected)
        #expect(!attachment.name.contains("/"))
    }

    @Test func `of two devices stays, and a change beside a removal keeps it`() async throws {
        let fixture = try VaultFixture()
        let (vault, id) = try await prepare(fixture)
        try await vault.edit(id) { $0.attachments.append(Attachment(name: "old", content: [1])) }
        try await vault.close()
        let folder = try fixture.copy()
        try fixture.remove(folder.path + "/state")
        let other = VaultFixture.location(folder)
        let first = try await fixture.unlocked()
        try await first.edit(id) { item in
            item.attachments.removeAll { $0.name == "scan.pdf" || $0.name == "old" }
            item.attachments.append(Attachment(name: "from the first", content: [2]))
        }
        try await first.close()
        let second = try Vault.open(at: other, environment: fixture.environment)
        try await second.unlock(with: VaultFixture.passphrase(), trusting: .thisFile)
        try await second.edit(id) { item in
            item.attachments[0].name = "passport.pdf"
            item.attachments.append(Attachment(name: "from the second", content: [3]))
        }
        try await second.close()
        try Tampering(fixture.location).takeEntries(of: other)
        let joined = try await fixture.unlocked()
        let all = ["passport.pdf": scan, "from the first": [2], "from the second": [3]]
        #expect(try await contents(joined, id) == all)
        try await joined.edit(id) { $0.title = "Joined" }
        #expect(try await contents(joined, id) == all)
        #expect(try await joined.verifyLog().attachments == 4)
        try await joined.close()
        let again = try await fixture.unlocked()
        #expect(try await contents(again, id) == all)
        try await again.close()
    }

    @Test func `goes when its item was removed for good thirty days ago`() async throws {
        let fixture = try VaultFixture()
        let (vault, id) = try await prepare(fixture)
        let used = try await vault.add(Item(title: "used"))
        try await vault.write { try $0.purge(id) }
        for day in 1...40 {
            fixture.world.advance(by: Self.day)
            try await vault.edit(used) { $0.title = "day \(day)" }
        }
        #expect(try await vault.verifyLog().cleared == 0)
        _ = try await vault.emptyExpiredTrash()
        #expect(try await vault.verifyLog().cleared == 1)
        try await vault.close()
        #expect(try Tampering(fixture.location).contents() == [nil])
    }

    @Test func `goes with the last revision that has it, and not before`() async throws {
        let fixture = try VaultFixture()
        let (vault, id) = try await prepare(fixture)
        let kept = Attachment(name: "kept", content: [9])
        try await vault.edit(id) { $0.attachments = [kept] }
        for number in 1...260 {
            fixture.world.advance(by: Self.day)
            try await vault.edit(id) { $0.title = "day \(number)" }
        }
        let report = try await vault.verifyLog()
        #expect(report.cleared > 2 && report.attachments == 2)
        #expect(try await contents(vault, id) == ["kept": [9]])
        try await vault.close()
        let sizes = try Tampering(fixture.location).contents()
        #expect(sizes.map { $0 == nil } == [true, false])
    }

    @Test func `is in a salvaged vault, and one that cannot be read is named`() async throws {
        let fixture = try VaultFixture()
        let (vault, id) = try await prepare(fixture)
        let lost = try await vault.add(Item(title: "Lost"))
        try await vault.edit(lost) { $0.attachments = [Attachment(name: "lost", content: [1, 2, 3])] }
        try await vault.close()
        try Tampering(fixture.location).changeContent(number: 2)
        let found = try await fixture.open().salvage(with: VaultFixture.passphrase())
        #expect(found.items.count == 2)
        #expect(found.lostAttachments == [lost: ["lost"]])
        let place = VaultFixture.location(fixture.folder.appendingPathComponent("new"))
        let made = try await Vault.create(at: place, passphrase: VaultFixture.passphrase(), holding: found).vault
        #expect(try await contents(made, id) == ["scan.pdf": scan])
        #expect(try await made.item(lost).attachments.isEmpty)
        try await made.close()
    }

    @Test func `that was changed in the file is refused, and the rest stays`() async throws {
        let fixture = try VaultFixture()
        let (vault, id) = try await prepare(fixture)
        try await vault.close()
        try Tampering(fixture.location).changeContent(number: 1)
        let again = try await fixture.unlocked()
        let attachment = try #require(try await again.item(id).attachments.first)
        await #expect(throws: VaultError(.damaged, "")) { try await again.content(of: attachment, in: id) }
        await #expect(throws: VaultError(.damaged, "")) { try await again.verifyLog() }
        try await again.edit(id) { $0.title = "still here" }
        #expect(try await again.summary(id).title == "still here")
        try await again.close()
    }
}
