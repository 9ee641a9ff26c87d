/// Asks for the passphrase of a new file.
enum FilePassphrase {
    static func ask(_ file: String, _ strength: NewPassphraseOptions) throws -> String {
        Terminal.note("Choose a passphrase for \(Table.clean(file)). The file opens with it alone, on every machine.")
        let paint = Paint(isOn: Paint.isWantedOnError)
        while true {
            let bytes = try Question.secret("Passphrase of the file: ")
            guard let typed = String(validating: bytes, as: UTF8.self), !typed.isEmpty else { continue }
            let estimate = PassphraseStrength(typed)
            Terminal.note("  " + estimate.line(paint))
            guard !estimate.isWeak || strength.weak else {
                Terminal.note("  Too weak. Type a longer one; six random words: ward generate --words 6")
                continue
            }
            guard String(decoding: try Question.secret("Again:                  "), as: UTF8.self) == typed else {
                Terminal.note("  The two are not the same. Type both again.")
                continue
            }
            return typed
        }
    }
}
