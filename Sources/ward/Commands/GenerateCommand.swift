import ArgumentParser
import Foundation
import WardVault

/// Generates passwords, passphrases or user names.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Generate a password, a passphrase of random words, or a user name.",
        discussion: """
            ward generate                              a password of 20 characters
            ward generate --length 32 --no-symbols     32 letters and digits
            ward generate --readable                   a password that is easy to read and type
            ward generate --words 6                    six words from a list of 7776
            ward generate --user-name                  a user name that says nothing about you
            ward generate --rules "minlength: 8; maxlength: 16; required: digit; allowed: lower, [-_]"

            ward generate --site example.com           a password that keeps the site's rules, see ward update-data

            Sites write --rules in the attribute passwordrules of a password field. The rules are minlength, maxlength, \
            max-consecutive, required and allowed. The sets are lower, upper, digit, special, ascii-printable, unicode, and \
            characters in brackets. A password for rules is readable if they permit it.
            """
    )

    @Option(
        help: ArgumentHelp(
            "Number of characters, 8 to 128. Default: 20, or what --rules permit.",
            valueName: "characters"
        )
    )
    var length: Int?
    @Flag(help: "Use only letters and digits.")
    var noSymbols = false
    @Flag(help: "Generate three groups of two syllables, with one digit and one capital letter.")
    var readable = false
    @Option(help: ArgumentHelp("Generate a password that keeps the rules of a site.", valueName: "rules"))
    var rules: String?
    @Option(
        help: ArgumentHelp(
            "Generate a password that keeps the known rules of this site, if there are any.",
            valueName: "address"
        )
    )
    var site: String?
    @Option(help: ArgumentHelp("Generate words instead of characters: 4 to 20.", valueName: "number"))
    var words: Int?
    @Option(help: ArgumentHelp("Text between words. Default: a space.", valueName: "text"))
    var separator: String?
    @Flag(help: "Generate a user name: two words and a number.")
    var userName = false
    @Option(
        help: ArgumentHelp(
            "How many to generate: 1 to 1000. With --json and more than one, a list.",
            valueName: "number"
        )
    )
    var count = 1
    @Flag(help: "Copy the password to the clipboard for 45 seconds (WARD_CLIPBOARD_SECONDS), and do not show it.")
    var copy = false
    @Flag(help: "Print JSON.")
    var json = false

    private struct Generated: Encodable {
        let value: String
        let bits: Int
    }

    func validate() throws {
        guard try parsedRules() != nil || (8...128).contains(length ?? 20) else {
            throw ValidationError("--length must be between 8 and 128.")
        }
        guard (4...20).contains(words ?? 6) else { throw ValidationError("--words must be between 4 and 20.") }
        guard (1...1000).contains(count) else { throw ValidationError("--count must be between 1 and 1000.") }
        let kinds = [words != nil, readable, rules != nil, site != nil, userName]
        guard kinds.count(where: { $0 }) <= 1 else {
            throw ValidationError("Use only one of --words, --readable, --rules, --site and --user-name.")
        }
        guard length == nil || !(words != nil || readable || userName) else {
            throw ValidationError("Use --length only for random characters, or with --rules or --site.")
        }
        guard !noSymbols || !kinds.contains(true) else {
            throw ValidationError("Use --no-symbols only for random characters.")
        }
        guard separator == nil || words != nil else { throw ValidationError("Use --separator only with --words.") }
        guard !(copy && json) else { throw ValidationError("Use only one of --copy and --json.") }
        guard !copy || count == 1 else { throw ValidationError("--copy copies one password: leave out --count.") }
    }

    func run() throws {
        let generated = try (0..<count).map { _ in try generate() }
        if copy, let first = generated.first { return try Clipboard.copy(first.value, what: what) }
        if json, count == 1 { return try Output.json(generated.first) }
        if json { return try Output.json(generated) }
        for generated in generated { Output.value(generated.value) }
        if isatty(STDOUT_FILENO) == 1, !userName, let first = generated.first {
            Terminal.note("About \(first.bits) bits.")
        }
    }

    private var what: String { words != nil ? "passphrase" : userName ? "user name" : "password" }

    private func parsedRules() throws -> PasswordRules? {
        if let site {
            guard let host = Site(site).host else { throw ValidationError("--site must be an address or a host name.") }
            return SiteData(folder: SiteData.folder()).passwordRules(of: host)
        }
        do {
            return try rules.map { (text) throws(PasswordRulesFault) in try PasswordRules(text) }
        } catch { throw ValidationError(error.description) }
    }

    private func generate() throws -> Generated {
        if let words {
            let value = RandomWords.make(count: words).joined(separator: separator ?? " ")
            return Generated(value: value, bits: Self.bits(words, of: RandomWords.choices))
        }
        if userName { return Generated(value: RandomUserName.make(), bits: Int(RandomUserName.bits)) }
        if readable { return Generated(value: ReadablePassword.make(), bits: Int(ReadablePassword.bits)) }
        if let rules = try parsedRules() {
            do {
                let made = try RandomPassword.make(rules, length: length)
                return Generated(value: made.text, bits: Int(made.bits))
            } catch { throw ValidationError(error.description) }
        }
        let length = length ?? RandomPassword.usualLength
        return Generated(
            value: RandomPassword.make(length: length, symbols: !noSymbols),
            bits: Self.bits(length, of: RandomPassword.choices(symbols: !noSymbols))
        )
    }

    private static func bits(_ count: Int, of choices: Int) -> Int { Int(Double(count) * log2(Double(choices))) }
}
