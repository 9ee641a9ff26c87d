/// A key that a person pressed, or a text that they pasted.
package enum TerminalKey: Hashable, Sendable {
    /// A letter or any other character: one scalar, which may combine with the character before it.
    case text(String)
    /// A text from the clipboard; line breaks in it do not submit it.
    case paste(String)
    case enter
    /// The keys Tab and Shift-Tab.
    case tab, backTab
    /// Escape alone.
    case escape
    /// Deletes the character before the cursor, or the one at the cursor.
    case backspace, delete
    /// Arrows.
    case left, right, up, down
    /// Moves to the start or end of the line: also Ctrl-A and Ctrl-E.
    case home, end
    /// Moves by a word: Ctrl or Alt with an arrow, also Alt-B and Alt-F.
    case wordLeft, wordRight
    /// Deletes the word before the cursor, everything before it, or everything after it: Ctrl-W, Ctrl-U, Ctrl-K.
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
