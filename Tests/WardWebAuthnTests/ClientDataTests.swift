import Foundation
import Testing
import WardTesting
import WardText
import WardWebAuthn

@Suite struct `Client data` {
    static let plain = #"{"type":"webauthn.get","challenge":"AAAA","origin":"https://example.com","crossOrigin":false}"#

    static let accepted: [Case<String, CollectedClientData>] = [
        Case("as browsers write it", plain, data(crossOrigin: false)),
        Case(
            "Level 1, without crossOrigin",
            #"{"challenge":"AAAA","origin":"https://example.com","type":"webauthn.get"}"#,
            data(crossOrigin: nil)
        ),
        Case("a byte order mark in front", "\u{feff}" + plain, data(crossOrigin: false)),
        Case(
            "white space, another order, unknown members",
            """
            {\r\n\t"origin" : "https://example.com", "tokenBinding": {"status": "supported", "id": [1, null]},
            "other_keys_can_be_added_here": 5e3, "challenge":"AAAA", "crossOrigin" : true ,"type":"webauthn.get"}\n
            """,
            data(crossOrigin: true)
        ),
        Case(
            "escaped names and values",
            #"{"\u0074ype":"webauthn\u002eget","challenge":"AAAA","origin":"https:\/\/example.com","crossOrigin":false}"#,
            data(crossOrigin: false)
        ),
        Case(
            "names that look alike and have other code points",
            plain.dropLast() + ",\"caf\u{e9}\":1,\"cafe\u{301}\":2}",
            data(crossOrigin: false)
        ),
        Case(
            "a top origin",
            #"{"type":"webauthn.get","challenge":"AAAA","origin":"https://example.com","crossOrigin":true,"#
                + #""topOrigin":"https://top.example"}"#,
            data(crossOrigin: true, topOrigin: "https://top.example")
        ),
    ]

    static func data(crossOrigin: Bool?, topOrigin: String? = nil) -> CollectedClientData {
        CollectedClientData(
            type: "webauthn.get",
            challenge: "AAAA",
            origin: "https://example.com",
            crossOrigin: crossOrigin,
            topOrigin: topOrigin
        )
    }

    @Test(arguments: accepted)
    func `its members are read whatever else is there`(text: Case<String, CollectedClientData>) throws {
        #expect(try CollectedClientData(parsing: utf8(text.input)) == text.expected)
    }

