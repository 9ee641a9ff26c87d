/// The display of an edited line with its bar of suggestions.
package struct LineView: Sendable {
    /// The text before the line.
    package let prompt: String
    /// The width of the terminal in columns.
    package var columns: Int
    /// Whether styles are used.
    package let isPainted: Bool

    package init(prompt: String, columns: Int, isPainted: Bool) {
        self.prompt = prompt
        self.columns = columns
        self.isPainted = isPainted
    }

    /// The text of a line and its bar on the screen.
    package struct Frame: Hashable, Sendable {
        /// The prompt and the visible part of the line, together.
        package let line: String
        /// The column of the cursor, from 0.
        package let cursor: Int
        /// The bar of suggestions; `nil` if there are none.
        package let bar: String?
    }

    /// The frame of an editor.
    package func frame(of editor: LineEditor) -> Frame {
        let prompt = TextWidth.prefix(prompt, max(0, columns / 2))
        let start = TextWidth.of(prompt)
        // The last column stays free, because some terminals start a new line when it is written.
        let room = max(1, columns - start - 1)
        let cells = editor.line.characters.map { editor.isSecret ? "•" : $0 }
        let cursor = editor.line.cursor
        var first = 0
        var before = cells[..<cursor].reduce(0) { $0 + TextWidth.of($1) }
        while before >= room, first < cursor {
            before -= TextWidth.of(cells[first])
            first += 1
        }
        let visible = TextWidth.prefix(ShownLine.clean(cells[first...]), room)
        return Frame(
            line: (isPainted ? Style.bold(prompt) : prompt) + visible,
            cursor: start + before,
            bar: bar(editor)
        )
    }

    // MARK: The bar

    private static let mark = "  ⌨ "
    private static let hint = "Tab chooses"

    private func bar(_ editor: LineEditor) -> String? {
        let shown = editor.shown
        guard !shown.isEmpty else { return nil }
        let room = max(1, columns - 1 - TextWidth.of(Self.mark))
        let labels = shown.map { ShownText.clean($0.label) }
        let widths = labels.map { min(TextWidth.of($0), max(1, room - 4)) + 2 }
        let visible = Self.window(widths, around: editor.selection ?? 0, room: room - 2)
        var used = 0
        var cells: [String] = []
        for index in visible {
            let isChosen = index == editor.selection
            let label = TextWidth.fit(labels[index], widths[index] - 2)
            let cell = isChosen ? "[\(label)]" : " \(label) "
            cells.append(isPainted && isChosen ? Style.reversed(cell) : cell)
            used += widths[index]
        }
        if visible.upperBound < shown.count {
            cells.append("…")
            used += 1
        }
        var bar = (isPainted ? Style.dim(Self.mark) : Self.mark) + cells.joined()
        if editor.selection == nil, used + 2 + TextWidth.of(Self.hint) <= room {
            let gap = String(repeating: " ", count: room - used - TextWidth.of(Self.hint))
            bar += gap + (isPainted ? Style.dim(Self.hint) : Self.hint)
        }
        return bar
    }

    /// The visible suggestions: they begin with the first one, or they end with the selected one.
    private static func window(_ widths: [Int], around chosen: Int, room: Int) -> Range<Int> {
        var first = 0
        while first < chosen, widths[first...chosen].reduce(0, +) > room { first += 1 }
        var end = first
        var used = 0
        while end < widths.count, end == first || used + widths[end] <= room {
            used += widths[end]
            end += 1
        }
        return first..<end
    }
}

private enum ShownLine {
    /// Typed text without characters that a terminal could interpret as a command.
    ///
    /// Joiners stay, because emoji need them.
    static func clean(_ characters: ArraySlice<Character>) -> String {
        String(characters.map { $0.unicodeScalars.count > 1 ? $0 : Character(ShownText.clean(String($0))) })
    }
}
