import Testing
import WardTerminal

private let ada = LineSuggestion(id: "1", label: "ada · passkey", matching: "ada")
private let grace = LineSuggestion(id: "2", label: "grace · passkey", matching: "grace")
private let word = LineSuggestion(id: "3", label: "ada · password", matching: "ada")
private let unlock = LineSuggestion(id: "4", label: "Unlock")

@Suite struct `The line editor` {
    private func editor(_ suggestions: [LineSuggestion] = [ada, grace, word], isSecret: Bool = false) -> LineEditor {
        var editor = LineEditor(isSecret: isSecret)
        editor.suggest(suggestions)
        return editor
    }

    @Test func `enter hands over the line, or the suggestion that is chosen`() {
        var editor = editor()
        #expect(editor.handle(.text("a")) == .redraw)
        #expect(editor.handle(.enter) == .submit)
        #expect(editor.line.text == "a")
        _ = editor.handle(.tab)
        #expect(editor.handle(.enter) == .take(ada))
    }

    @Test func `tab and arrows go through the suggestions and back to the line`() {
        var editor = editor()
        let seen = (0..<4).map { _ in
            _ = editor.handle(.tab)
            return editor.selection
        }
        #expect(seen == [0, 1, 2, nil])
        _ = editor.handle(.backTab)
        #expect(editor.selection == 2)
        _ = editor.handle(.left)
        _ = editor.handle(.up)
        #expect(editor.selection == 0)
        _ = editor.handle(.right)
        _ = editor.handle(.down)
        #expect(editor.selection == 2)
        _ = editor.handle(.down)
        #expect(editor.selection == nil)
    }

    @Test func `typing keeps those that begin like it, and lets go of what was chosen`() {
        var editor = editor([ada, grace, word, unlock])
        _ = editor.handle(.tab)
        _ = editor.handle(.text("A"))
        #expect(editor.selection == nil)
        #expect(editor.shown == [ada, word, unlock])
        _ = editor.handle(.text("x"))
        #expect(editor.shown == [unlock])
        _ = editor.handle(.deleteToStart)
        #expect(editor.shown == [ada, grace, word, unlock])
    }

    @Test func `what is typed in a secret field sorts nothing out`() {
        var editor = editor(isSecret: true)
        _ = editor.handle(.text("x"))
        #expect(editor.shown == [ada, grace, word])
    }

    @Test func `escape goes back to the line and then closes the bar, until the line begins anew`() {
        var editor = editor()
        _ = editor.handle(.tab)
        #expect(editor.handle(.escape) == .redraw)
        #expect((editor.selection, editor.shown.count) == (nil, 3))
        _ = editor.handle(.escape)
        #expect(editor.shown.isEmpty)
        #expect(editor.handle(.tab) == .none)
        _ = editor.handle(.text("a"))
        #expect(editor.shown.isEmpty)
        _ = editor.handle(.backspace)
        #expect(editor.shown.count == 3)
    }

    @Test func `suggestions that come late keep the chosen one, and one that is gone is not taken`() {
        var editor = editor([grace])
        _ = editor.handle(.tab)
        editor.suggest([ada, grace])
        #expect(editor.handle(.enter) == .take(grace))
        editor.suggest([ada])
        #expect(editor.selection == nil)
        #expect(editor.handle(.enter) == .submit)
    }

    @Test func `giving up is ctrl-c, and ctrl-d in an empty line`() {
        var editor = editor()
        #expect(editor.handle(.interrupt) == .cancel)
        #expect(editor.handle(.endOfInput) == .cancel)
        _ = editor.handle(.text("ab"))
        _ = editor.handle(.home)
        #expect(editor.handle(.endOfInput) == .redraw)
        #expect(editor.line.text == "b")
    }
}

@Suite struct `What a line looks like` {
    private let view = LineView(prompt: "User name: ", columns: 40, isPainted: false)