    static let refused: [Case<String, Void>] = [
        Case("nothing", "", ()), Case("no object", "[]", ()), Case("null", "null", ()),
        Case("another bracket in front", "[" + plain.dropFirst(), ()),
        Case("another bracket behind", plain.dropLast() + "]", ()),
        Case("no type", #"{"challenge":"AAAA","origin":"https://example.com"}"#, ()),
        Case("no challenge", #"{"type":"webauthn.get","origin":"https://example.com"}"#, ()),
        Case("no origin", #"{"type":"webauthn.get","challenge":"AAAA"}"#, ()),
        Case("a number for a challenge", #"{"type":"webauthn.get","challenge":0,"origin":"https://example.com"}"#, ()),
        Case("bytes for a challenge", #"{"type":"webauthn.get","challenge":[0],"origin":"https://example.com"}"#, ()),
        Case("null for an origin", #"{"type":"webauthn.get","challenge":"AAAA","origin":null}"#, ()),
        Case("a text for crossOrigin", plain.replacingOccurrences(of: "false", with: "\"false\""), ()),
        Case("a number for crossOrigin", plain.replacingOccurrences(of: "false", with: "0"), ()),
        Case("null for topOrigin", plain.replacingOccurrences(of: "false", with: "true,\"topOrigin\":null"), ()),
        Case("a member twice", plain.replacingOccurrences(of: "false", with: "false,\"type\":\"webauthn.get\""), ()),
        Case(
            "an escaped member twice",
            plain.replacingOccurrences(of: "false", with: "false,\"\\u006frigin\":\"x\""),
            ()
        ),
        Case("an unknown member twice", plain.replacingOccurrences(of: "false", with: "false,\"x\":1,\"x\":1"), ()),
        Case("something behind", plain + "{}", ()), Case("a zero byte behind", plain + "\u{0}", ()),
        Case("two byte order marks", "\u{feff}\u{feff}" + plain, ()),
        Case("a deep nest", plain.replacingOccurrences(of: "false", with: String(repeating: "[", count: 40)), ()),
    ]

    @Test(arguments: refused)
    func `what is not client data is refused as such`(text: Case<String, Void>) {
        #expect(throws: WebAuthnError(.malformedClientData, "")) { try CollectedClientData(parsing: utf8(text.input)) }
    }

    @Test func `more than 64 KiB is not read`() throws {
        let padding = String(repeating: " ", count: 65_536 - Self.plain.utf8.count)
        _ = try CollectedClientData(parsing: utf8(Self.plain + padding))
        #expect(throws: WebAuthnError(.malformedClientData, "")) {
            try CollectedClientData(parsing: utf8(Self.plain + padding + " "))
        }
    }

    @Test func `it is written member by member in the standard's order`() {
        let framed = Self.data(crossOrigin: true, topOrigin: "https://top.example")
        #expect(
            String(decoding: framed.serialized, as: UTF8.self)
                == #"{"type":"webauthn.get","challenge":"AAAA","origin":"https://example.com","crossOrigin":true,"#
                + #""topOrigin":"https://top.example"}"#
        )
        #expect(Self.data(crossOrigin: nil).serialized == utf8(Self.plain))
    }

    @Test func `CCDToString escapes quotes, backslashes and what lies below a space`() {
        let data = CollectedClientData(type: "\"\\/\n\u{1f}\u{7f}é😀", challenge: "", origin: "", crossOrigin: false)
        #expect(
            String(decoding: data.serialized, as: UTF8.self)
                == "{\"type\":\"\\\"\\\\/\\u000a\\u001f\u{7f}é😀\",\"challenge\":\"\",\"origin\":\"\",\"crossOrigin\":false}"
        )
    }

    @Test(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
    func `the standard's examples are serialized as the standard does`() throws {
        let bytes = try #require(TestVectors.bytes("webauthn-l3.json"))
        let document = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        var exact = 0
        for vector in try #require(document?["vectors"] as? [[String: Any]]) {
            for ceremony in ["registration", "authentication"] {
                let given = (vector[ceremony] as? [String: Any])?["given"] as? [String: Any]
                let text = try #require(given?["clientDataJSON"] as? String)
                let received = hex(text)
                let written = try CollectedClientData(parsing: received).serialized
                // Extended ones begin alike and go on with the members of the future.
                let isExact = received == written
                #expect(isExact || received.starts(with: written.dropLast() + utf8(",\"extraData\":")))
                exact += isExact ? 1 : 0
            }
        }
        #expect(exact == 15)
    }

    @Test func `client data damaged anywhere is refused or reads as what it then writes`() {
        let data = Self.data(crossOrigin: true, topOrigin: "https://top.example").serialized
        for damaged in Damage.everywhere(in: data) {
            #expect(throws: Never.self) { try ParserProperty.clientData.check(damaged) }
        }
        for end in 0..<data.count {
            #expect(throws: WebAuthnError.self) { try CollectedClientData(parsing: Array(data[..<end])) }
        }
    }
}

@Suite struct `The limited verification algorithm` {
    private static let challenge = [UInt8](0..<32)
    private static let template = ClientDataTemplate(type: "webauthn.get", origin: "https://login.example.com:8443")

    private static func matches(
        _ bytes: [UInt8],
        _ challenge: [UInt8] = challenge,
        by template: ClientDataTemplate = template
    ) -> Bool {
        template.matches(bytes.span, challenge: challenge)
    }

    private static func expected(_ challenge: [UInt8] = challenge) -> CollectedClientData {
        CollectedClientData(
            type: "webauthn.get",
            challenge: Base64URL.encode(challenge),
            origin: "https://login.example.com:8443",
            crossOrigin: false
        )
    }

    @Test func `what a client writes matches, for challenges of every length`() {
        for length in 16..<40 {
            let challenge = [UInt8](repeating: UInt8(length), count: length)
            let bytes = Self.expected(challenge).serialized
            #expect(Self.matches(bytes, challenge))
            let other = challenge.dropLast() + [0]
            #expect(!Self.matches(bytes, Array(other)))
        }
    }

    @Test func `an origin that needs escapes is written as CCDToString writes it`() {
        let template = ClientDataTemplate(type: "webauthn.get", origin: "a\"b\\c")
        let data = CollectedClientData(
            type: "webauthn.get",
            challenge: Base64URL.encode(Self.challenge),
            origin: "a\"b\\c",
            crossOrigin: false
        )
        let bytes = data.serialized
        #expect(Self.matches(bytes, by: template))
    }

    static let others: [Case<@Sendable (String) -> String, Void>] = [
        Case("another type", { $0.replacingOccurrences(of: "get", with: "create") }, ()),
        Case("another origin", { $0.replacingOccurrences(of: "8443", with: "8444") }, ()),
        Case("a longer origin", { $0.replacingOccurrences(of: "8443\"", with: "8443.evil.example\"") }, ()),
        Case("padding", { $0.replacingOccurrences(of: "\",\"origin", with: "=\",\"origin") }, ()),
        Case("framed", { $0.replacingOccurrences(of: "false", with: "true") }, ()),
        Case("not closed", { String($0.dropLast()) }, ()),
        Case("something behind", { $0 + " " }, ()),
        Case("another bracket", { $0.dropLast() + "]" }, ()),
        Case("a further member", { $0.dropLast() + ",\"x\":1}" }, ()),
        Case("a member twice", { $0.dropLast() + ",\"origin\":\"https://evil.example\"}" }, ()),
        Case("white space", { $0.replacingOccurrences(of: ":false", with: ": false") }, ()),
        Case("nothing", { _ in "" }, ()),
    ]

    @Test(arguments: others)
    func `everything else goes to the full parser`(change: Case<@Sendable (String) -> String, Void>) {
        let bytes = utf8(change.input(String(decoding: Self.expected().serialized, as: UTF8.self)))
        #expect(!Self.matches(bytes))
    }

    @Test func `what matches is what the full parser reads, over thousands of damaged texts`() {
        let whole = Self.expected().serialized
        var dice = Dice(seed: 5)
        var matched = 0
        var inputs = Damage.everywhere(in: whole, masks: [0x01, 0x04, 0x20, 0x80])
        for _ in 0..<3_000 {
            var bytes = whole
            for _ in 0..<(1 + dice.number(below: 3)) where !bytes.isEmpty {
                let index = dice.number(below: bytes.count)
                switch dice.number(below: 4) {
                case 0: bytes[index] = UInt8(dice.number(below: 256))
                case 1: bytes.remove(at: index)
                case 2:
                    bytes.insert(contentsOf: utf8(["\"", "\\", ",", "}", "{", " "][dice.number(below: 6)]), at: index)
                default: bytes.swapAt(index, dice.number(below: bytes.count))
                }
            }
            inputs.append(bytes)
        }
        for bytes in inputs + [whole] where Self.matches(bytes) {
            matched += 1
            #expect((try? CollectedClientData(parsing: bytes)) == Self.expected())
        }
        // Among so many some are whole again: a byte put where it was, two alike swapped.
        #expect(matched >= 1)
    }
}
