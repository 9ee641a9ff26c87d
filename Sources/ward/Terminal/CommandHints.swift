import ArgumentParser
import WardVault

/// The commands in errors and other texts that tell a person what to run.
enum CommandHints {
    /// The option that names a vault.
    static let option = "--vault"

    private static let vault = given(in: CommandLine.arguments)

    /// The text for the vault in this command's line.
    static func here(_ text: String) -> String { vault.map { naming($0, in: text) } ?? text }

    /// The text with `--vault NAME` added to each command that uses a vault.
    ///
    /// The texts come from all modules, and most modules do not know the name of the vault.
    static func naming(_ vault: VaultName, in text: String) -> String {
        var result = ""
        var rest = text[...]
        while let range = rest.firstRange(of: "ward ") {
            let before = rest[..<range.lowerBound].last ?? result.last
            result += rest[..<range.upperBound]
            rest = rest[range.upperBound...]
            if before.map(isPartOfWord) ?? false { continue }
            guard let (end, found) = command(at: rest), takesVault(found),
                !rest[end...].hasPrefix(" \(option)")
            else { continue }
            result += rest[..<end] + " \(option) \(vault)"
            rest = rest[end...]
        }
        return result + rest
    }

    /// The vault in a command line; `nil` if there is none.
    static func given(in words: [String]) -> VaultName? {
        let words = Array(words.prefix { $0 != "--" })
        let last = words.lastIndex { $0 == option || $0.hasPrefix(option + "=") }
        guard let last else { return nil }
        if words[last] != option { return VaultName(String(words[last].dropFirst(option.count + 1))) }
        return words.indices.contains(last + 1) ? VaultName(words[last + 1]) : nil
    }

    private static func isPartOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "-_/.".contains(character)
    }

    /// The command at the beginning of a text, and the end of its name.
    private static func command(at text: Substring) -> (end: Substring.Index, command: any ParsableCommand.Type)? {
        var (end, command): (Substring.Index, any ParsableCommand.Type) = (text.startIndex, WardCommand.self)
        while true {
            let next = end == text.startIndex ? end : text[end...].first == " " ? text.index(after: end) : text.endIndex
            let word = text[next...].prefix { $0.isLetter || $0 == "-" }
            guard !word.isEmpty, let found = CommandNames.subcommand(String(word), of: command) else { break }
            (end, command) = (word.endIndex, found)
        }
        return end == text.startIndex ? nil : (end, command)
    }

    private static func takesVault(_ command: any ParsableCommand.Type) -> Bool {
        command.helpMessage(columns: 400).contains("\(option) <")
    }
}
