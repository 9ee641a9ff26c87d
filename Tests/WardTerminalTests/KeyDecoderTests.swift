import Testing
import WardTerminal

@Suite struct `Keys` {
    struct Sent: Sendable, CustomTestStringConvertible {
        let bytes: String
        let keys: [TerminalKey]
        var testDescription: String { bytes.debugDescription }

        static let all = [
            Sent(bytes: "a", keys: [.text("a")]),
            Sent(bytes: "é日🦊", keys: [.text("é"), .text("日"), .text("🦊")]),
            Sent(bytes: "e\u{301}", keys: [.text("e"), .text("\u{301}")]),
            Sent(bytes: "\r", keys: [.enter]),
            Sent(bytes: "\n", keys: [.enter]),
            Sent(bytes: "\t\u{1b}[Z", keys: [.tab, .backTab]),
            Sent(bytes: "\u{7f}\u{08}", keys: [.backspace, .backspace]),
            Sent(bytes: "\u{1b}[A\u{1b}[B\u{1b}[C\u{1b}[D", keys: [.up, .down, .right, .left]),
            Sent(bytes: "\u{1b}OA\u{1b}OB\u{1b}OC\u{1b}OD", keys: [.up, .down, .right, .left]),
            Sent(bytes: "\u{1b}[H\u{1b}[F\u{1b}OH\u{1b}OF", keys: [.home, .end, .home, .end]),
            Sent(bytes: "\u{1b}[1~\u{1b}[4~\u{1b}[7~\u{1b}[8~", keys: [.home, .end, .home, .end]),
            Sent(bytes: "\u{1b}[3~", keys: [.delete]),
            Sent(bytes: "\u{1b}[1;5C\u{1b}[1;5D\u{1b}[1;3C", keys: [.wordRight, .wordLeft, .wordRight]),
            Sent(bytes: "\u{1b}b\u{1b}f\u{1b}\u{7f}", keys: [.wordLeft, .wordRight, .deleteWord]),
            Sent(bytes: "\u{01}\u{05}\u{02}\u{06}", keys: [.home, .end, .left, .right]),
            Sent(bytes: "\u{0b}\u{15}\u{17}", keys: [.deleteToEnd, .deleteToStart, .deleteWord]),
            Sent(bytes: "\u{03}\u{04}\u{0c}\u{1a}", keys: [.interrupt, .endOfInput, .redraw, .suspend]),
            Sent(bytes: "\u{1b}[200~two\nlines\u{1b}[201~x", keys: [.paste("two\nlines"), .text("x")]),
            Sent(bytes: "\u{1b}[200~\u{1b}[A\u{03}\u{1b}[201~", keys: [.paste("\u{1b}[A\u{03}")]),
            // Keys that mean nothing here leave nothing behind.
            Sent(bytes: "\u{1b}[15~\u{1b}[2;3R\u{1b}[?1;2c\u{1b}OPx", keys: [.text("x")]),
            Sent(bytes: "\u{00}\u{1c}x", keys: [.text("x")]),
        ]
    }

    @Test(arguments: Sent.all)
    func `are known by what terminals send for them`(sent: Sent) {
        var decoder = KeyDecoder()
        #expect(decoder.keys(from: Array(sent.bytes.utf8)) == sent.keys)
        #expect(!decoder.isWaiting)
    }

    @Test(arguments: Sent.all)
    func `are the same however the bytes are cut`(sent: Sent) {
        let bytes = Array(sent.bytes.utf8)
        for cut in 0...bytes.count {
            var decoder = KeyDecoder()
            let keys = decoder.keys(from: bytes[..<cut]) + decoder.keys(from: bytes[cut...])
            #expect(keys == sent.keys, "cut at \(cut)")
        }
    }

    @Test func `an escape with nothing behind it is the key once nothing comes`() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(from: [0x1b]).isEmpty)
        #expect(decoder.isWaiting)
        #expect(decoder.timeOut() == [.escape])
        #expect(!decoder.isWaiting)
        #expect(decoder.timeOut().isEmpty)
    }

    @Test func `half a sequence is forgotten once nothing comes`() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(from: Array("\u{1b}[1;".utf8)).isEmpty)
        #expect(decoder.timeOut().isEmpty)
        #expect(decoder.keys(from: Array("x".utf8)) == [.text("x")])
    }

    @Test func `a pause within a paste ends nothing`() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(from: Array("\u{1b}[200~half".utf8)).isEmpty)
        #expect(decoder.timeOut().isEmpty)
        #expect(decoder.keys(from: Array(" a text\u{1b}[201~".utf8)) == [.paste("half a text")])
    }

    @Test func `bytes that are no UTF-8 are left out`() {
        var decoder = KeyDecoder()
        let bytes: [UInt8] = [0xff, 0xc3, 0x28, 0xe2, 0x82, 0x41, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf5, 0x78]
        #expect(decoder.keys(from: bytes) == [.text("("), .text("A"), .text("x")])
    }

    @Test func `what never ends is kept within bounds`() {
        var decoder = KeyDecoder()
        _ = decoder.keys(from: Array("\u{1b}[".utf8) + [UInt8](repeating: 0x31, count: 10_000))
        #expect(decoder.keys(from: Array("x".utf8)) == [.text("x")])
        let long = [UInt8](repeating: 0x61, count: 3 * KeyDecoder.maximumPaste)
        let keys = decoder.keys(from: Array("\u{1b}[200~".utf8) + long + Array("\u{1b}[201~".utf8))
        #expect(keys == [.paste(String(repeating: "a", count: KeyDecoder.maximumPaste))])
    }

    @Test func `random bytes never trap and always make room for the next key`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var decoder = KeyDecoder()
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                // Mostly what means something.
                Bool.random(using: &generator)
                    ? [0x1b, 0x5b, 0x4f, 0x32, 0x30, 0x7e, 0x3b].randomElement(using: &generator) ?? 0
                    : UInt8.random(in: 0...255, using: &generator)
            }
            _ = decoder.keys(from: bytes)
            _ = decoder.timeOut()
            let keys = decoder.keys(from: Array("\u{1b}[201~\r".utf8))
            #expect(keys.last == .enter, "\(bytes)")
        }
    }
}
