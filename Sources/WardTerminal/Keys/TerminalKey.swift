/// A key that a person pressed, or a text that they pasted.
package enum TerminalKey: Hashable, Sendable {
    /// A letter, or anything else that is written: one scalar, which may belong to the character before it.
    case text(String)
    /// A text from the clipboard, which no line break in it ends.
    case paste(String)
    /// Enter.
    case enter
    /// Tab and Shift-Tab.
    case tab, backTab
    /// Escape alone.
    case escape
    /// The character before the cursor, and the one under it.
    case backspace, delete
    /// Arrows.
    case left, right, up, down
    /// To the ends of the line: also Ctrl-A and Ctrl-E.
    case home, end
    /// A word further: Ctrl or Alt with an arrow, also Alt-B and Alt-F.
    case wordLeft, wordRight
    /// The word before the cursor, all before it, all after it: Ctrl-W, Ctrl-U, Ctrl-K.
    case deleteWord, deleteToStart, deleteToEnd
    /// Ctrl-C.
    case interrupt
    /// Ctrl-D.
    case endOfInput
    /// Ctrl-Z.
    case suspend
    /// Ctrl-L.
    case redraw
}
