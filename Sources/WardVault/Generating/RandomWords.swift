/// Passphrases of random words, which people can remember and type.
package enum RandomWords {
    /// Each word is drawn independently, so a word can occur twice.
    package static func make(count: Int) -> [String] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).compactMap { _ in WordList.words.randomElement(using: &generator) }
    }

    /// The number of words from which a passphrase is drawn.
    package static var choices: Int { WordList.words.count }
}
