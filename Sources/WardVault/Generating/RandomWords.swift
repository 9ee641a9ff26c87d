/// Passphrases of random words, which people can remember and type.
package enum RandomWords {
    /// Draws each word by itself, so that a word can come twice.
    package static func make(count: Int) -> [String] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).compactMap { _ in WordList.words.randomElement(using: &generator) }
    }

    /// How many words there are to draw from.
    package static var choices: Int { WordList.words.count }
}
