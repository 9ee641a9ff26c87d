import Foundation
import WardVault

/// Asks for a new passphrase.
enum NewPassphrase {
    private static let wordCount = 6

    /// Asks for the passphrase of a vault.
    ///
    /// The person can let random words be made.
    static func ask(for vault: String, _ strength: NewPassphraseOptions) throws -> String {
        Terminal.note("Your vault will be \(Paths.short(vault)).\n")
        Terminal.note("Choose a passphrase, or press Enter for \(wordCount) random words. Nobody can reset it.")
        let instead = "press Enter for \(wordCount) random words"
        return try typed("Passphrase: ", strength, instead: instead) ?? offerWords()
    }

    /// Asks for the passphrase of a file.
    static func ask(forFile file: String, _ strength: NewPassphraseOptions) throws -> String {
        Terminal.note("Choose a passphrase for \(Table.clean(file)). The file opens with it alone, on every machine.")
        let instead = "use \(wordCount) random words: ward generate --words \(wordCount)"
        while true {
            if let typed = try typed("Passphrase of the file: ", strength, instead: instead) { return typed }
        }
    }

    /// A passphrase that the person typed twice, or `nil` for an empty one.
    private static func typed(
        _ label: String,
        _ strength: NewPassphraseOptions,
        instead: String
    ) throws -> String? {
        let again = "Again:".padding(toLength: label.count, withPad: " ", startingAt: 0)
        let paint = Paint(isOn: Paint.isWantedOnError)
        while true {
            guard let typed = String(validating: try Question.secret(label), as: UTF8.self) else { continue }
            if typed.isEmpty { return nil }
            let estimate = PassphraseStrength(typed)
            Terminal.note("  " + estimate.line(paint))
            guard !estimate.isWeak || strength.weak else {
                Terminal.note("  Too weak. Type a longer one, or \(instead).")
                continue
            }
            guard String(decoding: try Question.secret(again), as: UTF8.self) == typed else {
                Terminal.note("  The two are not the same. Type both again.")
                continue
            }
            return typed
        }
    }

    /// Shows random words until the person can type them.
    private static func offerWords() throws -> String {
        let words = RandomWords.make(count: wordCount).joined(separator: " ")
        let paint = Paint(isOn: Paint.isWanted)
        while true {
            let lines = [
                "Your passphrase:", "", "    " + paint.bold(words), "",
                "Learn it, or write it on paper until you know it.", "",
            ]
            _ = try AlternateScreen.show(lines) { try Question.text("Press Enter, then type it. ") }
            if String(decoding: try Question.secret("Passphrase: "), as: UTF8.self) == words { return words }
            Terminal.note("  That is not the passphrase. Press Enter to see it again.")
            _ = try Question.text("")
        }
    }
}
