import Testing
import WardTerminal

@Suite struct `A line` {
    @Test func `is edited where the cursor is`() {
        var line = LineBuffer("grace")
        line.moveToStart()
        line.insert("dr ")
        #expect((line.text, line.cursor) == ("dr grace", 3))
        line.move(by: 2)
        line.deleteBackward()
        line.deleteForward()
        #expect((line.text, line.cursor) == ("dr gce", 4))
        line.move(by: -99)
        #expect(line.cursor == 0)
        line.deleteBackward()
        #expect(line.text == "dr gce")
        line.move(by: 99)
        line.deleteForward()
        #expect((line.text, line.cursor) == ("dr gce", 6))
    }

    @Test func `counts characters as people do`() {
        var line = LineBuffer("日本e\u{301}👩‍👩‍👧🇯🇵")
        #expect(line.cursor == 5)
        for left in ["日本e\u{301}👩‍👩‍👧", "日本e\u{301}", "日本", "日", ""] {
            line.deleteBackward()
            #expect(line.text == left)
        }
    }

    @Test func `an accent that comes by itself joins the letter before it`() {
        var line = LineBuffer("e")
        line.insert("\u{301}")
        #expect((line.text.count, line.cursor) == (1, 1))
        // Two halves of a flag that are brought together are one character, and the cursor is not lost.
        line = LineBuffer("🇯x🇵")
        line.move(by: -1)
        line.deleteBackward()
        #expect(line.text.count == 1)
        line.insert("!")
        #expect(line.text == "🇯🇵!")
    }

    @Test func `knows words`() {
        var line = LineBuffer("ada.lovelace@example.com")
        line.moveWordLeft()
        line.moveWordLeft()
        #expect(line.cursor == 13)
        line.deleteWord()
        #expect(line.text == "ada.example.com")
        line.moveWordRight()
        #expect(line.cursor == 11)
        line.deleteToEnd()
        #expect(line.text == "ada.example")
        line.moveWordLeft()
        line.deleteToStart()
        #expect((line.text, line.cursor) == ("example", 0))
        line.moveWordLeft()
        line.deleteWord()
        #expect((line.text, line.cursor) == ("example", 0))
    }

    @Test func `takes no control characters and no more than it may hold`() {
        #expect(LineBuffer("a\u{1b}[31mb\u{0}\u{7f}\u{85}c").text == "a[31mbc")
        #expect(LineBuffer("one\ntwo\tthree\u{2028}four\rfive\r\nsix").text == "one two three four five six")
        var line = LineBuffer(String(repeating: "a", count: LineBuffer.maximumLength + 5))
        #expect(line.text.count == LineBuffer.maximumLength)
        line.insert("b")
        #expect(line.text.count == LineBuffer.maximumLength)
    }
}
