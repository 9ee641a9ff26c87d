import Testing
import WardCOSE
import WardExchange
import WardVault
import WardWebAuthn

struct KDBXTests {
    private static let argon2 = [true, false].map {
        KDBXDerivation.argon2(
            .init(isID: $0, salt: [UInt8](repeating: 2, count: 16), memory: 64, passes: 2, lanes: 2)
        )
    }

    private func items(_ texts: [(String, String)], more: String = "") throws -> ImportedFile {
        let source = try KDBXSample(xml: KDBXSample.entry(texts, more: more)).source()
        return try ImportFormat.of(source).contents(of: source)
    }

    @Test(arguments: [KDBXCipher.aes, .chaCha20], argon2 + [KDBXSample.fast])
    func `Each cipher and key derivation is read, and a wrong passphrase is known as such`(
        cipher: KDBXCipher,
        derivation: KDBXDerivation
    ) throws {
        let xml = KDBXSample.entry([("Title", "A"), ("Password", "p&lt;w")])
        for isCompressed in [true, false] {
            let sample = KDBXSample(cipher: cipher, derivation: derivation, isCompressed: isCompressed, xml: xml)
            var source = try sample.source()
            let item = try #require(ImportFormat.of(source).contents(of: source).items.first)
            #expect(item.title == "A" && item.password?.value == "p<w" && item.tags == ["Work"])

            source.passphrase = "wrong"
            #expect(throws: ImportError(.wrongPassphrase)) { try ImportFormat.of(source).contents(of: source) }
            source.passphrase = nil
            #expect(throws: ImportError(.passphraseNeeded)) { try ImportFormat.of(source).contents(of: source) }
        }
    }

    @Test func `A file that is cut off or changed at any place is refused`() throws {
        let source = try KDBXSample(xml: KDBXSample.entry([("Title", "A")])).source()
        for index in source.bytes.indices {
            var cut = source
            cut.bytes = Array(cut.bytes[..<index])
            #expect(throws: ImportError.self) { try ImportFormat.of(cut).contents(of: cut) }
            var changed = source
            changed.bytes[index] ^= 0x10
            #expect(throws: ImportError.self) { try ImportFormat.of(changed).contents(of: changed) }
        }
        var changed = source
        changed.bytes[changed.bytes.count - 80] ^= 1
        #expect(throws: ImportError(.malformed)) { try ImportFormat.of(changed).contents(of: changed) }
    }

    @Test(arguments: [
        KDBXDerivation.argon2(
            .init(isID: false, salt: [UInt8](repeating: 0, count: 16), memory: 1, passes: 1, lanes: 1)
        )
    ])
    func `Parameters of Argon2 without sense are refused`(derivation: KDBXDerivation) throws {
        #expect(throws: ImportError.self) { try KDBXSample(derivation: derivation).source() }
    }

