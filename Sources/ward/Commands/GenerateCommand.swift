import ArgumentParser
import Foundation
import WardVault

/// Generates a password or a passphrase.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Generate a password, or a passphrase of random words.",
        discussion: """
            ward generate                              a password of 20 characters
            ward generate --length 32 --no-symbols     32 letters and digits
            ward generate --words 6                    six words from a list of 7776
            """
    )

    @Option(help: ArgumentHelp("Number of characters, 8 to 128. Default: 20.", valueName: "characters"))
    var length: Int?
    @Flag(help: "Use only letters and digits.")
    var noSymbols = false
    @Option(help: ArgumentHelp("Generate words instead of characters: 4 to 20.", valueName: "number"))
    var words: Int?
    @Option(help: ArgumentHelp("Text between words. Default: a space.", valueName: "text"))
    var separator: String?
    @Flag(help: "Copy the password to the clipboard for 45 seconds (WARD_CLIPBOARD_SECONDS), and do not show it.")
    var copy = false
    @Flag(help: "Print JSON.")
    var json = false

    private struct Generated: Encodable {
        let value: String
        let bits: Int
    }

    func validate() throws {
        guard (8...128).contains(length ?? 20) else { throw ValidationError("--length must be between 8 and 128.") }
        guard (4...20).contains(words ?? 6) else { throw ValidationError("--words must be between 4 and 20.") }
        guard words == nil || (length == nil && !noSymbols) else {
            throw ValidationError("With --words, leave out --length and --no-symbols.")
        }
        guard separator == nil || words != nil else { throw ValidationError("Use --separator only with --words.") }
        guard !(copy && json) else { throw ValidationError("Use only one of --copy and --json.") }
    }

    func run() throws {
        let generated = generate()
        if copy { return try Clipboard.copy(generated.value, what: words == nil ? "password" : "passphrase") }
        if json { return try Output.json(generated) }
        Output.value(generated.value)
        if isatty(STDOUT_FILENO) == 1 { Terminal.note("About \(generated.bits) bits.") }
    }

    private func generate() -> Generated {
        if let words {
            let value = RandomWords.make(count: words).joined(separator: separator ?? " ")
            return Generated(value: value, bits: Self.bits(words, of: RandomWords.choices))
        }
        let length = length ?? 20
        return Generated(
            value: RandomPassword.make(length: length, symbols: !noSymbols),
            bits: Self.bits(length, of: RandomPassword.choices(symbols: !noSymbols))
        )
    }

    private static func bits(_ count: Int, of choices: Int) -> Int { Int(Double(count) * log2(Double(choices))) }
}
