import Testing
import WardText

@Suite struct `Base64url` {
    static let pairs: [Case<String, [UInt8]>] = [
        Case("", []), Case("AA", [0]), Case("_w", [255]), Case("Zg", utf8("f")), Case("Zm8", utf8("fo")),
        Case("Zm9v", utf8("foo")), Case("Zm9vYg", utf8("foob")), Case("Zm9vYmE", utf8("fooba")),
        Case("Zm9vYmFy", utf8("foobar")), Case("-_-_", [0xfb, 0xff, 0xbf]),
    ]

    @Test(arguments: pairs)
    func `the examples of RFC 4648 read and write`(pair: Case<String, [UInt8]>) {
        #expect(Base64URL.encode(pair.expected) == pair.input)
        #expect(Base64URL.decode(pair.input) == pair.expected)
    }

    static let refused: [Case<String, Void>] = [
        Case("padding", "AA==", ()), Case("padding of one", "AAA=", ()), Case("padding alone", "=", ()),
        Case("the plus of base64", "++++", ()), Case("the slash of base64", "////", ()), Case("one character", "A", ()),
        Case(
            "five characters",
            "AAAAA",
            ()
        ),
        Case(
            "unused bits of two",
            "AB",
            ()
        ),
        Case(
            "unused bits of three",
            "AAB",
            ()
        ),
        Case("unused bits behind whole groups", "AAAA_z", ()),
        Case(
            "a space",
            "A AA",
            ()
        ),
        Case(
            "a line break",
            "AAAA\r\nAAAA",
            ()
        ),
        Case(
            "a trailing line break",
            "AAAA\n",
            ()
        ),
        Case(
            "a leading space",
            " AAA",
            ()
        ),
        Case(
            "a zero byte",
            "AA\u{0}A",
            ()
        ),
        Case(
            "a letter with an accent",
            "AAé",
            ()
        ),
        Case("full-width letters", "ＡＡ", ()), Case("a comma", "AA,A", ()), Case("a dot", "AA.A", ()),
    ]

    @Test(arguments: refused)
    func `bug class 33: every other text is refused`(text: Case<String, Void>) {
        #expect(Base64URL.decode(text.input) == nil)
    }

    @Test func `no two texts of up to three characters mean the same bytes`() {
        let bytes = (0..<128).map { UInt8($0) }
        var count = 0
        for first in bytes {
            for second in bytes {
                let text = String(decoding: [first, second], as: UTF8.self)
                guard let decoded = Base64URL.decode(text) else { continue }
                count += 1
                if Base64URL.encode(decoded) != text { Issue.record("\(text) is not the only form of \(decoded)") }
            }
        }
        #expect(count == 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".map { String($0) }
        let threes = alphabet.filter { Base64URL.decode("AA" + $0) != nil }
        #expect(threes.count == 16)
    }

    @Test func `bytes of every length come back`() {
        var dice = Dice(seed: 64)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &dice) }
            let text = Base64URL.encode(bytes)
            #expect(text.utf8.count == (length * 4 + 2) / 3)
            #expect(Base64URL.decode(text) == bytes)
        }
    }
}
