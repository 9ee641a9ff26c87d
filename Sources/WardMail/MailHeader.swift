internal import WardText

/// Texts in the head of a message.
///
/// Characters that could end a line become spaces, and characters outside ASCII become encoded words (RFC 2047). So no text
/// adds a field.
enum MailHeader {
    /// The most bytes that one encoded word has: with the marks around them it is 72 characters, and 75 are allowed.
    private static let wordLength = 45

    /// A text that people read, such as a subject.
    static func text(_ text: String) -> String {
        let clean = withoutControls(text)
        return isPlain(clean) && !clean.contains("=?") && clean.utf8.count <= 60 ? clean : encodedWords(clean)
    }

    /// A name before an address (RFC 5322's phrase).
    static func phrase(_ name: String) -> String {
        let clean = withoutControls(name)
        guard isPlain(clean), clean.utf8.count <= 60 else { return encodedWords(clean) }
        let escaped = clean.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }

    /// A word of letters, digits and hyphens; all else is left out.
    static func token(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0 == "-" || ($0.isASCII && $0.properties.isAlphabetic) })
    }

    private static func withoutControls(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator, .format: " "
                    default: scalar
                    }
                }
            )
        )
    }

    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20...0x7E).contains($0) } }

    /// RFC 2047: a word has whole characters, and each line one word.
    private static func encodedWords(_ text: String) -> String {
        var (words, word) = ([[UInt8]](), [UInt8]())
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if word.count + bytes.count > wordLength {
                words.append(word)
                word = []
            }
            word += bytes
        }
        if !word.isEmpty { words.append(word) }
        return words.map { "=?utf-8?B?\(Base64.encode($0))?=" }.joined(separator: "\r\n ")
    }
}

/// The text of a message in lines that every server takes.
enum MailBody {
    /// The length of a line of base64: RFC 2045, section 6.8.
    private static let lineLength = 76
    /// Longer lines of ASCII are encoded: RFC 5322, section 2.1.1.
    private static let longestPlainLine = 998

    /// The body, and its `Content-Transfer-Encoding`.
    static func encode(_ text: String) -> (body: String, encoding: String) {
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
        let isPlain = lines.allSatisfy { line in
            line.utf8.count <= longestPlainLine && line.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
        }
        let joined = lines.joined(separator: "\r\n")
        guard !isPlain else { return (joined + "\r\n", "7bit") }
        let digits = Array(Base64.encode(Array((joined + "\r\n").utf8)).utf8)
        let rows = stride(from: 0, to: digits.count, by: lineLength).map { start in
            String(decoding: digits[start..<min(start + lineLength, digits.count)], as: UTF8.self)
        }
        return (rows.joined(separator: "\r\n") + "\r\n", "base64")
    }
}