    @Test func `the prompt, the line and the cursor in columns`() {
        var editor = LineEditor(text: "日本ada")
        let frame = view.frame(of: editor)
        #expect((frame.line, frame.cursor, frame.bar == nil) == ("User name: 日本ada", 18, true))
        _ = editor.handle(.home)
        _ = editor.handle(.right)
        #expect(view.frame(of: editor).cursor == 13)
    }

    @Test func `a secret is dots, however wide its characters`() {
        let editor = LineEditor(text: "日a🦊", isSecret: true)
        let frame = view.frame(of: editor)
        #expect((frame.line, frame.cursor) == ("User name: •••", 14))
    }

    @Test(arguments: [10, 20, 40, 80])
    func `nothing is wider than the terminal, wherever the cursor is`(columns: Int) {
        var view = view
        view.columns = columns
        var editor = LineEditor(text: String(repeating: "日本ada", count: 30))
        editor.suggest((0..<20).map { .init(id: "\($0)", label: "someone-with-a-name-\($0)-日本 · passkey") })
        for key in [TerminalKey.home, .tab, .tab, .tab, .escape, .end, .wordLeft, .tab] {
            _ = editor.handle(key)
            let frame = view.frame(of: editor)
            #expect(TextWidth.of(frame.line) < columns)
            #expect(frame.cursor < columns)
            #expect(TextWidth.of(frame.bar ?? "") < columns)
        }
    }

    @Test func `the cursor stays in sight in a long line`() {
        var editor = LineEditor(text: String((0..<100).map { Character(String($0 % 10)) }))
        #expect(view.frame(of: editor).line.hasSuffix("789"))
        _ = editor.handle(.home)
        #expect(view.frame(of: editor).line.hasPrefix("User name: 0123"))
    }

    @Test func `the bar marks the chosen one without colour, and moves along with it`() {
        var editor = LineEditor()
        editor.suggest([ada, grace, word])
        var view = view
        view.columns = 80
        #expect(
            view.frame(of: editor).bar
                == "  ⌨  ada · passkey  grace · passkey  ada · password                 Tab chooses"
        )
        _ = editor.handle(.tab)
        #expect(view.frame(of: editor).bar == "  ⌨ [ada · passkey] grace · passkey  ada · password ")
        view.columns = 30
        #expect(view.frame(of: editor).bar == "  ⌨ [ada · passkey]…")
        _ = editor.handle(.backTab)
        _ = editor.handle(.backTab)
        #expect(view.frame(of: editor).bar == "  ⌨ [ada · password]")
    }

    @Test func `painted, the chosen one is reversed and nothing names a colour`() {
        var editor = LineEditor()
        editor.suggest([ada])
        _ = editor.handle(.tab)
        let frame = LineView(prompt: "Name: ", columns: 80, isPainted: true).frame(of: editor)
        #expect(frame.bar?.contains("\u{1b}[7m[ada · passkey]\u{1b}[0m") == true)
        #expect(frame.cursor == 6)
        let codes = (frame.line + (frame.bar ?? "")).split(separator: "\u{1b}[").dropFirst().map {
            $0.prefix { $0 != "m" }
        }
        #expect(codes.allSatisfy { ["0", "1", "2", "7"].contains($0) })
    }

    @Test func `a name from outside moves no cursor`() {
        var editor = LineEditor()
        editor.suggest([.init(id: "1", label: "ada\u{1b}[2J\u{202e}\n")])
        let frame = view.frame(of: editor)
        #expect(frame.bar?.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } == true)
        #expect(frame.bar?.contains("\u{202e}") == false)
    }

    @Test func `no_color and a terminal that knows nothing are obeyed`() {
        #expect(!Style.isWanted(on: 1, environment: ["NO_COLOR": "1", "TERM": "xterm"]))
        #expect(!Style.isWanted(on: 1, environment: ["TERM": "dumb"]))
    }
}
