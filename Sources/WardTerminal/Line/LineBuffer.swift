/// A line that is being typed, with its cursor.
package struct LineBuffer: Sendable {
    /// The maximum number of characters.
    ///
    /// Further characters are dropped.
    package static var maximumLength: Int { 4096 }

    package private(set) var text = ""
    /// The number of characters before the cursor.
    package private(set) var cursor = 0

    /// Creates a line with the cursor after the text.
    package init(_ text: String = "") { insert(text) }

    /// The characters of the line, as a person counts them.
    package var characters: [Character] { Array(text) }

    /// Inserts a text at the cursor.
    ///
    /// Line breaks and tabs become spaces; other control characters are dropped.
    package mutating func insert(_ inserted: String) {
        var scalars = String.UnicodeScalarView()
        for scalar in inserted.replacing("\r\n", with: "\n").unicodeScalars {
            switch scalar.properties.generalCategory {
            case .lineSeparator, .paragraphSeparator: scalars.append(" ")
            case .control:
                if ["\n", "\r", "\t"].contains(scalar) { scalars.append(" ") }
            default: scalars.append(scalar)
            }
        }
        let room = max(0, Self.maximumLength - text.count)
        let (before, after) = halves
        // The characters are counted afterwards, because a scalar can combine with the character before the cursor.
        let head = before + String(String(scalars).prefix(room))
        text = head + after
        cursor = min(head.count, text.count)
    }

    /// Moves the cursor by characters, at most to either end.
    package mutating func move(by count: Int) { cursor = min(max(0, cursor + count), text.count) }

    /// Moves the cursor to the beginning.
    package mutating func moveToStart() { cursor = 0 }

    /// Moves the cursor after the last character.
    package mutating func moveToEnd() { cursor = text.count }

    /// Moves the cursor to the beginning of a word.
    package mutating func moveWordLeft() { cursor = wordStart }

    /// Moves the cursor to the end of a word.
    package mutating func moveWordRight() {
        let characters = characters
        while cursor < characters.count, !Self.isWord(characters[cursor]) { cursor += 1 }
        while cursor < characters.count, Self.isWord(characters[cursor]) { cursor += 1 }
    }

    /// Removes the character before the cursor.
    package mutating func deleteBackward() {
        if cursor > 0 { remove(from: cursor - 1, to: cursor) }
    }

    /// Removes the character at the cursor.
    package mutating func deleteForward() {
        if cursor < text.count { remove(from: cursor, to: cursor + 1) }
    }

    /// Removes the word before the cursor.
    package mutating func deleteWord() { remove(from: wordStart, to: cursor) }

    /// Removes everything before the cursor.
    package mutating func deleteToStart() { remove(from: 0, to: cursor) }

    /// Removes everything after the cursor.
    package mutating func deleteToEnd() { remove(from: cursor, to: text.count) }

    private var halves: (String, String) {
        let middle = text.index(text.startIndex, offsetBy: cursor)
        return (String(text[..<middle]), String(text[middle...]))
    }

    private var wordStart: Int {
        let characters = characters
        var start = cursor
        while start > 0, !Self.isWord(characters[start - 1]) { start -= 1 }
        while start > 0, Self.isWord(characters[start - 1]) { start -= 1 }
        return start
    }

    private mutating func remove(from start: Int, to end: Int) {
        let characters = characters
        let head = String(characters[..<start])
        text = head + String(characters[end...])
        // After a deletion, the characters on both sides may combine into one.
        cursor = min(head.count, text.count)
    }

    private static func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}