    @Test func `A file cannot ask for more work, memory or depth than the limits`() throws {
        // The number after its name in the header is replaced; the header's hash is checked later than the limits.
        func limited(_ derivation: KDBXDerivation, _ name: String, _ number: UInt64) throws -> ImportSource {
            var source = try KDBXSample(derivation: derivation).source()
            let entry = [0x05, 1, 0, 0, 0] + Array(name.utf8) + [8, 0, 0, 0]
            let place = try #require(source.bytes.firstRange(of: entry)).upperBound
            for index in 0..<8 {
                source.bytes[place + index] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))
            }
            return source
        }
        let sources = try [
            limited(Self.argon2[0], "M", 100 << 30), limited(Self.argon2[0], "M", .max),
            limited(Self.argon2[1], "I", 1 << 40), limited(KDBXSample.fast, "R", 1 << 40),
            KDBXSample(files: [[UInt8](repeating: 0, count: 65 << 20)]).source(),
            KDBXSample(xml: String(repeating: "<a>", count: 200)).source(),
        ]
        for source in sources {
            #expect(throws: ImportError(.tooLarge)) { try ImportFormat.of(source).contents(of: source) }
        }
    }

    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY b \"c\">]><KeePassFile>&b;</KeePassFile>", "<KeePassFile>", "<a/>", "", "<a>\u{0}</a>",
    ])
    func `XML with a document type, and XML that is not KeePass's, is refused`(xml: String) throws {
        let source = try KDBXSample(xml: xml).source()
        #expect(throws: ImportError(.malformed)) { try ImportFormat.of(source).contents(of: source) }
    }

    @Test(arguments: [
        Array("any file".utf8), [UInt8](repeating: 7, count: 32), Array(String(repeating: "0a", count: 32).utf8),
    ])
    func `A key file opens a file alone and with a passphrase`(keyFile: [UInt8]) throws {
        for passphrase in [nil, "p"] as [SecretText?] {
            let sample = KDBXSample(
                passphrase: passphrase,
                keyFile: SecretBytes(keyFile),
                xml: KDBXSample.entry([("Title", "A")])
            )
            var source = try sample.source()
            #expect(try ImportFormat.of(source).contents(of: source).items.count == 1)
            source.keyFile = SecretBytes([1])
            #expect(throws: ImportError(passphrase == nil ? .passphraseNeeded : .wrongPassphrase)) {
                try ImportFormat.of(source).contents(of: source)
            }
        }
    }

    @Test(arguments: [
        ([("otp", "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&amp;digits=8")], OneTimePassword.Kind.totp(period: 30), 8),
        ([("otp", "key=JBSWY3DPEHPK3PXP&amp;step=60&amp;size=7")], .totp(period: 60), 7),
        ([("TOTP Seed", "JBSW Y3DP EHPK 3PXP"), ("TOTP Settings", "30;S")], .steam, 5),
        ([("TOTP Seed", "JBSWY3DPEHPK3PXP"), ("TOTP Settings", "45;8")], .totp(period: 45), 8),
        ([("TimeOtp-Secret-Base64", "SGVsbG8h3q2+7w=="), ("TimeOtp-Length", "8")], .totp(period: 30), 8),
        ([("HmacOtp-Secret-Hex", "48656c6c6f21deadbeef"), ("HmacOtp-Counter", "9")], .hotp(counter: 9), 6),
    ])
    func `Each spelling of codes is read`(texts: [(String, String)], kind: OneTimePassword.Kind, digits: Int) throws {
        let item = try #require(items([("Title", "A")] + texts).items.first)
        let code = try #require(item.codes.first)
        #expect(code.kind == kind && code.digits == digits && item.fields.isEmpty)
        #expect(Array(code.secret.revealed) == Array("Hello!".utf8) + [0xde, 0xad, 0xbe, 0xef])
    }

    @Test func `Earlier states give earlier passwords`() throws {
        func state(_ password: String, _ day: Int) -> String {
            "<Times><CreationTime>2026-01-01T00:00:00Z</CreationTime>"
                + "<LastModificationTime>2026-01-0\(day)T00:00:00Z</LastModificationTime></Times>"
                + "<String><Key>Password</Key><Value>\(password)</Value></String>"
        }
        let history = "<History><Entry>\(state("a", 2))</Entry><Entry>\(state("b", 3))</Entry></History>"
        let item = try #require(items([("Title", "A")], more: state("c", 4) + history).items.first)
        let first: Int64 = 1_767_225_600
        #expect(item.createdAt == first)
        #expect(item.password?.value == "c" && item.password?.changedAt == first + 3 * 86_400)
        #expect(item.password?.history.map(\.value) == ["b", "a"])
        #expect(item.password?.history.map(\.replacedAt) == [first + 3 * 86_400, first + 2 * 86_400])
    }

    @Test func `What Ward writes it reads again`() throws {
        let key = try COSEPrivateKey.generate(.es256)
        var item = Item(
            title: "Exämple <&>",
            sites: [Site("https://example.org/"), Site(.androidApp("org.example"))],
            username: "alice",
            notes: "one\ntwo\u{1}",
            tags: ["x", "y z"],
            isFavorite: true,
            createdAt: 5
        )
        var password = Password("first", changedAt: 5)
        password.change(to: "second", at: 9)
        item.password = password
        item.codes = [try OneTimePassword(.steam, secret: [1, 2, 3]), try OneTimePassword(secret: [4])]
        item.fields = [Field(label: "PIN", text: "1234", isConcealed: true), Field(label: "hint", text: "none")]
        item.passkeys = [
            StoredPasskey(
                credentialID: try #require(.init([1, 2, 3])),
                rpID: "example.org",
                userHandle: try #require(.init([4])),
                userName: "alice",
                algorithm: .es256,
                privateKey: try StoredPasskey.encodePrivateKey(key),
                createdAt: 5
            )
        ]
        let attachment = Attachment(name: "a.txt", content: [1, 2])
        item.attachments = [attachment]
        let export = ExportSource(items: [item], contents: [attachment.id: SecretBytes([1, 2])], now: 20)
        let bytes = try KDBXWriter(.aes, Self.argon2[0]).file(export, passphrase: "p")
        let source = ImportSource(name: "", bytes: bytes, passphrase: "p", now: 30)
        let file = try ImportFormat.of(source).contents(of: source)
        let read = try #require(file.items.first)
        #expect(file.notices.isEmpty && file.items.count == 1)
        #expect(read.title == item.title && read.sites == item.sites && read.username == item.username)
        #expect(read.notes == item.notes && read.tags == item.tags && read.isFavorite && read.createdAt == 5)
        #expect(read.password?.value == "second" && read.password?.history.map(\.value) == ["first"])
        #expect(read.codes.map(\.link) == item.codes.map(\.link) && read.fields == item.fields)
        #expect(read.attachments.map(\.name) == ["a.txt"] && read.attachments.map(\.size) == [2])
        let passkey = try #require(read.passkeys.first)
        #expect(passkey.credentialID == item.passkeys[0].credentialID && passkey.rpID == "example.org")
        #expect(passkey.privateKey == item.passkeys[0].privateKey && passkey.userName == "alice")
        #expect(passkey.isBackupEligible && !passkey.isBackedUp && passkey.algorithm == .es256)
    }

    @Test func `A passkey whose key cannot sign is kept as fields, and named`() throws {
        var item = Item(title: "Broken", username: "alice")
        // The beginning of a key of the curve P-256, without the key.
        let head: [UInt8] = [
            0x30, 0x13, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07,
        ]
        item.passkeys = [
            StoredPasskey(
                credentialID: try #require(.init([1, 2, 3])),
                rpID: "example.org",
                userHandle: try #require(.init([4])),
                algorithm: .es256,
                privateKey: SecretBytes(head),
                createdAt: 5
            )
        ]
        let bytes = try KDBXWriter(.aes, Self.argon2[0]).file(
            ExportSource(items: [item], contents: [:], now: 20),
            passphrase: "p"
        )
        let source = ImportSource(name: "", bytes: bytes, passphrase: "p", now: 30)
        let file = try ImportFormat.of(source).contents(of: source)
        let read = try #require(file.items.first)
        #expect(read.passkeys.isEmpty && file.notices.map(\.outcome) == [.kept])
        #expect(read.fields.contains { $0.label == "KPEX_PASSKEY_PRIVATE_KEY_PEM" && $0.isConcealed })
    }
}
