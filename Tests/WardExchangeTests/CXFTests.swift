import Testing
import WardCOSE
import WardExchange
import WardTesting
import WardText
import WardVault
import WardWebAuthn

struct CXFTests {
    private static let now: Int64 = 1_790_000_000

    private static func read(_ text: String) throws -> ImportedFile { try read(Array(text.utf8)) }

    private static func read(_ bytes: [UInt8]) throws -> ImportedFile {
        let source = ImportSource(name: "a.json", bytes: bytes, now: now)
        let format = try ImportFormat.of(source)
        #expect(format.id == "cxf")
        return try format.contents(of: source)
    }

    private static func write(_ items: [Item]) throws -> [UInt8] {
        try #require(ExportFormat.named("cxf")).file(ExportSource(items: items, now: now))
    }

    /// One item of an account with these members, or these credentials.
    private static func item(_ members: String) throws -> (item: Item, notices: [ImportNotice]) {
        let file = try read(
            #"{"id":"","username":"","email":"a@b.example","collections":[],"items":[{"id":"AQ",\#(members)}]}"#
        )
        return (try #require(file.items.first), file.notices)
    }

    private static func credentials(_ text: String) throws -> (item: Item, notices: [ImportNotice]) {
        try item(#""title":"T","credentials":[\#(text)]"#)
    }

    private static func sample() throws -> [UInt8]? {
        guard let bytes = TestVectors.bytes("cxf/own-sample.json") else { return nil }
        return try #require(try JSONValue(bytes)["document"]).serialized
    }

    // MARK: Reading

    @Test(.enabled(if: TestVectors.areAvailable, "the folder of published answers is absent"))
    func `Everything of the sample document arrives`() throws {
        let file = try Self.read(#require(try Self.sample()))
        #expect(file.items.map(\.title) == ["example.org", "Home wifi", "Note", "Future"])
        #expect(file.items.map(\.kind) == [.login, .wifi, .note, .note])
        let login = file.items[0]
        #expect(login.username == "alice@example.org")
        #expect(login.password?.value.revealed == "correct horse battery staple")
        #expect(login.sites.map(\.text) == ["https://example.org/"])
        #expect(login.tags == ["Work", "demo"])
        #expect(login.codes.map { Base32.encode($0.secret.revealed) } == ["GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"])
        let passkey = try #require(login.passkeys.first)
        #expect(passkey.userHandle.bytes == Array("user-handle-0001".utf8))
        #expect(passkey.largeBlob?.revealed == Array("hello".utf8))
        #expect(passkey.prf?.withoutVerification?.revealed.count == 32)
        #expect(file.items[1].section(.wifi)?[.passphrase]?.value.text == "passphrase")
        #expect(file.items[2].notes.revealed == "hello\nworld")
        #expect(file.notices.map(\.outcome) == [.kept])
    }

    @Test(.enabled(if: TestVectors.areAvailable, "the folder of published answers is absent"))
    func `What is read and written again is the same`() throws {
        let first = try Self.read(#require(try Self.sample()))
        let second = try Self.read(Self.write(first.items))
        for (one, other) in zip(first.items, second.items) {
            #expect(one.title == other.title && one.kind == other.kind && one.username == other.username)
            #expect(one.password?.value == other.password?.value)
            #expect(one.passkeys == other.passkeys && one.codes == other.codes && one.sites == other.sites)
            #expect(one.notes == other.notes && one.sections == other.sections && one.tags == other.tags)
            #expect(one.extensions == other.extensions && one.createdAt == other.createdAt)
        }
        #expect(second.items.count == 4)
        let text = String(decoding: try Self.write(first.items), as: UTF8.self)
        #expect(text.contains(#"{"type":"future-credential","x":1}"#))
    }

    @Test func `What other exporters do differently is read`() throws {
        // A time before 1970, an ID that is null, a label that is null, texts without a type.
        let bare = try Self.item(
            #""creationAt":-11644473600,"title":"","scope":null,"credentials":[{"type":"basic-auth","#
                + #""username":"bob","password":{"id":null,"label":null,"fieldType":"string","value":"pw"}}]"#
        )
        #expect(bare.item.username == "bob" && bare.item.password?.value.revealed == "pw" && bare.item.createdAt == 0)
        #expect(bare.item.title == "bob" && bare.notices.isEmpty)

        let wifi = try Self.credentials(
            #"{"type":"wifi","ssid":{"fieldType":"string","value":"home"},"networkSecurityType":"#
                + #"{"fieldType":"string","value":"WPA2"},"hidden":{"fieldType":"boolean","value":false}}"#
        )
        #expect(wifi.item.section(.wifi)?[.networkSecurityType]?.value.text == "wpa2-personal")
        #expect(wifi.item.section(.wifi)?[.hidden]?.value.text == "false")

        let steam = try Self.credentials(
            #"{"type":"totp","secret":"JBSWY3DPEHPK3PXP","period":"30","digits":5,"algorithm":"steam"}"#
        )
        #expect(steam.item.codes.map(\.kind) == [.steam])
        let unknown = try Self.credentials(
            #"{"type":"totp","secret":"JBSWY3DPEHPK3PXP","period":30,"digits":6,"algorithm":"md5"}"#
        )
        #expect(unknown.item.codes.isEmpty && unknown.item.kind == .login)
        #expect(String(decoding: try Self.write([unknown.item]), as: UTF8.self).contains(#""algorithm":"md5""#))
    }

    /// A document with a credential of each type.
    static let everything = """
        {"version":{"major":1,"minor":0},"exporterRpId":"x","exporterDisplayName":"X","timestamp":1,"accounts":[{"id":"AQ",
        "username":"","email":"","collections":[{"id":"AQ","title":"A","items":[{"item":"AQ"}],"subCollections":[]}],
        "items":[{"id":"AQ","creationAt":1,"modifiedAt":2,"title":"T","favorite":true,"tags":["a"],"extensions":[{"name":"x"}],
        "scope":{"urls":["https://a.example"],"androidApps":[{"bundleId":"org.a"}]},"credentials":[
        {"type":"basic-auth","username":{"fieldType":"string","value":"u"},"password":"p"},
        {"type":"passkey","credentialId":"AQ","rpId":"a.example","username":"u","userDisplayName":"U","userHandle":"AQ",
        "key":"\(ed25519)","fido2Extensions":{"largeBlob":{"uncompressedSize":5,"data":"y0jNyckHAA"}}},
        {"type":"totp","secret":"JBSWY3DPEHPK3PXP","period":30,"digits":6,"algorithm":"sha1","issuer":"I"},
        {"type":"note","content":{"fieldType":"string","value":"n"}},
        {"type":"credit-card","number":{"fieldType":"concealed-string","value":"4"},"expiryDate":"2031-04"},
        {"type":"ssh-key","keyType":"ssh-rsa","privateKey":"\(ed25519)"},{"type":"wifi","networkSecurityType":"WPA2"},
        {"type":"custom-fields","label":"L","fields":[{"fieldType":"date","value":"2031-04-01","label":"a"}]},
        {"type":"file","id":"AQ","name":"f"},{"type":"future","x":[1,{"y":null}]}]}]}]}
        """

    /// A key of Ed25519 in PKCS#8 with 32 zero bytes.
    static let ed25519 = Base64URL.encode(
        [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]
            + [UInt8](repeating: 7, count: 32)
    )

    @Test func `The type of an SSH key is what the key says`() throws {
        let key = try Self.credentials(#"{"type":"ssh-key","keyType":"ssh-rsa","privateKey":"\#(Self.ed25519)"}"#)
        #expect(key.item.kind == .sshKey)
        #expect(key.item.section(.sshKey)?[.keyType]?.value.text == "ssh-ed25519")
        #expect(key.notices.map(\.outcome) == [.changed])
        let written = String(decoding: try Self.write([key.item]), as: UTF8.self)
        #expect(written.contains(#""keyType":"ssh-ed25519""#) && written.contains(Self.ed25519))
    }

    @Test func `A passkey of a draft of the format arrives, with its site`() throws {
        let secret = Base64URL.encode([UInt8](repeating: 3, count: 32))
        let (item, notices) = try Self.credentials(
            #"{"type":"passkey","credentialId":"AQIDBA","rpId":"example.org","userName":"carol","userDisplayName":"#
                + #""Carol","userHandle":"AQ","key":"\#(Self.ed25519)","fido2Extensions":{"hmacSecret":"#
                + #"{"algorithm":"HS256","secret":"\#(secret)"},"payments":true}}"#
        )
        #expect(item.kind == .login && item.username == "carol" && item.sites.map(\.text) == ["https://example.org"])
        let passkey = try #require(item.passkeys.first)
        #expect(passkey.algorithm == .edDSA && passkey.userName == "carol")
        #expect(passkey.prf?.withVerification.revealed == [UInt8](repeating: 3, count: 32))
        #expect(passkey.prf?.withoutVerification == nil)
        #expect(notices.map(\.outcome) == [.kept])
        let written = String(decoding: try Self.write([item]), as: UTF8.self)
        #expect(written.contains(#""username":"carol""#) && written.contains(#""payments":true"#))
        #expect(written.contains(#""credWithoutUV":"\#(secret)""#))
    }

    @Test func `A passkey that does not fit is left out and named`() throws {
        let (item, notices) = try Self.credentials(
            #"{"type":"passkey","credentialId":"AQ","rpId":"example.org","username":"c","userDisplayName":"","#
                + #""userHandle":"","key":"AAAA"}"#
        )
        #expect(item.passkeys.isEmpty)
        #expect(notices.contains { $0.outcome == .skipped && $0.text.contains("example.org") })
    }

    @Test func `A blob that is a bomb or has another size is left out`() throws {
        for (size, data) in [(5, "y0jNyckHAA"), (6, "y0jNyckHAA"), (1 << 40, "y0jNyckHAA"), (-1, ""), (5, "____")] {
            let (item, _) = try Self.credentials(
                #"{"type":"passkey","credentialId":"AQ","rpId":"example.org","username":"c","userDisplayName":"","#
                    + #""userHandle":"AQ","key":"\#(Self.ed25519)","fido2Extensions":{"largeBlob":"#
                    + #"{"uncompressedSize":\#(size),"data":"\#(data)"}}}"#
            )
            #expect((item.passkeys.first?.largeBlob != nil) == (size == 5 && data != "____"))
        }
    }

    @Test func `Two user names in one item become two entries`() throws {
        let file = try Self.read(
            #"{"exporterRpId":"x.example","version":{"major":1,"minor":0},"accounts":[{"items":[{"title":"T","credentials":["#
                + #"{"type":"basic-auth","username":"a","password":"1"},{"type":"basic-auth","username":"b","password":"2"}]}]}]}"#
        )
        #expect(file.items.map(\.username) == ["a", "b"] && file.items.map(\.title) == ["T", "T"])
        #expect(file.notices.map(\.outcome) == [.changed])
    }

    @Test func `Nested collections become tags, and a file names what is not in it`() throws {
        let file = try Self.read(
            #"{"email":"","collections":[{"title":"A","items":[],"subCollections":[{"title":"B","items":[{"item":"eA"}]}]}],"#
                + #""items":[{"id":"eA","title":"T","credentials":[{"type":"file","id":"AQ","name":"a.pdf","decryptedSize":3}]}]}"#
        )
        #expect(file.items.map(\.tags) == [["A/B"]])
        #expect(file.notices.contains { $0.outcome == .skipped && $0.text.contains("a.pdf") })
    }

    @Test func `A version that Ward does not know is refused`() {
        #expect(throws: ImportError(.unsupported)) {
            try Self.read(#"{"version":{"major":2,"minor":0},"exporterRpId":"x","accounts":[]}"#)
        }
        #expect(throws: ImportError(.malformed)) {
            try Self.read(#"{"version":{"major":1,"minor":0},"exporterRpId":"x","accounts":[{"items":3}]}"#)
        }
        #expect(throws: ImportError(.truncated)) {
            try Self.read(#"{"version":{"major":1,"minor":0},"exporterRpId":"x","accounts":[{"items":["#)
        }
    }

    // MARK: Losing nothing

    @Test func `Data of other programs in any place is written again`() throws {
        let credentials =
            #"{"type":"basic-auth","username":{"fieldType":"string","value":"u","extensions":[{"name":"x"}]},"future":7},"#
            + #"{"type":"custom-fields","label":"More","fields":[{"fieldType":"string","value":"1","label":"a"},"#
            + #"{"fieldType":"star-sign","value":"lion","label":"b","extensions":[{"name":"y"}]}]},"#
            + #"{"type":"hologram","light":[1,2.5,null]}"#
        let members =
            #""title":"T","subtitle":"S","extensions":[{"name":"shared","accessors":[]}],"scope":{"urls":["#
            + #""https://a.example"],"androidApps":[{"bundleId":"org.a","certificate":{"fingerprint":"AA"}}]},"#
        let first = try Self.item(members + #""credentials":[\#(credentials)]"#)
        let document = try JSONValue(Self.write([first.item]))
        let item = try #require(document["accounts"]?.arrayValue?.first?["items"]?.arrayValue?.first)
        #expect(item["subtitle"] == "S" && item["extensions"]?.arrayValue?.first?["name"] == "shared")
        let app = item["scope"]?["androidApps"]?.arrayValue?.first
        #expect(app?["bundleId"] == "org.a" && app?["certificate"]?["fingerprint"] == "AA")
        let written = try #require(item["credentials"]?.arrayValue)
        #expect(written.map { $0["type"] } == ["basic-auth", "custom-fields", "hologram"])
        #expect(written[0]["future"] == 7 && written[0]["username"]?["extensions"]?.arrayValue?.first?["name"] == "x")
        let fields = try #require(written[1]["fields"]?.arrayValue)
        #expect(fields[1]["fieldType"] == "star-sign" && fields[1]["extensions"]?.arrayValue?.first?["name"] == "y")
        #expect(written[2]["light"] == [1, .number(2.5), nil])
    }

    @Test func `Every kind of an item comes back as it was`() throws {
        let items = [
            Item(
                .card,
                title: "Card",
                username: "bank",
                sections: [
                    FieldSection(
                        kind: .card,
                        fields: [
                            Field(.number, "4111", type: .concealed), Field(.expiryDate, "2031-04", type: .yearMonth),
                        ]
                    ),
                    FieldSection(fields: [Field(label: "Own", text: "x", isConcealed: true)]),
                ]
            ),
            Item(
                .identity,
                title: "Me",
                sections: [
                    FieldSection(
                        kind: .identity,
                        fields: [
                            Field(.given, "Ada"), Field(.city, "London"), Field(.country, "GB", type: .countryCode),
                        ]
                    ),
                    FieldSection(kind: "passport", fields: [Field(.passportNumber, "P1")]),
                ]
            ),
            Item(
                .apiKey,
                title: "Key",
                sections: [FieldSection(kind: .apiKey, fields: [Field(.key, "k", type: .concealed)])]
            ),
            Item(.note, title: "Note", notes: "text", tags: ["a;b", "c"], isFavorite: true),
            Item(title: "Empty"),
            Item(
                .sshKey,
                title: "OpenSSH",
                sections: [
                    FieldSection(
                        kind: .sshKey,
                        fields: [
                            Field(.privateKey, "-----BEGIN OPENSSH PRIVATE KEY-----", type: .concealed),
                            Field("fingerprint", "SHA256:abc"),
                        ]
                    )
                ]
            ),
            Item(title: "Counter", codes: [try OneTimePassword("otpauth://hotp/a?secret=JBSWY3DPEHPK3PXP&counter=7")]),
        ]
        let read = try Self.read(Self.write(items)).items
        #expect(read.map(\.kind) == items.map(\.kind) && read.map(\.title) == items.map(\.title))
        #expect(read.map(\.sections) == items.map(\.sections) && read.map(\.codes) == items.map(\.codes))
        #expect(read[3].tags == ["a;b", "c"] && read[3].isFavorite && read[3].notes == "text")
        #expect(read.allSatisfy { $0.extensions.isEmpty })
    }

    @Test func `A value that its place cannot have becomes a field, and that is said`() throws {
        let item = Item(
            .card,
            title: "Card",
            sections: [FieldSection(kind: .card, fields: [Field(.number, "4111"), Field(.expiryDate, "4/31")])]
        )
        let format = try #require(ExportFormat.named("cxf"))
        let notices = format.notices(for: ExportSource(items: [item], now: Self.now))
        #expect(notices.map(\.part) == [.fieldGroups] && notices.map(\.outcome) == [.changed])
        let read = try Self.read(Self.write([item])).items[0]
        // Other managers find a field of the person's own; Ward finds its place again.
        let written = String(decoding: try Self.write([item]), as: UTF8.self)
        #expect(written.contains(#"{"fieldType":"string","value":"4/31","label":"expiryDate"}"#))
        #expect(read.fields.isEmpty && read.section(.card)?[.expiryDate]?.value.text == "4/31")
    }
}
