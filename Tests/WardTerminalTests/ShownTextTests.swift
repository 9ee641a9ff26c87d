import Testing
import WardTerminal

@Suite struct `Shown text` {
    @Test(arguments: [
        "\u{0}", "\u{7}", "\u{1b}", "\u{7f}", "\u{80}", "\u{9b}", "\u{9d}", "\u{61c}", "\u{200e}", "\u{200f}",
        "\u{2028}",
        "\u{2029}", "\u{202a}", "\u{202e}", "\u{2066}", "\u{2069}", "\u{feff}", "\u{e000}", "\u{e0041}", "\r", "\n",
        "\t",
    ])
    func `characters that act are replaced`(_ character: String) {
        #expect(ShownText.clean("a\(character)b") == "a\u{fffd}b")
        #expect(
            ShownText.cleanLines("a\(character)b")
                == (["\n", "\t"].contains(character) ? "a\(character)b" : "a\u{fffd}b")
        )
    }

    @Test func `a line break of two characters is two`() {
        #expect(ShownText.clean("a\r\nb") == "a\u{fffd}\u{fffd}b")
        #expect(ShownText.cleanLines("a\r\nb") == "a\u{fffd}\nb")
    }

    @Test(arguments: ["", "plain", "Zoë", "日本語", "👩‍💻", "می‌خواهم", "🇨🇭", "e\u{301}"])
    func `letters of all languages stay`(_ text: String) {
        #expect(ShownText.clean(text) == text)
        #expect(ShownText.cleanJSON(text) == text)
    }

    @Test func `JSON has the same value`() {
        #expect(
            ShownText.cleanJSON("{\"a\":\"\u{9b}\u{202e}\u{e0041}\"}\n") == #"{"a":"\u009b\u202e\udb40\udc41"}"# + "\n"
        )
    }

    @Test func `a prompt cannot drive the terminal`() {
        let view = LineView(prompt: ShownText.clean("\u{1b}[2JUser: "), columns: 80, isPainted: false)
        #expect(view.frame(of: LineEditor(text: "ada")).line == "\u{fffd}[2JUser: ada")
    }
}
