/// A line that is being typed, and where the next character goes.
package struct LineBuffer: Sendable {
    /// The most characters of a line; what is typed or pasted beyond them is left out.
    package static var maximumLength: Int { 4096 }

    /// What was typed so far.
    package private(set) var text = ""
    /// How many characters stand before the cursor: 0 to the number of characters.
    package private(set) var cursor = 0

    /// Begins with a text, the cursor behind it.
    package init(_ text: String = "") { insert(text) }

    /// The characters, as a person counts them.
    package var characters: [Character] { Array(text) }

    /// Puts a text in at the cursor.
    ///
    /// Line breaks and tabs become spaces, other control characters are left out.
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
        // Counted afterwards, for a scalar may join the character before the cursor.
        let head = before + String(String(scalars).prefix(room))
        text = head + after
        cursor = min(head.count, text.count)
    }

    /// Moves the cursor by characters, no further than the ends.
    package mutating func move(by count: Int) { cursor = min(max(0, cursor + count), text.count) }

    /// Moves the cursor to the beginning.
    package mutating func moveToStart() { cursor = 0 }

    /// Moves the cursor behind the last character.
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

    /// Removes back to the beginning of a word.
    package mutating func deleteWord() { remove(from: wordStart, to: cursor) }

    /// Removes what stands before the cursor.
    package mutating func deleteToStart() { remove(from: 0, to: cursor) }

    /// Removes what stands behind the cursor.
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
        // What is now side by side may be one character.
        cursor = min(head.count, text.count)
    }

    private static func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}
