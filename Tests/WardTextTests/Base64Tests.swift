import Testing
import WardText

@Suite struct `Base64 of the other formats` {
    /// RFC 4648, section 10, and bytes that need the last two digits.
    static let examples: [(bytes: [UInt8], padded: String)] = [
        ([], ""), (Array("f".utf8), "Zg=="), (Array("fo".utf8), "Zm8="), (Array("foo".utf8), "Zm9v"),
        (Array("foob".utf8), "Zm9vYg=="), (Array("fooba".utf8), "Zm9vYmE="), (Array("foobar".utf8), "Zm9vYmFy"),
        ([0xfb, 0xff, 0xbf], "+/+/"), ([0xff], "/w=="),
    ]

    @Test(arguments: examples)
    func `the examples of RFC 4648 read and write, padded or not`(example: (bytes: [UInt8], padded: String)) {
        let bare = example.padded.replacing("=", with: "")
        #expect(Base64.encode(example.bytes) == example.padded)
        #expect(Base64.encode(example.bytes, padding: false) == bare)
        #expect(Base64.decode(example.padded) == example.bytes)
        #expect(Base64.decode(bare, padding: false) == example.bytes)
        #expect(Base64.decode(lenient: example.padded) == example.bytes)
        #expect(Base64.decode(lenient: Base64URL.encode(example.bytes)) == example.bytes)
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=", "-_-_", "Zm9v\n", " Zm9v", "Zg==Zg==", "Zm9vYg=a", "Zm9é",
    ])
    func `padded text has one form`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: ["Zg==", "Zh", "Z", "ZgB", "-_-_", "Zm 9v", "\u{166}m9v"])
    func `text without padding has one form`(text: String) {
        #expect(Base64.decode(text, padding: false) == nil)
    }

    @Test func `white space, either alphabet and any padding are read leniently`() {
        #expect(Base64.decode(lenient: " Zm\r\n9v\tYg = ") == Array("foob".utf8))
        #expect(Base64.decode(lenient: "+/-_") == [0xfb, 0xff, 0xbf])
        #expect(Base64.decode(lenient: "Zm9vYg=") == Array("foob".utf8))
    }

    @Test(arguments: ["Z", "Zh", "Zm9", "Zm9v!", "Zm\u{0}9v", "\u{166}m9v", "Zm9v\u{1f600}"])
    func `what no bytes have as their text is refused leniently too`(text: String) {
        #expect(Base64.decode(lenient: text) == nil)
    }
}
