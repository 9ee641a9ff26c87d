import Testing
import WardExchange
import WardVault

struct ArchiveTests {
    @Test(arguments: [
        ("proton.json", "proton-pass", "proton.contents.json"), ("proton.zip", "proton-pass", "proton.contents.json"),
        ("one.1pux", "1pux", "one.contents.json"),
    ])
    func `What a Python program wrote is what arrives`(name: String, format: String, contents: String) throws {
        let (found, file) = try ExportFile(name).read()
        #expect(found == format)
        #expect(try file.items.map { try ListedItem($0) } == ExportFile.contents(contents))
    }

    @Test func `What does not arrive from Proton Pass is named`() throws {
        let file = try ExportFile("proton.zip").read().file
        #expect(file.notices.contains { $0.place == "Example" && $0.text.contains("counts its signatures") })
        #expect(file.notices.contains { $0.place == "Thrown away" && $0.outcome == .skipped })
        let error = #expect(throws: ImportError.self) { try ExportFile("proton-pgp.zip").read() }
        #expect(error?.code == .unsupported)
    }

    @Test func `Dates, files and kinds of 1Password arrive`() throws {
        let items = try ExportFile("one.1pux").read().file.items
        #expect(items.map(\.kind) == [.login, .note, .login, .card, .note, .sshKey, .login])
        #expect(items[0].isFavorite && items[0].tags == ["Work"])
        let section = try #require(items[0].sections.first { $0.label == "Security" })
        let values = section.fields.map(\.value.text)
        #expect(values == ["4711", "2020-01-01", "2031-04", "alice@example.com", "1 Road\n12345\nTown\nST\nus"])
        #expect(items[3].section(.card)?[.expiryDate]?.value.text == "2031-04")
        #expect(items[4].attachments.map(\.name) == ["a.txt"])
        #expect(items[4].attachments.map(\.size) == [5])
        #expect(items[6].tags == ["Archived"])
    }

    @Test(arguments: ["proton.zip", "one.1pux"])
    func `A file that is cut off or changed anywhere brings nothing or the whole`(name: String) throws {
        var file = try ExportFile(name)
        let whole = file.bytes
        for end in stride(from: 0, to: whole.count, by: 41) {
            file.bytes = Array(whole[..<end])
            #expect(throws: ImportError.self) { try file.read() }
        }
        for index in stride(from: 0, to: whole.count, by: 23) {
            file.bytes = whole
            file.bytes[index] ^= 0x41
            if let contents = try? file.read().file { #expect(contents.items.count == 7) }
        }
    }

    @Test func `A file that grows without end is refused by the limit`() throws {
        var file = try ExportFile("one.1pux")
        // The size in the directory of the last file, 24 bytes behind the record's mark.
        let mark: [UInt8] = [0x50, 0x4b, 0x01, 0x02]
        let places = file.bytes.indices.filter { file.bytes[$0...].starts(with: mark) }
        for place in places { file.bytes.replaceSubrange((place + 24)..<(place + 28), with: [0xff, 0xff, 0xff, 0x7f]) }
        #expect(throws: ImportError(.tooLarge)) { try file.read() }
    }
}
