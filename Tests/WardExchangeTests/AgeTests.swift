import Testing
import WardExchange
import WardVault

struct AgeTests {
    private static let recipient = "age1kjyud62d2asf2vvg7svqzaudcdrj4wr5pmwn3sw6u64fvvwlr58quldkx8"
    private static let identity = "AGE-SECRET-KEY-1C237DDYJYHWA3MX7WU5CLPQD4J5LUCWMX2J9XLG2JT4TGG8R4YNSXA0Q6S"

    private static func file(of items: [Item], _ seal: ExportSeal) throws -> [UInt8] {
        try #require(ExportFormat.named("cxf-age")).file(ExportSource(items: items, now: 1), seal: seal)
    }

    private static func read(
        _ bytes: [UInt8],
        passphrase: SecretText? = nil,
        key: String? = nil
    ) throws -> [Item] {
        let source = ImportSource(
            name: "a.json.age",
            bytes: bytes,
            passphrase: passphrase,
            keyFile: key.map { SecretBytes(Array($0.utf8)) },
            now: 1
        )
        let format = try ImportFormat.of(source)
        #expect(format.id == "age")
        return try format.contents(of: source).items
    }

    private static func recipients() throws -> ExportSeal { .recipients([try #require(AgeRecipient(recipient))]) }

    @Test func `What is encrypted to a key opens with the key, and with no other`() throws {
        // More than two parts of 64 KiB.
        let notes = String(repeating: "0123456789abcdef", count: 9000)
        let file = try Self.file(of: [Item(.note, title: "N", notes: SecretText(notes))], Self.recipients())
        #expect(file.firstRange(of: Array("0123456789abcdef".utf8)) == nil)
        let items = try Self.read(file, key: "# a comment\n\(Self.identity)\n")
        #expect(items.map(\.notes.revealed) == [notes])
        #expect(throws: ImportError(.unsupported)) { try Self.read(file) }
        #expect(throws: ImportError(.wrongPassphrase)) { try Self.read(file, key: "nothing") }
        let other = "AGE-SECRET-KEY-16F90KS8UXAUKNN7Z5FK0F73J9D4KXQMQDXDVAJUDPRAZ77PZE2RQ3E478V"
        #expect(throws: ImportError(.wrongPassphrase)) { try Self.read(file, key: other) }
    }

    @Test func `A passphrase opens its file, and another does not`() throws {
        let file = try Self.file(of: [Item(title: "T", username: "u")], .passphrase("one two"))
        #expect(try Self.read(file, passphrase: "one two").map(\.username) == ["u"])
        #expect(throws: ImportError(.wrongPassphrase)) { try Self.read(file, passphrase: "one three") }
        #expect(throws: ImportError(.passphraseNeeded)) { try Self.read(file) }
    }

    @Test func `A file that is cut off or changed anywhere brings nothing`() throws {
        let file = try Self.file(of: [Item(title: "T", username: "u")], Self.recipients())
        for length in stride(from: 22, to: file.count, by: 7) {
            #expect(throws: ImportError.self) { try Self.read(Array(file.prefix(length)), key: Self.identity) }
        }
        for index in stride(from: 22, to: file.count, by: 5) {
            var changed = file
            changed[index] ^= 1
            #expect(throws: ImportError.self) { try Self.read(changed, key: Self.identity) }
        }
    }

    @Test(arguments: [
        ("-> scrypt AAAAAAAAAAAAAAAAAAAAAA 30", ImportError(.tooLarge)),
        ("-> scrypt AAAAAAAAAAAAAAAAAAAAAA 018", ImportError(.malformed)),
        ("-> scrypt AAAAAAAAAAAAAAAAAAAAAA -1", ImportError(.malformed)),
        ("-> scrypt AAAA 18", ImportError(.malformed)),
        ("-> scrypt AAAAAAAAAAAAAAAAAAAAAA 10\nAAAA\n-> X25519 AAAA", ImportError(.malformed)),
        ("->", ImportError(.malformed)),
        ("-> X25519 ", ImportError(.malformed)),
    ])
    func `A header that asks for too much or is malformed is refused`(stanza: String, error: ImportError) {
        let code = String(repeating: "A", count: 43)
        let text = "age-encryption.org/v1\n\(stanza)\n\(code)\n--- \(code)\n" + String(repeating: "x", count: 64)
        #expect(throws: error) { try Self.read(Array(text.utf8), passphrase: "p") }
    }

    @Test func `A header without end is refused by the limit`() {
        let text = "age-encryption.org/v1\n" + String(repeating: "-> grease a\nAAAA\n", count: 8000)
        #expect(throws: ImportError(.tooLarge)) { try Self.read(Array(text.utf8), passphrase: "p") }
    }

    @Test func `Only whole public keys of age are recipients`() {
        #expect(AgeRecipient(" \(Self.recipient)\n") != nil)
        let cut = String(Self.recipient.dropLast())
        let wrong = ["", "age1", "age1yubikey1qwt50d0", cut, Self.recipient + "q", Self.identity]
        for text in wrong { #expect(AgeRecipient(text) == nil) }
        var changed = Array(Self.recipient)
        changed[20] = changed[20] == "q" ? "p" : "q"
        #expect(AgeRecipient(String(changed)) == nil)
    }

    @Test func `A file that nothing would open is not written`() {
        for seal in [nil, ExportSeal.passphrase(""), .recipients([])] {
            #expect(throws: ImportError(.passphraseNeeded)) {
                try ExportFormat.named("cxf-age")?.file(ExportSource(items: [], now: 1), seal: seal)
            }
        }
        #expect(throws: ImportError(.passphraseNeeded)) {
            try ExportFormat.named("kdbx")?.file(ExportSource(items: [], now: 1), seal: Self.recipients())
        }
    }
}
