import ArgumentParser
import WardTerminal

/// A command whose first word is the name of a subcommand, or a word for the default subcommand.
protocol WordsOrSubcommand: ParsableCommand {}

/// Checks the names of commands.
///
/// An unknown name is refused, and the error suggests the nearest name.
enum CommandNames {
    /// Checks that the first words are names of existing commands.
    ///
    /// - Throws: ``Failure`` that names the nearest command.
    static func check(_ words: [String], of root: any ParsableCommand.Type) throws {
        var path = name(of: root)
        var command = root
        var isRoot = true
        var rest = words[...]
        while let word = rest.popFirst() {
            let subcommands = all(of: command)
            if isRoot, word.hasPrefix(CommandHints.option) {
                throw Failure(.usage, "Name the vault after the command: \(path) list \(CommandHints.option) NAME")
            }
            guard !subcommands.isEmpty, !word.hasPrefix("-") else { return }
            if let next = subcommand(word, of: command) {
                path += " \(word)"
                command = next
                isRoot = false
                continue
            }
            if isRoot, word == "help" {
                path += " help"
                continue
            }
            if command is any WordsOrSubcommand.Type { return }
            let names = subcommands.filter { $0.configuration.shouldDisplay }.map { name(of: $0) }
            let next =
                NearestName.of(word, among: names).map { "Did you mean: \(path) \($0)" }
                ?? "See the commands: \(path) --help"
            throw Failure(.usage, "There is no command “\(path) \(word)”. \(next)")
        }
    }

    /// The subcommand with a name; `nil` if there is none.
    static func subcommand(_ word: String, of command: any ParsableCommand.Type) -> (any ParsableCommand.Type)? {
        all(of: command).first { name(of: $0) == word }
    }

    private static func all(of command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        command.configuration.subcommands
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }
}
